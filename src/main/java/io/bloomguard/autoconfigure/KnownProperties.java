package io.bloomguard.autoconfigure;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
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
    Map<String, Type> components = new TreeMap<>();
    for (RecordComponent component : record.getRecordComponents()) {
      Name name = name(record, component);
      components.put(
          name == null ? DataObjectPropertyName.toDashedForm(component.getName()) : name.value(),
          component.getGenericType());
    }
    return components;
  }

  /** Where it applies to: the constructor's parameter or the field. */
  private static @Nullable Name name(Class<?> record, RecordComponent component) {
    try {
      return record.getDeclaredField(component.getName()).getAnnotation(Name.class);
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException("Every record component has a field", e);
    }
  }
}
