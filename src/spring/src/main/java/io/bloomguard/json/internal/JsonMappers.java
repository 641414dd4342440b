package io.bloomguard.json.internal;

import java.util.List;
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

/**
 * Jackson 3, as far as it differs from Jackson 2, for which the build for Spring Boot 3 has one.
 */
final class JsonMappers {

  /** Mappers of our own: the application's may write types into the values. */
  static final JsonMapper OURS =
      builder().annotationIntrospector(new JsonForms()).addModule(JsonForms.module()).build();

  /** Reads any JSON, whatever type it was written by. */
  static final JsonMapper PLAIN = builder().build();

  private JsonMappers() {}

  private static JsonMapper.Builder builder() {
    return JsonMapper.builder()
        .findAndAddModules()
        .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
        .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
        .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID);
  }

  /** Jackson's settings for writing and for reading. */
  static List<MapperConfig<?>> configs() {
    return List.of(OURS.serializationConfig(), OURS.deserializationConfig());
  }

  static BeanDescription bean(MapperConfig<?> config, JavaType type) {
    ClassIntrospector introspector = config.classIntrospectorInstance();
    AnnotatedClass annotated = introspector.introspectClassAnnotations(type);
    return config instanceof SerializationConfig
        ? introspector.introspectForSerialization(type, annotated)
        : introspector.introspectForDeserialization(type, annotated);
  }

  /** Whether Jackson has no way to read an abstract type. */
  static boolean isUnreadable(JavaType type) {
    try {
      return OURS._deserializationContext().findRootValueDeserializer(type)
          instanceof AbstractDeserializer;
    } catch (JacksonException e) {
      return true;
    }
  }
}
