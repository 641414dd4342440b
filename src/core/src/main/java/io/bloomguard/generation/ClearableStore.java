package io.bloomguard.generation;

/** A store of a filter that is shared with other programs and can be emptied. */
public interface ClearableStore extends FilterStore {

  /**
   * Removes every key from the filter.
   *
   * @return how many parts of it were cleared, one after the other
   * @throws ClearRefusedException if the filter's settings do not allow it
   * @throws StoreUnavailableException if the store is out of reach; some parts may be cleared
   */
  int clear();
}
