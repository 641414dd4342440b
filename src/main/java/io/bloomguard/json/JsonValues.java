package io.bloomguard.json;

import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.ValueType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.json.JsonMapper;

/**
 * The values of one cache as JSON, read back as the type the caller declares and as nothing else.
 *
 * <p>Each value is read back before it is kept, and compared: its class, that of its elements, its
 * JSON, and by {@code equals} where two copies of it are equal.
 */
public final class JsonValues implements ValueCodec {

  /** A mapper of our own: the application's may write types into the values. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .findAndAddModules()
          .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
          .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
          .build();

  private static final Logger LOG = LoggerFactory.getLogger(JsonValues.class);

  private final String cache;
  private final AtomicBoolean warnedOfWrite = new AtomicBoolean();
  private final AtomicBoolean warnedOfRead = new AtomicBoolean();

  /**
   * @param cache the cache's name, for messages
   */
  public JsonValues(String cache) {
    this.cache = cache;
  }

  @Override
  public @Nullable String refusal(Type declared) {
    return refusal(JSON.constructType(declared));
  }

  private static @Nullable String refusal(JavaType type) {
    if (type.isContainerType() || type.isReferenceType()) {
      JavaType content = type.getContentType();
      return content == null ? null : refusal(content);
    }
    if (!type.isAbstract() || type.isPrimitive()) {
      return null;
    }
    try {
      return JSON._deserializationContext().findRootValueDeserializer(type)
              instanceof AbstractDeserializer
          ? abstractType(type)
          : null;
    } catch (JacksonException e) {
      return abstractType(type);
    }
  }

  private static String abstractType(JavaType type) {
    return type.getRawClass().getTypeName()
        + (type.isInterface() ? " is an interface" : " is an abstract class")
        + ", which no JSON can be read as";
  }

  @Override
  public byte @Nullable [] write(Object value, ValueType<?> type) {
    try {
      JavaType declared = JSON.constructType(type.type());
      byte[] bytes = JSON.writerFor(declared).writeValueAsBytes(value);
      String lost = lost(value, bytes, declared);
      if (lost == null) {
        return bytes;
      }
      refused(value, lost);
    } catch (JacksonException | IllegalArgumentException e) {
      refused(value, "JSON cannot say it (" + e.getClass().getSimpleName() + ")");
    }
    return null;
  }

  @Override
  public <V> @Nullable V read(byte[] bytes, ValueType<V> type) {
    try {
      return JSON.readValue(bytes, JSON.constructType(type.type()));
    } catch (JacksonException e) {
      // Written by another version of the application, perhaps: it is loaded again.
      if (!warnedOfRead.getAndSet(true)) {
        LOG.warn(
            "Cache '{}': a value cannot be read as {} and is loaded again: {}",
            cache,
            type.type().getTypeName(),
            e.getClass().getSimpleName());
      }
      return null;
    }
  }

  /** The part of {@code value} that would be lost, as a clause; null for nothing. */
  private static @Nullable String lost(Object value, byte[] bytes, JavaType declared) {
    Object back = JSON.readValue(bytes, declared);
    if (back == null) {
      return "it comes back as null";
    }
    String other = otherClass(value, back);
    if (other != null) {
      return other;
    }
    byte[] again = JSON.writerFor(declared).writeValueAsBytes(back);
    if (!Arrays.equals(bytes, again)
        && !canonical(JSON.readTree(bytes)).equals(canonical(JSON.readTree(again)))) {
      return "some of it is not read back";
    }
    // Without an equals of its own even a second copy of a value is another one.
    boolean equal =
        Objects.deepEquals(value, back)
            || !Objects.deepEquals(back, JSON.readValue(bytes, declared));
    return equal ? null : "it does not come back equal";
  }

  /** The classes of a value and its copy, where they differ: such as a subclass of the declared. */
  private static @Nullable String otherClass(@Nullable Object value, @Nullable Object back) {
    if (value == null || back == null) {
      return null;
    }
    if (value instanceof List<?> list && back instanceof List<?> copy) {
      return otherElement(list.iterator(), copy.iterator());
    }
    if (value instanceof Object[] array && back instanceof Object[] copy) {
      return otherElement(Arrays.asList(array).iterator(), Arrays.asList(copy).iterator());
    }
    if (value instanceof Map<?, ?> map && back instanceof Map<?, ?> copy) {
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        String other = otherClass(entry.getValue(), copy.get(entry.getKey()));
        if (other != null) {
          return other;
        }
      }
      return null;
    }
    boolean sets = value instanceof Iterable && back instanceof Iterable;
    boolean same = sets || value instanceof Enum || value.getClass() == back.getClass();
    return same
        ? null
        : "a "
            + value.getClass().getTypeName()
            + " comes back as a "
            + back.getClass().getTypeName();
  }

  private static @Nullable String otherElement(Iterator<?> values, Iterator<?> copies) {
    while (values.hasNext() && copies.hasNext()) {
      String other = otherClass(values.next(), copies.next());
      if (other != null) {
        return other;
      }
    }
    return null;
  }

  /** The same text for the same JSON but for the order of fields and elements: sets have none. */
  private static String canonical(JsonNode node) {
    if (node.isObject()) {
      return node.properties().stream()
          .map(field -> field.getKey() + ":" + canonical(field.getValue()))
          .sorted()
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (node.isArray()) {
      return StreamSupport.stream(node.spliterator(), false)
          .map(JsonValues::canonical)
          .sorted()
          .collect(Collectors.joining(",", "[", "]"));
    }
    return node.toString();
  }

  private void refused(Object value, String reason) {
    if (!warnedOfWrite.getAndSet(true)) {
      LOG.warn(
          "Cache '{}': a {} is not kept, nor are other such values; each call loads it: {}. Declare"
              + " caching = NULLS, or return a record that JSON can express",
          cache,
          value.getClass().getTypeName(),
          reason);
    }
  }
}
