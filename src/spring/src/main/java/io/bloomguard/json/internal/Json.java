package io.bloomguard.json.internal;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON of one type, as Jackson writes and reads it. The build for Spring Boot 3 makes that of
 * Jackson 2 of it.
 */
final class Json {

  private final JavaType type;
  private final JsonMapper mapper;
  private final byte[] shape;

  private Json(JavaType type) {
    this.type = type;
    this.mapper = type.isJavaLangObject() ? JsonMappers.PLAIN : JsonMappers.OURS;
    this.shape = JsonShape.of(type);
  }

  static Json of(Type type) {
    return new Json(JsonMappers.OURS.constructType(type));
  }

  /** The fingerprint of the type's JSON, the same under Jackson 2 and 3. */
  byte[] shape() {
    return shape;
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
    return type.isAbstract() && !type.isPrimitive() && JsonMappers.isUnreadable(type)
        ? type.getRawClass()
        : null;
  }

  /**
   * @throws Exception of Jackson, if JSON cannot express the value
   */
  byte[] write(Object value) throws Exception {
    return mapper.writerFor(JsonForms.written(type)).writeValueAsBytes(value);
  }

  /**
   * @throws Exception if the bytes are no value of the type
   */
  <V> @Nullable V read(byte[] bytes) throws Exception {
    return mapper.readValue(bytes, type);
  }
}
