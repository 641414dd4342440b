package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.MembershipStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bits of one filter, from the view of its operators.
 *
 * <p>The type of a store shows its further abilities: {@link GenerationStore} for a store that is
 * built from a source, and {@link ClearableStore} for one that can be emptied.
 */
public interface FilterStore extends MembershipStore {

  /**
   * {@return the place of the bits: the value of the {@code backend} property, such as {@code
   * local}}
   */
  String backend();

  /**
   * {@return the present status of the filter} Never throws; a store out of reach is {@code
   * DOUBTFUL}.
   */
  FilterStatus status();

  /**
   * {@return the explanation of this store's answer for a canonical key} Never throws.
   *
   * @param key a canonical key
   */
  KeyExplanation explain(String key);

  /**
   * Makes a filter without a source ready for its first adds, if that is the task of this process.
   * Does nothing if a generation serves already.
   *
   * @param shape the dimensions of the empty filter
   * @throws StoreUnavailableException if the store is out of reach
   */
  void serveEmpty(FilterShape shape);

  /**
   * Begins what a first generation has to wait for, ahead of its build, so that filters whose turns
   * come one after another wait at the same time. Called every second, by one thread at a time, for
   * a filter that this process builds or makes ready by itself. Waits for no connection. Never
   * throws.
   */
  default void prepare() {}

  /**
   * {@return the enforcement of the filter's rejections, for all processes that share this store}
   */
  Enforcement enforcement();

  /**
   * Shows the other processes that share this store that this one is alive, unless {@link
   * #maintain} did so recently. Called every second, on a thread without slow tasks. Never throws.
   */
  default void heartbeat() {}

  /**
   * {@return the null entries that this process has stored for keys that the filter had passed, as
   * far as it tells them apart} Never throws.
   *
   * @param again those of keys that had one already in this generation, or else the first ones
   */
  default long falsePositives(boolean again) {
    return 0;
  }

  /** Gives up generations whose grace period is over. Called regularly. */
  default void maintain() {}

  /**
   * {@return the generations of a window together; null for a filter that is not a window, which
   * never changes} Never throws.
   */
  default @Nullable WindowStatus window() {
    return null;
  }

  /**
   * {@return whether the filter forgets its keys by itself, so that its normal state is as full as
   * it is made for} Never throws.
   */
  default boolean rotates() {
    return window() != null;
  }

  /**
   * {@return the memory in bytes of the recent adds that are kept to be added again} Never throws.
   */
  default JournalSize journalSize() {
    return JournalSize.NONE;
  }

  /**
   * {@return the changes that an operator should make to the store of the bits, in whole sentences;
   * empty for none}
   */
  default List<String> warnings() {
    return List.of();
  }

  /**
   * Leaves the store, so that the other processes that share it do not wait for this one. Never
   * throws.
   */
  default void close() {}
}
