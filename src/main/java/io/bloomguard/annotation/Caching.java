package io.bloomguard.annotation;

/** The part of a guarded method's answers that the value cache keeps. */
public enum Caching {

  /**
   * {@link #VALUES}; {@link #NULLS} where a value is a JPA entity, or an {@code Optional},
   * collection, map, array or record with one; {@link #NONE} where the key leaves a parameter out,
   * and under a blacklist.
   *
   * <p>A method that keeps null entries alone keeps nothing beside another lookup of its filter,
   * unless both name the same cache.
   */
  AUTO,

  /**
   * Values and null entries. One caller of a cold key loads, the others wait for its value and get
   * the same instance. Refused at startup where a value is a JPA entity.
   */
  VALUES,

  /**
   * Null entries alone: no value is kept or handed to a second caller, and no caller waits for the
   * load of another.
   */
  NULLS,

  /** Nothing: the guard decides only. */
  NONE
}
