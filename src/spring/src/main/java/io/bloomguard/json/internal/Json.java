package io.bloomguard.json.internal;

import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;

/** The JSON of one type, as Jackson 3 writes and reads it. */
final class Json {

  /** Mappers of our own: the application's may write types into the values. */
  private static final JsonMapper MAPPER =
      builder().annotationIntrospector(new JsonForms()).addModule(JsonForms.module()).build();

  /** Reads any JSON, whatever type it was written by. */
  private static final JsonMapper PLAIN = builder().build();

  private final JavaType type;
  private final byte[] shape;

  private Json(JavaType type) {
    this.type = type;
    this.shape = JsonShape.of(type, JsonTypes::node);
  }

  private static JsonMapper.Builder builder() {
    return JsonMapper.builder()
        .findAndAddModules()
        .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
        .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
        .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID);
  }

  private JsonMapper mapper() {
    return type.isJavaLangObject() ? PLAIN : MAPPER;
  }

  static Json of(Type type) {
    return new Json(MAPPER.constructType(type));
  }

  /** The fingerprint of the type's JSON, the same under Jackson 2. */
  byte[] shape() {
    return shape;
  }

  /** Jackson's settings for writing and for reading. */
  static List<MapperConfig<?>> configs() {
    return List.of(MAPPER.serializationConfig(), MAPPER.deserializationConfig());
  }

  static BeanDescription bean(MapperConfig<?> config, JavaType type) {
    ClassIntrospector introspector = config.classIntrospectorInstance();
    AnnotatedClass annotated = introspector.introspectClassAnnotations(type);
    return config instanceof SerializationConfig
        ? introspector.introspectForSerialization(type, annotated)
        : introspector.introspectForDeserialization(type, annotated);
  }

  /** The JSON of a constant; empty if it has none. */
  static String text(Object constant) {
    try {
      return MAPPER.writeValueAsString(constant);
    } catch (JacksonException e) {
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
      return mapper().writerFor(JsonForms.written(type)).writeValueAsBytes(value);
    } catch (RuntimeException e) {
      throw new JsonFailure(e);
    }
  }

  /**
   * @throws JsonFailure if the bytes are no value of the type
   */
  <V> @Nullable V read(byte[] bytes) {
    try {
      return mapper().readValue(bytes, type);
    } catch (RuntimeException e) {
      throw new JsonFailure(e);
    }
  }
}
