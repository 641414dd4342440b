package io.bloomguard.guard;

import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A type whose instances say by themselves whether they carry a value, such as a response with a
 * status. Beans of this type are asked for instances of subclasses too; the nearest class counts,
 * and a bean of the application before one of the library.
 *
 * <p>An exception of the type that reads as {@link Finding#NOTHING} shows that a key is absent.
 *
 * @param <T> the type
 */
public interface AnswerType<T> {

  /** {@return the class or interface} */
  Class<T> type();

  /**
   * {@return what an answer shows of its key}
   *
   * @param answer not null
   */
  Finding read(T answer);

  /**
   * {@return the answer for an absent key; null if there is none} Methods of the type then need
   * {@code onAbsent = THROW}.
   */
  @Nullable T absent();

  /**
   * {@return what an answer of {@link Finding#VALUE} carries, which is judged in its place} Null,
   * the default, if the answer is the value itself.
   *
   * @param answer not null
   */
  default @Nullable Object content(T answer) {
    return null;
  }

  /**
   * {@return whether answers belong to one request} Those are never kept, and by default methods of
   * the type keep no null entries.
   */
  default boolean ofOneRequest() {
    return false;
  }

  /**
   * {@return an answer type}
   *
   * @param <T> the type
   * @param type its class
   * @param read what an answer shows of its key
   * @param absent makes the answer for an absent key
   */
  static <T> AnswerType<T> of(
      Class<T> type, Function<? super T, Finding> read, Supplier<? extends @Nullable T> absent) {
    return new AnswerType<>() {
      @Override
      public Class<T> type() {
        return type;
      }

      @Override
      public Finding read(T answer) {
        return read.apply(answer);
      }

      @Override
      public @Nullable T absent() {
        return absent.get();
      }
    };
  }
}
