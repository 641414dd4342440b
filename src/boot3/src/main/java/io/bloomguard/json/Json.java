package io.bloomguard.json;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.deser.AbstractDeserializer;
import com.fasterxml.jackson.databind.deser.DefaultDeserializationContext;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
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

/**
 * The JSON of one type, as Jackson 2 writes and reads it; all that is known of Jackson. The text is
 * that of Jackson 3, so that processes on either generation of Spring Boot share values.
 */
final class Json {

  /** A mapper of our own: the application's may write types into the values. */
  private static final JsonMapper MAPPER = mapper();

  /** Types with one form, which no version of an application changes. */
  private static final Pattern LEAVES =
      Pattern.compile("javax?\\.|kotlinx?\\.|tools\\.jackson\\.|com\\.fasterxml\\.jackson\\.");

  private final JavaType type;
  private final byte[] shape;

  private Json(JavaType type) {
    this.type = type;
    this.shape = JsonShape.of(type, Json::node);
  }

  /** Jackson 3's defaults, and our own three of dates. */
  private static JsonMapper mapper() {
    JsonMapper.Builder builder =
        JsonMapper.builder()
            .disable(
                SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
                SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS,
                SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .enable(
                SerializationFeature.WRITE_DATES_WITH_ZONE_ID,
                SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
            .disable(
                DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(
                DeserializationFeature.READ_ENUMS_USING_TO_STRING,
                DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(
                MapperFeature.ALLOW_FINAL_FIELDS_AS_MUTATORS, MapperFeature.USE_GETTERS_AS_SETTERS)
            .enable(
                MapperFeature.SORT_PROPERTIES_ALPHABETICALLY,
                MapperFeature.SORT_CREATOR_PROPERTIES_BY_DECLARATION_ORDER)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);
    for (Module module : JsonMapper.Builder.findModules()) {
      boolean times =
          module
              .getClass()
              .getName()
              .equals("com.fasterxml.jackson.datatype.jsr310.JavaTimeModule");
      builder.addModule(times ? Times.asWritten() : module);
    }
    return builder.build();
  }

  /** Apart from its caller, for the module of dates may be absent. */
  private static final class Times {

    static Module asWritten() {
      return new JavaTimeModule().disable(JavaTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID);
    }
  }

  static Json of(Type type) {
    return new Json(MAPPER.constructType(type));
  }

  /** The fingerprint of the type's JSON, the same under Jackson 3. */
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
        List.of(MAPPER.getSerializationConfig(), MAPPER.getDeserializationConfig())) {
      BeanDescription bean = bean(config, type);
      for (BeanPropertyDefinition property : bean.findProperties()) {
        AnnotatedMember member = property.getPrimaryMember();
        String name = property.getName();
        if (member != null) {
          JsonFormat.Value format = config.getAnnotationIntrospector().findFormat(member);
          name += JsonShape.name(format);
          subtypes(config.getAnnotationIntrospector().findSubtypes(member), name, parts);
        }
        parts.put(name, property.getPrimaryType());
      }
      subtypes(
          config
              .getSubtypeResolver()
              .collectAndResolveSubtypesByClass(config, bean.getClassInfo()),
          "",
          parts);
    }
  }

  private static BeanDescription bean(MapperConfig<?> config, JavaType type) {
    return config instanceof SerializationConfig serialization
        ? serialization.introspect(type)
        : MAPPER.getDeserializationConfig().introspect(type);
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
      return ((DefaultDeserializationContext) MAPPER.getDeserializationContext())
                  .createDummyInstance(MAPPER.getDeserializationConfig())
                  .findRootValueDeserializer(type)
              instanceof AbstractDeserializer
          ? type.getRawClass()
          : null;
    } catch (JsonMappingException e) {
      return type.getRawClass();
    }
  }

  /**
   * @throws JsonFailure if JSON cannot express the value
   */
  byte[] write(Object value) {
    try {
      return MAPPER.writerFor(type).writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new JsonFailure(e);
    }
  }

  /**
   * @throws JsonFailure if the bytes are no value of the type
   */
  <V> @Nullable V read(byte[] bytes) {
    try {
      return MAPPER.readValue(bytes, type);
    } catch (IOException e) {
      throw new JsonFailure(e);
    }
  }

  /**
   * The same text for the same JSON but for the order of fields and elements: sets have none.
   *
   * @param bytes what {@link #write} returned
   */
  static String canonical(byte[] bytes) {
    try {
      return canonical(MAPPER.readTree(bytes));
    } catch (IOException e) {
      throw new JsonFailure(e);
    }
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
