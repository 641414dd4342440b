package io.bloomguard.json.internal;

import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.ValueType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The values of one cache as JSON, read back as the type the caller declares and as nothing else.
 *
 * <p>The JSON of a value follows a byte that no JSON begins with and the {@link JsonShape} of the
 * declared type: a value of another shape, which another version of the application wrote, is not
 * read.
 *
 * <p>Each value is read back before it is kept, and compared by its JSON and by its fields ({@link
 * JsonLoss}).
 */
public final class JsonValues implements ValueCodec {

  private static final Logger LOG = LoggerFactory.getLogger(JsonValues.class);

  private static final byte MARK = 2;
  private static final int HEADER = 1 + JsonShape.LENGTH;

  private static final Json ANY = Json.of(Object.class);

  private final String cache;

  /** As many as the application declares. */
  private final Map<Type, Json> known = new ConcurrentHashMap<>();

  /** The texts of the warnings, each of which is said once. */
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * @param cache the cache's name, for messages
   */
  public JsonValues(String cache) {
    this.cache = cache;
  }

  @Override
  public @Nullable String refusal(Type declared) {
    Class<?> unreadable = json(declared).unreadable();
    return unreadable == null
        ? null
        : unreadable.getTypeName()
            + (unreadable.isInterface() ? " is an interface" : " is an abstract class")
            + ", which no JSON can be read as";
  }

  @Override
  public byte @Nullable [] write(Object value, ValueType<?> type) {
    try {
      Json json = json(type.type());
      byte[] bytes = json.write(value);
      String lost = lost(value, bytes, json);
      if (lost == null) {
        return ByteBuffer.allocate(HEADER + bytes.length)
            .put(MARK)
            .put(json.shape())
            .put(bytes)
            .array();
      }
      refused(value, lost);
    } catch (Exception e) {
      refused(value, "JSON cannot say it (" + e.getClass().getSimpleName() + ")");
    }
    return null;
  }

  @Override
  public <V> @Nullable V read(byte[] bytes, ValueType<V> type) {
    try {
      Json json = json(type.type());
      // Object has no shape: an operator's look takes a value of any.
      if (type.type() == Object.class ? isMarked(bytes) : isOf(json.shape(), bytes)) {
        return json.read(Arrays.copyOfRange(bytes, HEADER, bytes.length));
      }
      warn(
          "Cache '{}': values with other properties than those of {} are loaded again. Another"
              + " version of the application wrote them; or two applications keep values of"
              + " different types there, which need caches of their own (or another"
              + " bloomguard.redis.key-prefix)",
          type.type(),
          null);
      return null;
    } catch (Exception e) {
      warn(
          "Cache '{}': a value cannot be read as {} and is loaded again: {}",
          type.type(),
          e.getClass().getSimpleName());
      return null;
    }
  }

  private Json json(Type type) {
    Json there = known.get(type);
    return there == null ? known.computeIfAbsent(type, Json::of) : there;
  }

  private static boolean isMarked(byte[] bytes) {
    return bytes.length >= HEADER && bytes[0] == MARK;
  }

  private static boolean isOf(byte[] shape, byte[] bytes) {
    return isMarked(bytes) && Arrays.equals(shape, 0, shape.length, bytes, 1, HEADER);
  }

  /** The part of {@code value} that would be lost, as a clause; null for nothing. */
  private static @Nullable String lost(Object value, byte[] bytes, Json json) throws Exception {
    Object back = json.read(bytes);
    if (back == null) {
      return "it comes back as null";
    }
    // First the JSON: what a getter computes late is then there in both.
    byte[] again = json.write(back);
    String other = JsonLoss.of(value, back);
    if (other != null) {
      return other;
    }
    return Arrays.equals(bytes, again)
            || canonical(ANY.read(bytes)).equals(canonical(ANY.read(again)))
        ? null
        : "some of it is not read back";
  }

  /** Equal for the same JSON but for the order of fields and elements: sets have none. */
  private static Object canonical(@Nullable Object json) {
    Map<@Nullable Object, Object> parts = new HashMap<>();
    if (json instanceof Map<?, ?> map) {
      map.forEach((name, value) -> parts.put(name, canonical(value)));
      return parts;
    }
    if (json instanceof List<?> list) {
      list.forEach(each -> parts.merge(canonical(each), 1, (a, b) -> (Integer) a + (Integer) b));
      return List.of(parts);
    }
    return Optional.ofNullable(json);
  }

  private void refused(Object value, String reason) {
    warn(
        "Cache '{}': a {} is not kept, nor are other such values; each call loads it: {}. Declare"
            + " caching = NULLS, or return a record that JSON can express",
        value.getClass(),
        reason);
  }

  private void warn(String text, Type type, @Nullable String reason) {
    if (warned.add(text)) {
      LOG.warn(text, cache, type.getTypeName(), reason);
    }
  }
}
