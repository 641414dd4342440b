package io.bloomguard.json.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.util.NameTransformer;

/**
 * The fingerprint of a type's JSON: the names and types of its properties, and of theirs, in any
 * order. JSON of another shape can be read without an error, with null for what is missing.
 *
 * <p>The properties are those that Jackson resolves for writing and for reading, be it from
 * annotations, mix-ins or modules. The build for Spring Boot 3 makes that for Jackson 2 of it.
 */
final class JsonShape {

  /** The length of a fingerprint in bytes. */
  static final int LENGTH = 8;

  /** The most types with parts whose parts count; of those beyond, only the name does. */
  static final int MOST_TYPES = 1_000;

  /** Types with one form, which no version of an application changes. */
  private static final Pattern LEAVES =
      Pattern.compile("javax?\\.|kotlinx?\\.|tools\\.jackson\\.|com\\.fasterxml\\.jackson\\.");

  private final Map<JavaType, Integer> seen = new HashMap<>();
  private final StringBuilder text = new StringBuilder();

  private JsonShape() {}

  static byte[] of(JavaType type) {
    JsonShape shape = new JsonShape();
    shape.append(type);
    try {
      byte[] bytes = shape.text.toString().getBytes(UTF_8);
      return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(bytes), LENGTH);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  private void append(JavaType type) {
    Integer before = seen.get(type);
    if (before != null) {
      text.append('^').append(before);
      return;
    }
    Map<String, JavaType> parts = new TreeMap<>();
    text.append(nameOf(type, parts));
    if (parts.isEmpty() || seen.size() == MOST_TYPES) {
      return;
    }
    seen.put(type, seen.size());
    text.append('{');
    parts.forEach(
        (name, part) -> {
          text.append(name).append(':');
          append(part);
          text.append(',');
        });
    text.append('}');
  }

  /**
   * The name that counts of a type, empty where its parts say all.
   *
   * @param parts gets the types of its properties by their names
   */
  private static String nameOf(JavaType type, Map<String, JavaType> parts) {
    Class<?> raw = type.getRawClass();
    if (type.isContainerType() || type.isReferenceType()) {
      put(parts, "key", type.getKeyType());
      put(parts, "content", type.getContentType());
    } else if (raw.isEnum()) {
      return constants(raw).sorted().toList().toString();
    } else if (hasProperties(raw)) {
      JsonMappers.configs().forEach(config -> new Properties(config, parts).of(type));
      return parts.isEmpty() ? raw.getName() : "";
    }
    return raw.isArray() ? "[]" : raw.getName() + JsonForms.mark(raw);
  }

  /** A name that is there for writing may have another type for reading. */
  private static void put(Map<String, JavaType> parts, String name, @Nullable JavaType part) {
    JavaType before = part == null ? null : parts.putIfAbsent(name, part);
    if (before != null && !before.equals(part)) {
      parts.put(name + " read", part);
    }
  }

  private static boolean hasProperties(Class<?> type) {
    return !type.isPrimitive() && !LEAVES.matcher(type.getName()).lookingAt();
  }

  private static Stream<String> constants(Class<?> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(constant -> ((Enum<?>) constant).name() + "=" + text(constant));
  }

  /** The JSON of a constant; empty if it has none. */
  private static String text(Object constant) {
    try {
      return JsonMappers.OURS.writeValueAsString(constant);
    } catch (JacksonException e) {
      return "";
    }
  }

  /** What Jackson resolves of a type under its settings for writing, or for reading. */
  private record Properties(MapperConfig<?> config, Map<String, JavaType> parts) {

    void of(JavaType type) {
      BeanDescription bean = JsonMappers.bean(config, type);
      Annotated head = bean.getClassInfo();
      JavaType refined = refined(head, type);
      String form = form(head, type);
      if (!form.isEmpty() || !refined.equals(type)) {
        put(parts, form, refined);
      }
      AnnotatedMember value = bean.findJsonValueAccessor();
      if (value != null) {
        put(parts, value.getName() + " alone" + form(value, value.getType()), value.getType());
      }
      bean.findProperties().forEach(this::add);
      subtypes(
          config.getSubtypeResolver().collectAndResolveSubtypesByClass(config, bean.getClassInfo()),
          "");
      if (type.getRawClass().isSealed()) {
        // Jackson 2 does not see who may implement it.
        for (Class<?> permitted : type.getRawClass().getPermittedSubclasses()) {
          parts.put(" is " + permitted.getSimpleName(), config.constructType(permitted));
        }
      }
    }

    private void add(BeanPropertyDefinition property) {
      AnnotatedMember member = property.getPrimaryMember();
      String name = property.getName();
      if (name.startsWith("@JsonUnwrapped")) {
        return; // Jackson 3's other name of one that is here
      }
      JavaType part = property.getPrimaryType();
      if (member != null) {
        part = refined(member, part);
        name += form(member, part);
        NameTransformer unwrapped = annotations().findUnwrappingNameTransformer(config, member);
        name += unwrapped == null ? "" : " within " + unwrapped.transform("");
        subtypes(annotations().findSubtypes(config, member), name);
      }
      put(parts, name, part);
    }

    private AnnotationIntrospector annotations() {
      return config.getAnnotationIntrospector();
    }

    /** The type by which Jackson writes, or reads, one that is declared. */
    private JavaType refined(Annotated annotated, JavaType type) {
      try {
        return config instanceof SerializationConfig
            ? annotations().refineSerializationType(config, annotated, type)
            : annotations().refineDeserializationType(config, annotated, type);
      } catch (JacksonException e) {
        return type;
      }
    }

    /** What is said of a property's or a type's JSON beside its type; empty for nothing. */
    private String form(Annotated annotated, JavaType type) {
      AnnotationIntrospector said = annotations();
      StringBuilder form = new StringBuilder();
      JsonFormat.Value format = said.findFormat(config, annotated);
      if (format != null && !format.equals(JsonFormat.Value.empty())) {
        form.append(" as ").append(format.getShape()).append(format.hasShape() ? order(type) : "");
      }
      JsonTypeInfo.Value info = said.findPolymorphicTypeInfo(config, annotated);
      if (info != null) {
        form.append(" by ").append(info.getIdType()).append(info.getInclusionType());
        form.append(info.getPropertyName());
      }
      Stream.of(
              said.findSerializer(config, annotated),
              said.findDeserializer(config, annotated),
              said.findKeySerializer(config, annotated),
              said.findKeyDeserializer(config, annotated),
              said.findContentSerializer(config, annotated),
              said.findContentDeserializer(config, annotated),
              said.findSerializationConverter(config, annotated),
              said.findDeserializationConverter(config, annotated))
          .filter(Objects::nonNull)
          .map(by -> by instanceof Class<?> named ? named : by.getClass())
          .forEach(by -> form.append(" by ").append(by.getSimpleName()));
      return form.toString();
    }

    /**
     * The order of what a shape may write without names: an array of properties, an enum's number.
     */
    private List<String> order(JavaType type) {
      Class<?> raw = JsonForms.content(type).getRawClass();
      if (raw.isEnum()) {
        return constants(raw).toList();
      }
      return hasProperties(raw)
          ? JsonMappers.bean(config, JsonForms.content(type)).findProperties().stream()
              .map(BeanPropertyDefinition::getName)
              .toList()
          : List.of();
    }

    private void subtypes(@Nullable Collection<NamedType> subtypes, String property) {
      for (NamedType each : subtypes == null ? List.<NamedType>of() : subtypes) {
        String name = each.hasName() ? each.getName() : each.getType().getSimpleName();
        parts.put(property + " is " + name, config.constructType(each.getType()));
      }
    }
  }
}
