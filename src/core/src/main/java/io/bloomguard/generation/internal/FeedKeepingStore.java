package io.bloomguard.generation.internal;

import io.bloomguard.generation.GenerationStore;

/** A store that keeps the record of its filter's feed, for all processes that share it. */
public interface FeedKeepingStore extends GenerationStore {

  /** {@return the record of the feed, which lives and dies with the filter's content} */
  FeedRecord feedRecord();
}
