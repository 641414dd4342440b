package io.bloomguard.guard;

import java.util.Set;

/** All guards of an application, by filter. */
public interface BloomGuards {

  /** {@return the names of the configured filters} */
  Set<String> filters();

  /**
   * {@return the guard of {@code filter} and the cache of the same name, for decisions and untyped
   * values}
   *
   * @param filter the name of a configured filter
   * @throws UnknownFilterException if no such filter is configured
   * @throws SubjectException if the filter is one by subject
   */
  BloomGuard<Object> guard(String filter);

  /**
   * {@return the guard of {@code filter} and the cache of the same name, for values of {@code
   * type}}
   *
   * @param <V> the type of the values
   * @param filter the name of a configured filter
   * @param type the class of the values, by which a remote cache reads them back
   * @throws UnknownFilterException if no such filter is configured
   * @throws SubjectException if the filter is one by subject
   * @throws CacheUseException if the cache could never give values of that type back, or is used
   *     with other settings
   */
  <V> BloomGuard<V> guard(String filter, Class<V> type);

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
  BloomGuard<Object> guard(String filter, String subject);
}
