package io.bloomguard.json.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.deser.AbstractDeserializer;
import com.fasterxml.jackson.databind.deser.DefaultDeserializationContext;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of one type, as Jackson 2 writes and reads it. The text is that of Jackson 3, so that
 * processes on either generation of Spring Boot share values.
 */
final class Json {

  /** Mappers of our own: the application's may write types into the values. */
  private static final JsonMapper MAPPER =
      builder(JsonMapper.builder().annotationIntrospector(new JsonForms()))
          .addModule(JsonForms.module())
          .build();

  /** Reads any JSON, whatever type it was written by. */
  private static final JsonMapper PLAIN = builder(JsonMapper.builder()).build();

  private final JavaType type;
  private final byte[] shape;

  private Json(JavaType type) {
    this.type = type;
    this.shape = JsonShape.of(type, JsonTypes::node);
  }

  /** Jackson 3's defaults, and our own three of dates. */
  private static JsonMapper.Builder builder(JsonMapper.Builder made) {
    JsonMapper.Builder builder =
        made.disable(
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
    return builder;
  }

  private JsonMapper mapper() {
    return type.isJavaLangObject() ? PLAIN : MAPPER;
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

  /** Jackson's settings for writing and for reading. */
  static List<MapperConfig<?>> configs() {
    return List.of(MAPPER.getSerializationConfig(), MAPPER.getDeserializationConfig());
  }

  static BeanDescription bean(MapperConfig<?> config, JavaType type) {
    return config instanceof SerializationConfig serialization
        ? serialization.introspect(type)
        : MAPPER.getDeserializationConfig().introspect(type);
  }

  /** The JSON of a constant; empty if it has none. */
  static String text(Object constant) {
    try {
      return MAPPER.writeValueAsString(constant);
    } catch (JsonProcessingException e) {
      return "";
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
      return mapper().writerFor(JsonForms.written(type)).writeValueAsBytes(value);
    } catch (JsonProcessingException | RuntimeException e) {
      throw new JsonFailure(e);
    }
  }

  /**
   * @throws JsonFailure if the bytes are no value of the type
   */
  <V> @Nullable V read(byte[] bytes) {
    try {
      return mapper().readValue(bytes, type);
    } catch (IOException | RuntimeException e) {
      throw new JsonFailure(e);
    }
  }
}
