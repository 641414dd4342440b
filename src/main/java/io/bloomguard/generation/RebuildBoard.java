package io.bloomguard.generation;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Where those who share a filter tell one another of its builds. */
public interface RebuildBoard {

  /** The board of a store that no other process shares: it is always empty. */
  RebuildBoard NONE =
      new RebuildBoard() {
        @Override
        public RebuildNews read() {
          return RebuildNews.NONE;
        }

        @Override
        public boolean cancel() {
          return false;
        }

        @Override
        public void remember(String request, String run) {
          // Nobody would ask.
        }

        @Override
        public @Nullable String runOf(String request) {
          return null;
        }
      };

  /** How long a request is remembered: whoever repeats one later asks for another build. */
  Duration MEMORY = Duration.ofDays(1);

  /**
   * What is known of the builds of all who share the filter. Never throws: while the board is out
   * of reach nothing runs, and what ended is as it was last read.
   */
  RebuildNews read();

  /**
   * Asks the build that runs, wherever it does, to stop; false where none runs. One that is being
   * published already may still succeed.
   *
   * @throws StoreUnavailableException if the board is out of reach
   */
  boolean cancel();

  /**
   * Remembers for {@link #MEMORY} which run a request has led to. Called by whoever holds the right
   * to build, before it builds.
   *
   * @param request what names the request, chosen by whoever sent it
   * @throws StoreUnavailableException if the board is out of reach
   */
  void remember(String request, String run);

  /**
   * The run that a request has led to, at whichever process; null for none.
   *
   * @throws StoreUnavailableException if the board is out of reach
   */
  @Nullable String runOf(String request);
}
