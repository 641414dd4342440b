package io.bloomguard.guard.internal.cache;

import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.OwnedValues;
import java.lang.reflect.Type;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The values of one cache that may be kept and handed to several callers.
 *
 * <p>A declared type may leave the class of its values open. The first value that turns out to
 * belong to one caller ends the sharing of all values of that type in this process, so that callers
 * do not wait for values that they will not get.
 */
public final class Sharing {

  private static final Logger LOG = LoggerFactory.getLogger(Sharing.class);

  private final String cache;
  private final OwnedValues owned;
  private final @Nullable ValueCodec copier;

  /** The types whose values turned out to be owned: no more than the guards of the cache have. */
  private final Set<Type> ended = ConcurrentHashMap.newKeySet();

  /**
   * @param copier makes the copies, if each caller gets its own instance; null if all get the same
   */
  public Sharing(String cache, OwnedValues owned, @Nullable ValueCodec copier) {
    this.cache = cache;
    this.owned = owned;
    this.copier = copier;
  }

  /** Whether values of {@code type} are shared, as far as is known so far. */
  public boolean shares(ValueType<?> type) {
    return type.shared() && !ended.contains(type.type());
  }

  /** Whether {@code value}, which was loaded as {@code type}, may be shared. */
  public boolean shares(ValueType<?> type, Object value) {
    if (!shares(type)) {
      return false;
    }
    String reason = owned.reasonOfValue(value);
    if (reason == null) {
      return copier == null || copied(copier, type, value);
    }
    if (ended.add(type.type())) {
      LOG.warn(
          "Cache '{}' keeps no values of type {}, and each caller loads for itself from now on: {}."
              + " Declare caching = NULLS, or answer a value that may be shared",
          cache,
          type.type().getTypeName(),
          reason);
    }
    return false;
  }

  /**
   * False if the value cannot be copied: it belongs to its caller, and the copier has logged a
   * warning.
   */
  private boolean copied(ValueCodec by, ValueType<?> type, Object value) {
    if (by.write(value, type) != null) {
      return true;
    }
    ended.add(type.type());
    return false;
  }

  /** A further caller's copy of a value that may be shared; null if it must load its own. */
  public <V> @Nullable V another(ValueType<V> type, V value) {
    if (copier == null) {
      return value;
    }
    byte[] bytes = copier.write(value, type);
    return bytes == null ? null : copier.read(bytes, type);
  }
}
