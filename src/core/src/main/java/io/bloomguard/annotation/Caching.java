package io.bloomguard.annotation;

/** The part of a guarded method's answers that the value cache keeps. */
public enum Caching {

  /**
   * {@link #VALUES} where no write of the rows is known that the guard does not see, else {@link
   * #NULLS}, with one load for callers at the same time; the start says which. {@link #NULLS} where
   * a value is a JPA entity, or an {@code Optional} or record with one; {@link #NONE} where the key
   * leaves a parameter out, for several rows of one key or their number unless the rows' class has
   * a {@link BloomKey} of the filter, and under a blacklist.
   *
   * <p>An annotation that names a cache, or sets a lifetime, asks for several rows to be kept.
   *
   * <p>A method that keeps null entries alone keeps nothing beside another lookup of its filter,
   * unless both name the same cache.
   */
  AUTO,

  /**
   * Values and null entries. One caller of a cold key loads, the others wait for its value and get
   * the same instance. Promises that every write of the rows evicts them. Refused at startup where
   * a value is a JPA entity.
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
