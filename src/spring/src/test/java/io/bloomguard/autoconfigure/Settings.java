package io.bloomguard.autoconfigure;

import io.bloomguard.ModuleSources;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.ClassUtils;

/** Every property that the records bind, as their components and their javadoc have it. */
final class Settings {

  /**
   * A property.
   *
   * @param name its name, with {@code [*]} for the key of a map and {@code [#]} for the index of a
   *     list
   * @param type its type as metadata writes it
   * @param values the class of its value or, of a collection, of each of them
   * @param defaultValue the text of its default, null where its record declares none
   * @param description the text of its component's tag
   */
  record Setting(
      String name,
      String type,
      Class<?> values,
      @Nullable String defaultValue,
      String description) {}

  private Settings() {}

  static List<Setting> all() {
    List<Setting> settings = new ArrayList<>();
    collect("bloomguard.", BloomguardProperties.class, settings);
    return settings;
  }

  private static void collect(String prefix, Class<?> record, List<Setting> settings) {
    Parameter[] parameters = canonical(record).getParameters();
    RecordComponent[] components = record.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      Name other = parameters[i].getAnnotation(Name.class);
      String name = prefix + kebab(other == null ? components[i].getName() : other.value());
      Class<?> type = components[i].getType();
      Class<?> values = values(components[i].getGenericType());
      if (type.isRecord()) {
        collect(name + ".", type, settings);
        continue;
      }
      settings.add(
          new Setting(
              name,
              text(components[i].getGenericType()),
              values,
              defaultValue(parameters[i]),
              description(record, components[i].getName())));
      if (values.isRecord()) {
        collect(name + (type == Map.class ? "[*]." : "[#]."), values, settings);
      }
    }
  }

  private static @Nullable String defaultValue(Parameter parameter) {
    DefaultValue value = parameter.getAnnotation(DefaultValue.class);
    return value == null || value.value().length == 0 ? null : String.join(",", value.value());
  }

  /** A class as its name in binary form, the one of a primitive's object. */
  private static String text(Type type) {
    return type instanceof Class<?> simple
        ? ClassUtils.resolvePrimitiveIfNecessary(simple).getName()
        : type.getTypeName().replace(", ", ",");
  }

  private static Class<?> values(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      return (Class<?>) arguments[arguments.length - 1];
    }
    return (Class<?>) type;
  }

  private static String description(Class<?> record, String component) {
    String javadoc = javadoc(source(record), "record " + record.getSimpleName() + "\\(");
    Matcher tag = Pattern.compile("@param " + component + " (.*?)(?= @\\w+ |$)").matcher(javadoc);
    return tag.find() ? tag.group(1) : "";
  }

  /** The first sentences on a constant of an enum, without tags; empty for none. */
  static String description(Enum<?> constant) {
    String source = source(constant.getDeclaringClass());
    Matcher start =
        Pattern.compile("enum " + constant.getDeclaringClass().getSimpleName() + "\\b")
            .matcher(source);
    String constants = start.find() ? source.substring(start.start()) : "";
    return javadoc(constants, constant.name() + "\\b").replaceAll("\\{@\\w+ #?([^}]*)}", "$1");
  }

  /** The text of the comment right before what {@code pattern} finds, in one line. */
  private static String javadoc(String source, String pattern) {
    Matcher comment =
        Pattern.compile(
                "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@\\w+(?:\\([^)]*\\))?\\s*)*(?:public )?"
                    + pattern,
                Pattern.DOTALL)
            .matcher(source);
    return comment.find()
        ? comment.group(1).replaceAll("(?m)^\\s*\\*", " ").replaceAll("\\s+", " ").trim()
        : "";
  }

  private static String source(Class<?> type) {
    String name = type.getName().replaceFirst("\\$.*", "").replace('.', '/');
    try {
      return Files.readString(ModuleSources.main(name + ".java"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Constructor<?> canonical(Class<?> record) {
    Class<?>[] types =
        Arrays.stream(record.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      return record.getDeclaredConstructor(types);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String kebab(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }
}
