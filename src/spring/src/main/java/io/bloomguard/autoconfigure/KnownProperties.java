package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.SettingNames;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** The names that {@link BloomguardProperties} binds, to name those in place of an unknown one. */
final class KnownProperties {

  private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("bloomguard");

  private KnownProperties() {}

  static boolean isOurs(ConfigurationPropertyName name) {
    return ROOT.equals(name) || ROOT.isAncestorOf(name);
  }

  /** Whether {@code name} is one that is bound. */
  static boolean isKnown(ConfigurationPropertyName name) {
    @Nullable Type type = BloomguardProperties.class;
    for (int i = ROOT.getNumberOfElements(); type != null && i < name.getNumberOfElements(); i++) {
      type = child(type, name.getElement(i, Form.UNIFORM));
    }
    return type != null;
  }

  /** The names that exist where {@code unknown} leaves the tree of known ones. */
  static List<String> besides(ConfigurationPropertyName unknown) {
    Type type = BloomguardProperties.class;
    ConfigurationPropertyName parent = ROOT;
    for (int i = ROOT.getNumberOfElements(); i < unknown.getNumberOfElements(); i++) {
      Type next = child(type, unknown.getElement(i, Form.UNIFORM));
      if (next == null) {
        break;
      }
      type = next;
      parent = unknown.chop(i + 1);
    }
    String prefix = parent.toString();
    return type instanceof Class<?> record && record.isRecord()
        ? components(record).keySet().stream().map(name -> prefix + "." + name).toList()
        : List.of(prefix);
  }

  /**
   * The names that a misspelt one may mean: those beside it with the fewest other letters, or those
   * further down of its last name.
   */
  static List<String> near(ConfigurationPropertyName unknown) {
    Type type = BloomguardProperties.class;
    for (int i = ROOT.getNumberOfElements(); i < unknown.getNumberOfElements(); i++) {
      String element = unknown.getElement(i, Form.UNIFORM);
      Type next = child(type, element);
      if (next == null) {
        return type instanceof Class<?> record && record.isRecord()
            ? near(unknown.chop(i) + ".", record, element)
            : List.of();
      }
      type = next;
    }
    return List.of();
  }

  private static List<String> near(String prefix, Class<?> record, String element) {
    List<String> near = new ArrayList<>();
    int least = 1 + element.length() / 4;
    for (String name : components(record).keySet()) {
      int distance = distance(element, name.replace("-", ""));
      if (distance < least) {
        near.clear();
      }
      if (distance <= least) {
        least = distance;
        near.add(prefix + name);
      }
    }
    return near.isEmpty() ? below(prefix, record, element) : near;
  }

  /** The names of the groups of a record that are spelled alike. */
  private static List<String> below(String prefix, Class<?> record, String element) {
    List<String> found = new ArrayList<>();
    components(record)
        .forEach(
            (name, type) -> {
              if (type instanceof Class<?> group && group.isRecord()) {
                String inner = prefix + name + ".";
                for (String of : components(group).keySet()) {
                  if (of.replace("-", "").equals(element)) {
                    found.add(inner + of);
                  }
                }
              }
            });
    return found;
  }

  /** The letters to insert, remove, replace or swap with the next one (Damerau and Levenshtein). */
  private static int distance(String one, String other) {
    int[][] cost = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        boolean same = one.charAt(i - 1) == other.charAt(j - 1);
        int least =
            Math.min(
                Math.min(cost[i - 1][j], cost[i][j - 1]) + 1, cost[i - 1][j - 1] + (same ? 0 : 1));
        boolean swapped =
            i > 1
                && j > 1
                && one.charAt(i - 1) == other.charAt(j - 2)
                && one.charAt(i - 2) == other.charAt(j - 1);
        cost[i][j] = swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
      }
    }
    return cost[one.length()][other.length()];
  }

  private static @Nullable Type child(Type type, String element) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      return arguments[arguments.length - 1];
    }
    if (type instanceof Class<?> record && record.isRecord()) {
      for (Map.Entry<String, Type> component : components(record).entrySet()) {
        if (component.getKey().replace("-", "").equals(element)) {
          return component.getValue();
        }
      }
    }
    return null;
  }

  private static Map<String, Type> components(Class<?> record) {
    Map<String, Type> types = new TreeMap<>();
    SettingNames.of(record)
        .forEach((name, component) -> types.put(name, component.getGenericType()));
    return types;
  }
}
