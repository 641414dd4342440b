package io.bloomguard.autoconfigure.internal.properties;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;

/** The names of the settings that a record binds. */
public final class SettingNames {

  /** Read once: the rules of settings ask for the same few records some hundred times. */
  private static final ClassValue<Map<String, RecordComponent>> NAMES =
      new ClassValue<>() {
        @Override
        protected Map<String, RecordComponent> computeValue(Class<?> record) {
          Map<String, RecordComponent> components = new TreeMap<>();
          for (RecordComponent component : record.getRecordComponents()) {
            components.put(name(record, component), component);
          }
          return Collections.unmodifiableMap(components);
        }
      };

  private SettingNames() {}

  /** The components of {@code record} by the names of their settings, such as {@code max-size}. */
  public static Map<String, RecordComponent> of(Class<?> record) {
    return NAMES.get(record);
  }

  /** What reads a setting of {@code record}, or is a method of such a name; null for neither. */
  static @Nullable Method method(Class<?> record, String name) {
    RecordComponent component = record.isRecord() ? of(record).get(name) : null;
    return component != null
        ? component.getAccessor()
        : Stream.of(record.getDeclaredMethods())
            .filter(method -> method.getParameterCount() == 0)
            .filter(method -> DataObjectPropertyName.toDashedForm(method.getName()).equals(name))
            .findFirst()
            .orElse(null);
  }

  /** The annotation applies to the constructor's parameter or the field. */
  private static String name(Class<?> record, RecordComponent component) {
    try {
      Name own = record.getDeclaredField(component.getName()).getAnnotation(Name.class);
      return own == null ? DataObjectPropertyName.toDashedForm(component.getName()) : own.value();
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException("Every record component has a field", e);
    }
  }
}
