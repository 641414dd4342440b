package io.bloomguard.guard;

/** What an answer of a load shows of its key. */
public enum Finding {

  /** The key has a value. */
  VALUE,

  /** The key has none: the answer is kept as a null entry. */
  NOTHING,

  /** A value as far as is known, which shows nothing of the key: no verdict on its rejection. */
  UNCLEAR,

  /**
   * Neither a value nor its absence, such as a redirection or a refusal: no verdict, nothing is
   * kept, and a trial of the key is left open, as by an exception.
   */
  OTHER
}
