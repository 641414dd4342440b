package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.verify.Enforcement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bits of one filter as those who operate it see them.
 *
 * <p>The type of a store shows its further abilities: {@link GenerationStore} for one that is built
 * from a source, {@link ReplicatedStore} for one of which a process may keep a copy, {@link
 * ClearableStore} for one that can be emptied, {@link SubjectFilters} for one of many filters.
 */
public interface FilterStore extends MembershipStore {

  /** Where the bits live: the value of the {@code backend} property, such as {@code local}. */
  String backend();

  /** The filter as it stands. Never throws; a store out of reach is {@code DOUBTFUL}. */
  FilterStatus status();

  /** Why this store answers what it answers for a canonical key. Never throws. */
  KeyExplanation explain(String key);

  /**
   * Makes a filter without a source ready for its first adds, where that is for this process to do.
   * Does nothing where something serves already.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  void serveEmpty(FilterShape shape);

  /** Whether the rejections of the filter take effect, for all who share this store. */
  Enforcement enforcement();

  /**
   * Lets others who share this store know that this process is alive, where {@link #maintain} has
   * not done so for a while. Called every second, on a thread on which nothing slow runs. Never
   * throws.
   */
  default void heartbeat() {}

  /** Gives up what is kept longer than its grace period. Called now and then. */
  default void maintain() {}

  /**
   * The generations of a window together, null where the filter is none, which never changes. Never
   * throws.
   */
  default @Nullable WindowStatus window() {
    return null;
  }

  /**
   * Whether it forgets by itself what was added, so that it is as full as it is made for in its
   * normal state. Never throws.
   */
  default boolean rotates() {
    return window() != null;
  }

  /** The memory of recent adds, kept to be added again, in bytes. Never throws. */
  default JournalSize journalSize() {
    return JournalSize.NONE;
  }

  /** The changes that an operator should make to the store of the bits, in whole sentences. */
  default List<String> warnings() {
    return List.of();
  }

  /** Leaves others who share this store without waiting for this process. Never throws. */
  default void close() {}
}
