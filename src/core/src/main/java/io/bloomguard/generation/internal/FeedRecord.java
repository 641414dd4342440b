package io.bloomguard.generation.internal;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a filter's feed of changes: one for all processes that share the filter's store.
 *
 * <p>Every method throws {@link io.bloomguard.generation.StoreUnavailableException} if the store is
 * out of reach.
 */
public interface FeedRecord {

  /** The lifetime of a note of one's own write: longer than a change is usually under way. */
  Duration OWN_FOR = Duration.ofSeconds(30);

  /** The most notes of own writes that are kept; beyond it, changes are applied once more. */
  int MOST_OWN = 100_000;

  /** {@return the present entry} */
  Entry read();

  /** {@return the entry after the caller has become its reader} Earlier readers change nothing. */
  Entry claim();

  /**
   * Notes that the feed begins at a position without knowledge of the changes before.
   *
   * @param reader the caller's number, from {@link #claim}
   * @param position the position
   * @return the entry after it; null if another reader has claimed the entry
   */
  @Nullable Entry begin(long reader, String position);

  /**
   * Notes how far the feed has been applied.
   *
   * @param reader the caller's number, from {@link #claim}
   * @param position the position; null for the same as before
   * @param age the time since the moment until which every change has been applied; null if that
   *     has not changed
   * @return the entry after it; null if another reader has claimed the entry
   */
  @Nullable Entry advance(long reader, @Nullable String position, @Nullable Duration age);

  /**
   * Notes that a generation serves whose build read the source after a begin of the feed.
   *
   * @param begun the number of that begin
   */
  void built(long begun);

  /**
   * Notes writes of this application that have committed, and taken effect in the filter and its
   * caches. Does not wait for that, and never throws: without a note, a change is applied once
   * more. A note lasts for {@link #OWN_FOR}.
   *
   * @param writes the writes
   */
  void noteOwn(Set<OwnWrite> writes);

  /**
   * {@return those of these writes that were noted}
   *
   * @param writes the writes
   */
  Set<OwnWrite> own(Set<OwnWrite> writes);

  /**
   * A write of one row, by a transaction.
   *
   * @param transaction the id of the transaction in the database's log
   * @param key the row's key, canonical and folded
   * @param added whether the key has entered the filter; otherwise its entries alone were dropped
   */
  record OwnWrite(String transaction, String key, boolean added) {}

  /**
   * The state of a feed.
   *
   * @param reader the number of its reader, 0 for none
   * @param begun how often it has begun without knowledge of the changes before, 0 if never
   * @param built the last of these begins that a published build has followed
   * @param position the position up to which it has been applied; null if it has not begun
   * @param age the time since the moment until which every change has been applied; null if there
   *     was none since the last begin
   */
  record Entry(
      long reader, long begun, long built, @Nullable String position, @Nullable Duration age) {

    /** The entry of a feed that was never read. */
    public static final Entry NONE = new Entry(0, 0, 0, null, null);

    /** {@return whether a build has read what the feed does not know} */
    public boolean isCovered() {
      return begun > 0 && built >= begun;
    }
  }
}
