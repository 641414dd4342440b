package io.bloomguard.json;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;

/** The JSON of one type, as Jackson 3 writes and reads it; all that is known of Jackson. */
final class Json {

  /** A mapper of our own: the application's may write types into the values. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .findAndAddModules()
          .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
          .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
          .build();

  /** Types with one form, which no version of an application changes. */
  private static final Pattern LEAVES =
      Pattern.compile("javax?\\.|kotlinx?\\.|tools\\.jackson\\.|com\\.fasterxml\\.jackson\\.");

  private final JavaType type;
  private final byte[] shape;

  private Json(JavaType type) {
    this.type = type;
    this.shape = JsonShape.of(type, Json::node);
  }

  static Json of(Type type) {
    return new Json(MAPPER.constructType(type));
  }

  /** The fingerprint of the type's JSON, the same under Jackson 2. */
  byte[] shape() {
    return shape;
  }

  private static JsonShape.Node<JavaType> node(JavaType type) {
    Class<?> raw = type.getRawClass();
    Map<String, JavaType> parts = new HashMap<>();
    if (type.isContainerType() || type.isReferenceType()) {
      put(parts, "key", type.getKeyType());
      put(parts, "content", type.getContentType());
    } else if (raw.isEnum()) {
      return new JsonShape.Node<>(
          Arrays.stream(raw.getEnumConstants())
              .map(constant -> ((Enum<?>) constant).name())
              .sorted()
              .toList()
              .toString(),
          parts);
    } else if (!raw.isPrimitive() && !LEAVES.matcher(raw.getName()).lookingAt()) {
      describe(type, parts);
      return new JsonShape.Node<>(parts.isEmpty() ? raw.getName() : "", parts);
    }
    return new JsonShape.Node<>(raw.isArray() ? "[]" : raw.getName(), parts);
  }

  private static void put(Map<String, JavaType> parts, String name, @Nullable JavaType part) {
    if (part != null) {
      parts.put(name, part);
    }
  }

  private static void describe(JavaType type, Map<String, JavaType> parts) {
    for (MapperConfig<?> config :
        List.of(MAPPER.serializationConfig(), MAPPER.deserializationConfig())) {
      BeanDescription bean = bean(config, type);
      for (BeanPropertyDefinition property : bean.findProperties()) {
        AnnotatedMember member = property.getPrimaryMember();
        String name = property.getName();
        if (member != null) {
          JsonFormat.Value format = config.getAnnotationIntrospector().findFormat(config, member);
          name += JsonShape.name(format);
          subtypes(config.getAnnotationIntrospector().findSubtypes(config, member), name, parts);
        }
        parts.put(name, property.getPrimaryType());
      }
      subtypes(
          config.getSubtypeResolver().collectAndResolveSubtypesByClass(config, bean.getClassInfo()),
          "",
          parts);
    }
  }

  private static BeanDescription bean(MapperConfig<?> config, JavaType type) {
    ClassIntrospector introspector = config.classIntrospectorInstance();
    AnnotatedClass annotated = introspector.introspectClassAnnotations(type);
    return config instanceof SerializationConfig
        ? introspector.introspectForSerialization(type, annotated)
        : introspector.introspectForDeserialization(type, annotated);
  }

  private static void subtypes(
      @Nullable Collection<NamedType> subtypes, String property, Map<String, JavaType> parts) {
    if (subtypes != null) {
      for (NamedType subtype : subtypes) {
        String name = subtype.hasName() ? subtype.getName() : subtype.getType().getSimpleName();
        parts.put(property + " is " + name, MAPPER.constructType(subtype.getType()));
      }
    }
  }

  /** The first part of the type that no JSON can be read as; null if there is none. */
  @Nullable Class<?> unreadable() {
    return unreadable(type);
  }

  private static @Nullable Class<?> unreadable(JavaType type) {
    if (type.isContainerType() || type.isReferenceType()) {
      JavaType content = type.getContentType();
      return content == null ? null : unreadable(content);
    }
    if (!type.isAbstract() || type.isPrimitive()) {
      return null;
    }
    try {
      return MAPPER._deserializationContext().findRootValueDeserializer(type)
              instanceof AbstractDeserializer
          ? type.getRawClass()
          : null;
    } catch (JacksonException e) {
      return type.getRawClass();
    }
  }

  /**
   * @throws JsonFailure if JSON cannot express the value
   */
  byte[] write(Object value) {
    try {
      return MAPPER.writerFor(type).writeValueAsBytes(value);
    } catch (JacksonException e) {
      throw new JsonFailure(e);
    }
  }

  /**
   * @throws JsonFailure if the bytes are no value of the type
   */
  <V> @Nullable V read(byte[] bytes) {
    try {
      return MAPPER.readValue(bytes, type);
    } catch (JacksonException e) {
      throw new JsonFailure(e);
    }
  }

  /**
   * The same text for the same JSON but for the order of fields and elements: sets have none.
   *
   * @param bytes what {@link #write} returned
   */
  static String canonical(byte[] bytes) {
    return canonical(MAPPER.readTree(bytes));
  }

  private static String canonical(JsonNode node) {
    if (node.isObject()) {
      return node.properties().stream()
          .map(field -> field.getKey() + ":" + canonical(field.getValue()))
          .sorted()
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (node.isArray()) {
      return StreamSupport.stream(node.spliterator(), false)
          .map(Json::canonical)
          .sorted()
          .collect(Collectors.joining(",", "[", "]"));
    }
    return node.toString();
  }
}
