package io.bloomguard.generation;

import java.util.List;

/** What a filter does by itself, from its first generation on. */
interface Upkeep {

  /**
   * Gives the filter its first generation. Called once.
   *
   * @throws IllegalStateException if the filter's warm-up mode is {@code BLOCKING} and nothing
   *     serves at its end
   */
  void start();

  /** Does what is due by now. Called every second or so, by one thread at a time. */
  void maintain();

  /** What an operator should change about where the keys come from, in whole sentences. */
  List<String> warnings();
}
