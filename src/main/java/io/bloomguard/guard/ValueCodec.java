package io.bloomguard.guard;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * The codec that turns values into bytes from which equal values can be read. It refuses values
 * that it cannot keep, with one warning.
 */
public interface ValueCodec {

  /**
   * The reason why no value of a declared type could be read back, as a clause; null if some might.
   */
  @Nullable String refusal(Type declared);

  /**
   * The bytes of {@code value}, of which the first is neither 0 nor 1; null if the value read from
   * them would not be equal to it.
   */
  byte @Nullable [] write(Object value, ValueType<?> type);

  /**
   * The value of bytes that {@link #write} returned, or null if it cannot be read as {@code type}.
   */
  <V> @Nullable V read(byte[] bytes, ValueType<V> type);
}
