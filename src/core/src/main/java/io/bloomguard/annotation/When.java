package io.bloomguard.annotation;

/** The moment at which a writing method's key is read, and in a put added. */
public enum When {

  /** Before the method runs, from its arguments. An expression with {@code #result} is AFTER. */
  BEFORE,

  /**
   * After the method has returned, from its result or from what it set on an argument (an entity
   * that a void {@code save} gave its id, MyBatis' generated keys). For a put this is inside the
   * transaction around the method and before its commit; the guard begins a transaction if none is
   * active.
   */
  AFTER
}
