package io.bloomguard.guard;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All guards of an application, by filter. */
public interface BloomGuards {

  /** The names of the configured filters. */
  Set<String> filters();

  /** Whether a filter has one for each subject, so that a key alone is not enough. */
  default boolean isBySubject(String filter) {
    return false;
  }

  /**
   * Which keys the guards of {@code filter} reject: those that it lacks or, of a blacklist, those
   * that it holds.
   */
  default Reject rejects(String filter) {
    return Reject.ABSENT;
  }

  /**
   * The guard of {@code filter} and the cache of the same name, for decisions and untyped values.
   */
  default BloomGuard<Object> guard(String filter) {
    return guard(filter, filter, new ValueType<>(Object.class), EntryPoint.METHOD);
  }

  /** The guard of {@code filter} and the cache of the same name, for values of {@code type}. */
  default <V> BloomGuard<V> guard(String filter, Class<V> type) {
    return guard(filter, filter, ValueType.of(type), EntryPoint.METHOD);
  }

  /**
   * The guard of one subject's filter, such as of what one user has read. It decides only: {@code
   * get} loads each time.
   *
   * @param subject 1 to 128 characters of {@code [A-Za-z0-9._~-]}
   * @throws UnknownFilterException if no such filter is configured
   * @throws SubjectException if the filter has none by subject, or the subject breaks the rule
   */
  default BloomGuard<Object> guard(String filter, String subject) {
    return guard(filter, subject, EntryPoint.METHOD);
  }

  /** The same for another entry. */
  default BloomGuard<Object> guard(String filter, String subject, EntryPoint entry) {
    throw SubjectException.unexpected(filter);
  }

  /**
   * The guard of {@code filter} with the value cache {@code cache}.
   *
   * @throws UnknownFilterException if no such filter is configured
   * @throws SubjectException if the filter is one by subject
   * @throws CacheKeysException if the cache is another filter's that holds other keys equal
   * @throws CacheUseException if the cache lives where another filter has it, not this one
   */
  <V> BloomGuard<V> guard(String filter, String cache, ValueType<V> type, EntryPoint entry);

  /**
   * The same for a caller that the log names where a rejection was wrong.
   *
   * @param caller what asks: a method, or the pattern of a web rule; never a key
   * @throws UnknownFilterException if no such filter is configured
   */
  default <V> BloomGuard<V> guard(
      String filter, String cache, ValueType<V> type, EntryPoint entry, String caller) {
    return guard(filter, cache, type, entry);
  }

  /**
   * Notes with what a caller asks a filter, which builds compare to what the source yields.
   *
   * @param keyType the declared type of the key
   * @param caller a method, or the pattern of a web rule
   * @return why no key of the last build could be that, with both types; null for nothing
   */
  default @Nullable String asked(String filter, Class<?> keyType, String caller) {
    return null;
  }

  /**
   * The same for a caller that says how the entries of its cache are kept.
   *
   * @param overrides what it sets; null if it takes the cache as the others have it
   * @throws CacheUseException if another user of the cache wants it otherwise, or it could never
   *     give values of that type back
   */
  default <V> BloomGuard<V> guard(
      String filter,
      String cache,
      ValueType<V> type,
      EntryPoint entry,
      String caller,
      @Nullable CacheOverrides overrides) {
    return guard(filter, cache, type, entry, caller);
  }
}
