package io.bloomguard.autoconfigure;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.SettingNames;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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

  /**
   * Where a name ends, or leaves the tree of known ones.
   *
   * @param type what is bound there
   * @param known the name as far as it is known
   * @param unknown the element after that; null where all is known
   */
  private record Place(Type type, ConfigurationPropertyName known, @Nullable String unknown) {

    static Place of(ConfigurationPropertyName name) {
      Type type = BloomguardProperties.class;
      for (int i = ROOT.getNumberOfElements(); i < name.getNumberOfElements(); i++) {
        String element = name.getElement(i, Form.UNIFORM);
        Type next = child(type, element);
        if (next == null) {
          return new Place(type, name.chop(i), element);
        }
        type = next;
      }
      return new Place(type, name, null);
    }
  }

  /** Whether {@code name} is one that is bound. */
  static boolean isKnown(ConfigurationPropertyName name) {
    return Place.of(name).unknown == null;
  }

  /** The names that exist where {@code unknown} leaves the tree of known ones. */
  static List<String> besides(ConfigurationPropertyName unknown) {
    Place place = Place.of(unknown);
    List<String> names =
        components(place.type).keySet().stream().map(name -> place.known + "." + name).toList();
    return names.isEmpty() ? List.of(place.known.toString()) : names;
  }

  /**
   * The names that a misspelt one may mean: those beside it with the fewest other letters, or those
   * further down of its last name.
   */
  static List<String> near(ConfigurationPropertyName unknown) {
    Place place = Place.of(unknown);
    String element = place.unknown;
    if (element == null) {
      return List.of();
    }
    Map<String, Type> beside = components(place.type);
    TreeMap<Integer, List<String>> near =
        beside.keySet().stream()
            .collect(groupingBy(name -> distance(element, plain(name)), TreeMap::new, toList()));
    boolean misspelt = !near.isEmpty() && near.firstKey() <= 1 + element.length() / 4;
    Stream<String> meant =
        misspelt
            ? near.firstEntry().getValue().stream()
            : beside.keySet().stream()
                .flatMap(
                    group ->
                        components(beside.get(group)).keySet().stream()
                            .filter(name -> plain(name).equals(element))
                            .map(name -> group + "." + name));
    return meant.map(name -> place.known + "." + name).toList();
  }

  private static String plain(String name) {
    return name.replace("-", "");
  }

  /** The letters to insert, remove or replace (Levenshtein), by one row of costs after another. */
  private static int distance(String one, String other) {
    int[] costs = IntStream.rangeClosed(0, other.length()).toArray();
    for (int i = 1; i <= one.length(); i++) {
      int before = costs[0]++;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = before + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        before = costs[j];
        costs[j] = Math.min(replaced, Math.min(costs[j - 1], costs[j]) + 1);
      }
    }
    return costs[other.length()];
  }

  private static @Nullable Type child(Type type, String element) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      return arguments[arguments.length - 1];
    }
    return components(type).entrySet().stream()
        .filter(component -> plain(component.getKey()).equals(element))
        .findFirst()
        .map(Map.Entry::getValue)
        .orElse(null);
  }

  /** Those of a record; none of another type. */
  private static Map<String, Type> components(@Nullable Type type) {
    Map<String, Type> types = new TreeMap<>();
    if (type instanceof Class<?> record && record.isRecord()) {
      SettingNames.of(record)
          .forEach((name, component) -> types.put(name, component.getGenericType()));
    }
    return types;
  }
}
