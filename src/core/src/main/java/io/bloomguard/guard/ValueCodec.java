package io.bloomguard.guard;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * The codec that turns values into bytes from which equal values can be read. It refuses values
 * that it cannot keep, with one warning.
 */
public interface ValueCodec {

  /**
   * {@return the reason why no value of a declared type could be read back, as a clause; null if
   * some might}
   *
   * @param declared the declared type, with its type arguments
   */
  @Nullable String refusal(Type declared);

  /**
   * {@return the bytes of {@code value}, of which the first is neither 0 nor 1; null if the value
   * read from them would not be equal to it}
   *
   * @param value the value, never null
   * @param type the declared type of the value
   */
  byte @Nullable [] write(Object value, ValueType<?> type);

  /**
   * {@return the value of bytes that {@link #write} returned, or null if it cannot be read as
   * {@code type}}
   *
   * @param <V> the type of the value
   * @param bytes all bytes that {@link #write} returned
   * @param type the declared type of the value
   */
  <V> @Nullable V read(byte[] bytes, ValueType<V> type);
}
