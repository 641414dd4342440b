package io.bloomguard.generation;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The filter to which a feed passes its changes. Called by the threads of the feed. */
public interface ChangeReceiver {

  /**
   * Makes the calling process the one that reads for all processes that share the filter. What an
   * earlier reading passes from now on is refused.
   *
   * @return the reading
   * @throws StoreUnavailableException if the filter is out of reach; the feed tries again
   */
  Reading begin();

  /**
   * Notes why changes do not arrive at present. The next change ends it.
   *
   * @param why the reason, for the health of the filter, without any key
   */
  void failed(String why);

  /**
   * Notes how much of its log a database keeps for this feed alone, if it keeps any for it.
   *
   * @param bytes the bytes
   */
  default void retains(long bytes) {}

  /** One reading of a feed, until another process takes over or a failure ends it. */
  interface Reading {

    /**
     * {@return the position after which the changes are to be read; null if none is known} Without
     * one, and if the position is gone, the feed calls {@link #beginAt}.
     */
    @Nullable String position();

    /**
     * Notes that the feed begins at a position and knows nothing of the changes before. The filter
     * is in doubt until a build that begins later has been published.
     *
     * @param position the position, ASCII text of the feed's own form. It names the log in which it
     *     is a place: a feed that finds another log there calls this method
     * @throws StoreUnavailableException if the filter is out of reach
     * @throws FeedTakenException if another process reads by now
     */
    void beginAt(String position);

    /**
     * Applies changes in their order, and returns once they have taken effect in the filter and its
     * caches. If it throws, the feed begins again with {@link ChangeReceiver#begin}.
     *
     * @param changes the changes, which may be none
     * @param position the position after them
     * @throws RuntimeException if they could not all be applied
     */
    void apply(List<Change> changes, String position);

    /**
     * Notes that every change committed until a moment has been applied. A feed calls it at least
     * twice a second while that is so.
     *
     * @param age the time since that moment, measured by one clock
     * @throws StoreUnavailableException if the filter is out of reach
     * @throws FeedTakenException if another process reads by now
     */
    void complete(Duration age);
  }
}
