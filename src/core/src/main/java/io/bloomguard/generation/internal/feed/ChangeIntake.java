package io.bloomguard.generation.internal.feed;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeReceiver;
import io.bloomguard.generation.FeedTakenException;
import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.internal.KeyWrites;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of changes into a filter and its caches: they are writes as those of this process, one
 * for each batch.
 *
 * <p>A write of this application that comes back is known by the id of its transaction, and changes
 * nothing. One of unknown origin is applied all the same, which adds nothing that is not there and
 * drops entries that are loaded again.
 */
public final class ChangeIntake implements ChangeReceiver {

  /** Those of a minute, after which Kafka Connect notes by default how far it has come. */
  private static final int MOST_DELETIONS = 100_000;

  private static final Logger log = LoggerFactory.getLogger(ChangeIntake.class);

  private final FilterFeed feed;
  private final KeyWrites writes;
  private final MembershipStore store;

  /** The last deletions: a connector that begins again tells of some once more. */
  private final Set<String> deletions =
      Collections.newSetFromMap(
          Caffeine.newBuilder()
              .maximumSize(MOST_DELETIONS)
              .executor(Runnable::run)
              .<String, Boolean>build()
              .asMap());

  private volatile boolean refusalTold;

  /** Whether values may be kept that changes from before a begin would have dropped. */
  private volatile boolean stale;

  /**
   * The intake of one filter.
   *
   * @param writes the writes of the filter's rows
   * @param store the filter
   */
  public ChangeIntake(FilterFeed feed, KeyWrites writes, MembershipStore store) {
    this.feed = feed;
    this.writes = writes;
    this.store = store;
  }

  @Override
  public Reading begin() {
    FeedRecord.Entry entry = feed.record().claim();
    // Its last reader may have ended before it had dropped them.
    stale |= feed.isShared() && entry.age() == null;
    feed.look();
    feed.serves(store.servingStamp());
    return new OneReading(entry.reader(), entry.position());
  }

  @Override
  public void failed(String why) {
    feed.failed(why);
  }

  @Override
  public void retains(long bytes) {
    feed.retains(bytes);
  }

  private final class OneReading implements Reading {

    private final long reader;
    private @Nullable String position;

    /**
     * The moment until which this reading is known to have applied everything. Null until it once
     * has: a deletion may have been applied before, by the reader before this one, or in a batch
     * that failed.
     */
    private @Nullable Long completeUntil;

    OneReading(long reader, @Nullable String position) {
      this.reader = reader;
      this.position = position;
    }

    @Override
    public @Nullable String position() {
      return position;
    }

    @Override
    public void beginAt(String at) {
      stale = true;
      require(feed.change(() -> feed.record().begin(reader, at)));
      position = at;
    }

    @Override
    public void apply(List<Change> changes, String to) {
      dropStale();
      if (!changes.isEmpty()) {
        take(new ChangedKeys(feed.settings().keyRules(), changes));
        feed.applied(changes);
      }
      // Not before the effect: a reader that takes over begins here.
      require(feed.change(() -> feed.record().advance(reader, to, null)));
      position = to;
      feed.failed(null);
    }

    private void take(ChangedKeys keys) {
      keys.leaveOutOwn(feed.record()::own);
      List<String> entered = keys.entered();
      List<String> others = keys.others();
      if (!entered.isEmpty() || !others.isEmpty()) {
        writes.committed(entered, others);
      }
      if (store.removes()) {
        remove(keys.gone(deletions));
      }
      if (keys.isTruncated()) {
        writes.dropAll();
        feed.truncated();
      }
      String refusal = keys.refusal();
      if (refusal != null && !refusalTold) {
        refusalTold = true;
        log.warn("Filter '{}': keys of changes are skipped: {}", feed.settings().filter(), refusal);
      }
    }

    private void remove(List<String> gone) {
      long stamp = store.servingStamp();
      if (stamp != 0 && mayRemove(feed.serves(stamp)) && !gone.isEmpty()) {
        writes.removeAll(gone, stamp);
      }
    }

    /**
     * Whether a deletion that comes now is that of a key which the serving generation has: its
     * build read the source before the deletion, since all that was committed until later has been
     * applied.
     *
     * @param since the moment at which that generation is known to have served
     */
    private boolean mayRemove(long since) {
      long margin = feed.settings().margin().toNanos();
      return completeUntil != null && completeUntil - since >= margin;
    }

    @Override
    public void complete(Duration age) {
      long until = feed.now() - age.toNanos();
      dropStale();
      require(feed.change(() -> feed.record().advance(reader, null, age)));
      completeUntil = until;
      feed.failed(null);
    }

    /** Not at the begin itself: builds and the session with the place of the feed wait for that. */
    private void dropStale() {
      if (stale) {
        writes.dropAll();
        stale = false;
      }
    }

    private void require(boolean ours) {
      if (!ours) {
        throw new FeedTakenException(feed.settings().filter());
      }
    }
  }
}
