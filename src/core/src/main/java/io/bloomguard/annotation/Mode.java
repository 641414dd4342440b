package io.bloomguard.annotation;

/** The effect of a filter's answers on one guarded method. */
public enum Mode {

  /**
   * That of the filter. A method that seems to ask whether a text is still free is warned of at the
   * start.
   */
  FILTER,

  /**
   * Enforces as the filter does, without the warning for a method whose name asks whether a key is
   * still free.
   */
  ENFORCE,

  /**
   * Decides and counts, rejects nothing and keeps nothing: every call reaches the method. For one
   * whose answer "there is none" leads to an insert.
   */
  OBSERVE
}
