package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.FilterStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The work that a filter does by itself, from its first generation on. */
interface Upkeep {

  /**
   * Prepares the store for the first generation, if this process gives the filter one by itself.
   * Called every second or so, also before and during {@link #start}, by one thread at a time.
   */
  void prepare();

  /**
   * Gives the filter its first generation. Called once.
   *
   * @throws IllegalStateException if the filter's warm-up mode is {@code BLOCKING} and no
   *     generation serves at its end
   */
  void start();

  /**
   * Does the upkeep that is due. Called every second or so, by one thread at a time.
   *
   * @return the store's status that it has read for this, null if it read none
   */
  @Nullable FilterStatus maintain();

  /** The changes that an operator should make to the origin of the keys, in whole sentences. */
  List<String> warnings();
}
