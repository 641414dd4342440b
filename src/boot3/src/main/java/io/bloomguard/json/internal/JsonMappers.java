package io.bloomguard.json.internal;

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
import java.util.List;

/** Jackson 2, set to write and read the text of Jackson 3: both generations share values. */
final class JsonMappers {

  /** Mappers of our own: the application's may write types into the values. */
  static final JsonMapper OURS =
      builder(JsonMapper.builder().annotationIntrospector(new JsonForms()))
          .addModule(JsonForms.module())
          .build();

  /** Reads any JSON, whatever type it was written by. */
  static final JsonMapper PLAIN = builder(JsonMapper.builder()).build();

  private JsonMappers() {}

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

  /** Apart from its caller, for the module of dates may be absent. */
  private static final class Times {

    static Module asWritten() {
      return new JavaTimeModule().disable(JavaTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID);
    }
  }

  /** Jackson's settings for writing and for reading. */
  static List<MapperConfig<?>> configs() {
    return List.of(OURS.getSerializationConfig(), OURS.getDeserializationConfig());
  }

  static BeanDescription bean(MapperConfig<?> config, JavaType type) {
    return config instanceof SerializationConfig serialization
        ? serialization.introspect(type)
        : OURS.getDeserializationConfig().introspect(type);
  }

  /** Whether Jackson has no way to read an abstract type. */
  static boolean isUnreadable(JavaType type) {
    try {
      return ((DefaultDeserializationContext) OURS.getDeserializationContext())
              .createDummyInstance(OURS.getDeserializationConfig())
              .findRootValueDeserializer(type)
          instanceof AbstractDeserializer;
    } catch (JsonMappingException e) {
      return true;
    }
  }
}
