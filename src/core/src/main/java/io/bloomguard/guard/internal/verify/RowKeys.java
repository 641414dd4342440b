package io.bloomguard.guard.internal.verify;

import java.util.List;

/** The keys under which the source of a filter has the rows that a load finds. */
public interface RowKeys {

  /** A source that cannot be asked. */
  RowKeys NONE = new RowKeys() {};

  /** Whether the source can be asked. Sends no request, never throws. */
  default boolean isKnown() {
    return false;
  }

  /**
   * Asks for the rows that a lookup of a key finds; this thread waits for it, a few seconds at
   * most. Never throws.
   *
   * @param key canonical and folded
   */
  default Answer of(String key) {
    return Answer.UNABLE;
  }

  /** The kind of an answer. */
  enum Kind {
    /** There is a row, under keys that callers may ask for. */
    ROWS,
    /** There is a row, under a key that breaks the rules: no caller can ask for it. */
    UNUSABLE,
    /** The source finds no row. */
    NONE,
    /** The source cannot be asked for the key. */
    UNABLE,
    /** The source did not answer this time. */
    FAILED
  }

  /**
   * An answer.
   *
   * @param keys the rows' own keys, canonical and folded; empty unless the kind is {@code ROWS}
   */
  record Answer(Kind kind, List<String> keys) {

    /** The answer of a source that cannot be asked. */
    public static final Answer UNABLE = new Answer(Kind.UNABLE, List.of());
  }
}
