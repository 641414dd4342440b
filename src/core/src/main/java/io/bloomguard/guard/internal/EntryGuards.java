package io.bloomguard.guard.internal;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.CacheUseException;
import io.bloomguard.guard.SubjectException;
import io.bloomguard.guard.UnknownFilterException;
import io.bloomguard.guard.ValueType;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All guards of an application, by filter, as its entry points ask for them: annotated methods, web
 * rules, the writes of entities and the server.
 */
public interface EntryGuards {

  /** {@return the names of the configured filters} */
  Set<String> filters();

  /**
   * {@return whether a filter consists of one filter for each subject, so that a key alone is not
   * enough}
   *
   * @param filter the name of a configured filter
   */
  default boolean isBySubject(String filter) {
    return false;
  }

  /**
   * {@return the keys that the guards of {@code filter} reject: those that the filter lacks or, for
   * a blacklist, those that it holds}
   *
   * @param filter the name of a configured filter
   */
  default Reject rejects(String filter) {
    return Reject.ABSENT;
  }

  /**
   * {@return the scope of the keys of {@code filter}; null for none}
   *
   * @param filter the name of a configured filter
   */
  default @Nullable KeyScope scope(String filter) {
    return null;
  }

  /**
   * {@return the guard of {@code filter} and the cache of the same name, for decisions and untyped
   * values}
   *
   * @param filter the name of a configured filter
   */
  default EntryGuard<Object> guard(String filter) {
    return guard(filter, filter, new ValueType<>(Object.class), EntryPoint.METHOD);
  }

  /**
   * {@return the guard of {@code filter} and the cache of the same name, for values of {@code
   * type}}
   *
   * @param <V> the type of the values
   * @param filter the name of a configured filter
   * @param type the class of the values, by which a remote cache reads them back
   */
  default <V> EntryGuard<V> guard(String filter, Class<V> type) {
    return guard(filter, filter, ValueType.of(type), EntryPoint.METHOD);
  }

  /**
   * {@return the guard of one subject's filter, such as the articles that one user has read} It
   * keeps no values: {@code get} loads each time.
   *
   * @param filter the name of a configured filter by subject
   * @param subject 1 to 128 characters of {@code [A-Za-z0-9._~-]}
   * @throws UnknownFilterException if no such filter is configured
   * @throws SubjectException if the filter has no filters by subject, or the subject breaks the
   *     rule
   */
  default EntryGuard<Object> guard(String filter, String subject) {
    return guard(filter, subject, EntryPoint.METHOD);
  }

  /**
   * {@return the guard of one subject's filter, whose outcomes count for {@code entry}}
   *
   * @param filter the name of a configured filter by subject
   * @param subject 1 to 128 characters of {@code [A-Za-z0-9._~-]}
   * @param entry the entry point of the keys
   */
  default EntryGuard<Object> guard(String filter, String subject, EntryPoint entry) {
    throw SubjectException.unexpected(filter);
  }

  /**
   * {@return the writes of {@code filter}'s rows} They reach each cache that guards of the filter
   * use, and {@code cache}.
   *
   * @param filter the name of a configured filter
   * @param cache the name of a value cache, for a process in which no guard uses it
   * @param caller the name of the code that writes, for messages
   * @throws UnknownFilterException if no such filter is configured
   * @throws SubjectException if the filter has filters by subject
   */
  default KeyWrites writes(String filter, String cache, String caller) {
    return guard(filter, cache, new ValueType<>(Object.class), EntryPoint.METHOD, caller).writes();
  }

  /**
   * {@return the guard of {@code filter} with the value cache {@code cache}}
   *
   * @param <V> the type of the values
   * @param filter the name of a configured filter
   * @param cache the name of the value cache
   * @param type the type of the values, by which a remote cache reads them back
   * @param entry the entry point of the keys
   * @throws UnknownFilterException if no such filter is configured
   * @throws SubjectException if the filter is one by subject
   * @throws CacheUseException if the cache belongs to another filter, which holds other keys equal,
   *     or lives in another backend than that of this filter
   */
  default <V> EntryGuard<V> guard(
      String filter, String cache, ValueType<V> type, EntryPoint entry) {
    return guard(filter, cache, type, entry, "");
  }

  /**
   * The guard of a caller that the log names if a rejection was wrong.
   *
   * @param <V> the type of the values
   * @param filter the name of a configured filter
   * @param cache the name of the value cache
   * @param type the type of the values, by which a remote cache reads them back
   * @param entry the entry point of the keys
   * @param caller the caller: a method, or the pattern of a web rule; never a key
   * @return the guard, whose outcomes count for {@code entry}
   * @throws UnknownFilterException if no such filter is configured
   */
  default <V> EntryGuard<V> guard(
      String filter, String cache, ValueType<V> type, EntryPoint entry, String caller) {
    return guard(filter, cache, type, entry, caller, null);
  }

  /**
   * Notes the type of the keys that a caller asks a filter for. Builds compare it to the keys that
   * the source yields.
   *
   * @param filter the name of a filter
   * @param keyType the declared type of the key; {@code List} for a key of parts
   * @param caller a method, or the pattern of a web rule
   * @return the reason why no key of the filter could be of that type; null for none
   */
  default @Nullable String asked(String filter, Class<?> keyType, String caller) {
    return null;
  }

  /**
   * Notes a key that the writes of an entity bring to a filter.
   *
   * @param filter the name of a configured filter
   * @param key the attribute that holds the key
   * @return the reason why lookups of the filter would miss rows of the entity; null for none
   */
  default @Nullable FilterRefusal keyed(String filter, KeyedAttribute key) {
    return null;
  }

  /**
   * The guard of a caller that overrides how its cache keeps entries.
   *
   * @param <V> the type of the values
   * @param filter the name of a configured filter
   * @param cache the name of the value cache
   * @param type the type of the values, by which a remote cache reads them back
   * @param entry the entry point of the keys
   * @param caller the caller: a method, or the pattern of a web rule; never a key; empty for code
   *     that asks by itself
   * @param overrides the overridden settings; null if the caller takes the cache as the others have
   *     it
   * @return the guard, whose outcomes count for {@code entry}
   * @throws CacheUseException if another user of the cache requires other settings, or the cache
   *     could never give values of that type back
   */
  <V> EntryGuard<V> guard(
      String filter,
      String cache,
      ValueType<V> type,
      EntryPoint entry,
      String caller,
      @Nullable CacheOverrides overrides);

  /**
   * Notes at the start that some writes of a filter's rows are not seen: lookups that keep values
   * by default keep null entries alone.
   *
   * @param filter the name of a configured filter
   * @return whether that changes what a lookup keeps
   */
  default boolean unseenWrites(String filter) {
    return false;
  }

  /**
   * Notes such a write while the application runs: what its lookups have kept by default is
   * dropped.
   *
   * @param filter the name of a configured filter
   * @param writer the writer, for the log
   */
  default void unseenWrite(String filter, String writer) {}

  /** {@return these guards, as the application's own code asks for them} */
  default BloomGuards forApplication() {
    return new ApplicationGuards(this);
  }
}
