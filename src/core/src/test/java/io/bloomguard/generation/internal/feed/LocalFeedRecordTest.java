package io.bloomguard.generation.internal.feed;

import io.bloomguard.generation.internal.FeedRecord;

class LocalFeedRecordTest extends FeedRecordContractTest {

  @Override
  protected FeedRecord newRecord() {
    return new LocalFeedRecord(System::nanoTime);
  }
}
