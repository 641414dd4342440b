package io.bloomguard.generation;

/** A store of a filter that other programs share, which they may want to be emptied. */
public interface ClearableStore extends FilterStore {

  /**
   * Takes every key out of the filter.
   *
   * @return how many parts of it were cleared, one after the other
   * @throws ClearRefusedException if the filter's settings do not allow it
   * @throws StoreUnavailableException if the store is out of reach; some parts may be cleared
   */
  int clear();
}
