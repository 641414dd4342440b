package io.bloomguard.json;

import java.lang.reflect.Type;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.json.JsonMapper;

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

  private final JavaType type;

  private Json(JavaType type) {
    this.type = type;
  }

  static Json of(Type type) {
    return new Json(MAPPER.constructType(type));
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
