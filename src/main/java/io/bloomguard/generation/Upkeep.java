package io.bloomguard.generation;

import java.util.List;

/** The work that a filter does by itself, from its first generation on. */
interface Upkeep {

  /**
   * Gives the filter its first generation. Called once.
   *
   * @throws IllegalStateException if the filter's warm-up mode is {@code BLOCKING} and no
   *     generation serves at its end
   */
  void start();

  /** Does the upkeep that is due. Called every second or so, by one thread at a time. */
  void maintain();

  /** The changes that an operator should make to the origin of the keys, in whole sentences. */
  List<String> warnings();
}
