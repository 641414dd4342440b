package io.bloomguard.annotation;

/**
 * The answer of a guarded method for a key that does not exist and, under a blacklist, for a
 * rejected key.
 */
public enum OnAbsent {

  /**
   * Null, or the empty value of an {@code Optional}, collection, map, array, future or publisher.
   */
  RETURN_EMPTY,

  /**
   * {@code io.bloomguard.guard.KeyAbsentException}, which the web layer answers with 404: for a key
   * that the filter rejects, for a null entry, and for a load that finds nothing. Of several keys,
   * only when the filter rejects all or, for a map that is cached by entry, none has a value.
   *
   * <p>Under a blacklist {@code io.bloomguard.guard.KeyRejectedException}, which the web layer
   * answers with 403, for a key that is rejected alone; such a method may return anything, void
   * included.
   */
  THROW
}
