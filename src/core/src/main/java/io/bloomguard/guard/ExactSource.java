package io.bloomguard.guard;

import java.time.Duration;
import java.util.List;

/** The exact list behind a blacklist: it knows for certain which keys are on it. */
public interface ExactSource {

  /**
   * Reports for each key in turn whether it is listed. Called on a thread that may block, which
   * holds a place in the bulkhead; after an exception the remaining keys have no answer.
   *
   * @param keys canonical and folded, at least one, each once
   * @param answers takes each answer as soon as it is known
   * @throws Exception if not all keys can be looked up
   */
  void ask(List<String> keys, Answers answers) throws Exception;

  /**
   * {@return the time that callers wait for the answers of one call; after that their keys are
   * unknown}
   */
  Duration timeout();

  /** Takes the answers as they come. */
  @FunctionalInterface
  interface Answers {

    /**
     * One key's answer.
     *
     * @param key one of the keys, as it was asked
     * @param listed whether the key is on the list
     * @return false if no caller waits for the remaining keys; the source may skip them then
     */
    boolean accept(String key, boolean listed);
  }
}
