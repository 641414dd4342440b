package io.bloomguard.generation.internal;

import io.bloomguard.generation.GenerationStore;

/** A store that keeps the record of its filter's feed. */
public interface FeedKeepingStore extends GenerationStore {

  /** {@return the record of the feed, which lives and dies with the filter's content} */
  FeedRecord feedRecord();

  /** {@return whether other processes have the same record} */
  default boolean sharesFeed() {
    return true;
  }
}
