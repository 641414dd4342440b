package io.bloomguard.generation.internal.local;

import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.generation.internal.feed.FeedRecordContractTest;

class LocalFeedRecordTest extends FeedRecordContractTest {

  @Override
  protected FeedRecord newRecord() {
    return new LocalFeedRecord(System::nanoTime);
  }
}
