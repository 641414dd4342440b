package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.internal.KeyWrites;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A key, or a collection of keys, that a method writes.
 *
 * @param filter the name of the filter to which it is written
 * @param writes the writes of that filter
 * @param key reads it
 * @param after whether it is read after the method has returned
 * @param name annotation, method and expression, in the form for messages
 */
public record WrittenKey(
    String filter, KeyWrites writes, CompiledKey key, boolean after, String name) {

  private static final Logger LOG = LoggerFactory.getLogger(WrittenKey.class);

  /**
   * The keys of one call.
   *
   * @throws IllegalStateException if one is null: the fault is in the written row, not in a
   *     caller's key
   */
  Collection<?> of(@Nullable Object[] arguments, @Nullable Object result) {
    Object read = key.extract(arguments, result);
    if (read == null) {
      throw isNull();
    }
    if (key.isOfParts()
        || !key.plural() && !(read instanceof Iterable<?>) && !read.getClass().isArray()) {
      return List.of(read);
    }
    Collection<?> keys = MultiKeyCalls.keys(read);
    if (Collections.frequency(keys, null) > 0) {
      throw isNull();
    }
    return keys;
  }

  /**
   * The keys of one call, with the scope of that call.
   *
   * @param context that of a subscriber; null for the calling thread
   */
  Collection<?> of(
      @Nullable Object[] arguments, @Nullable Object result, @Nullable Object context) {
    return writes.scoped(of(arguments, result), context);
  }

  private IllegalStateException isNull() {
    String message =
        name
            + (after
                ? " is null after the method has returned: the write is refused. Use another"
                    + " expression"
                : " is null before the method runs: the write is refused. A key that is drawn by"
                    + " the database, or set after the write, needs when = AFTER");
    LOG.error(message);
    return new IllegalStateException(message);
  }
}
