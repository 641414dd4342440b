package io.bloomguard.generation.internal.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.generation.internal.FeedRecord.OwnWrite;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What every record of a feed does. */
public abstract class FeedRecordContractTest {

  /** An empty record. */
  protected abstract FeedRecord newRecord();

  @Test
  void aFeedThatWasNeverReadIsNotCovered() {
    assertThat(newRecord().read()).isEqualTo(FeedRecord.Entry.NONE);
    assertThat(newRecord().read().isCovered()).isFalse();
  }

  @Test
  void thePositionIsThatOfTheLastEffect() {
    FeedRecord record = newRecord();
    long reader = record.claim().reader();
    assertThat(record.begin(reader, "0:7")).isNotNull();
    assertThat(record.advance(reader, "0:9,1:3", null)).isNotNull();
    assertThat(record.read().position()).isEqualTo("0:9,1:3");
    assertThat(record.claim().position()).isEqualTo("0:9,1:3");
  }

  @Test
  void anEarlierReaderChangesNothing() {
    FeedRecord record = newRecord();
    long first = record.claim().reader();
    record.begin(first, "0:1");
    long second = record.claim().reader();
    assertThat(second).isGreaterThan(first);
    assertThat(record.advance(first, "0:99", Duration.ZERO)).isNull();
    assertThat(record.begin(first, "0:99")).isNull();
    assertThat(record.read().position()).isEqualTo("0:1");
    assertThat(record.read().age()).isNull();
    assertThat(record.advance(second, "0:2", Duration.ZERO)).isNotNull();
  }

  @Test
  void theAgeIsKnownOnceTheFeedWasComplete() {
    FeedRecord record = newRecord();
    long reader = record.claim().reader();
    record.begin(reader, "0:1");
    assertThat(record.read().age()).isNull();
    record.advance(reader, null, Duration.ofSeconds(3));
    record.advance(reader, "0:5", null);
    assertThat(record.read().age()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(60));
    assertThat(record.read().position()).isEqualTo("0:5");
  }

  @Test
  void ownWritesAreKnownByTransactionAndKey() {
    FeedRecord record = newRecord();
    record.noteOwn(Set.of(added("7", "a"), added("7", "b"), added("8", "c")));
    Set<OwnWrite> asked = Set.of(added("7", "a"), added("8", "a"), added("8", "c"));
    await()
        .untilAsserted(
            () ->
                assertThat(record.own(asked))
                    .containsExactlyInAnyOrder(added("7", "a"), added("8", "c")));
    assertThat(record.own(Set.of(added("71", "a")))).isEmpty();
    assertThat(record.own(Set.of(new OwnWrite("7", "a", false)))).isEmpty();
    assertThat(newRecord().own(asked)).isEmpty();
  }

  private static OwnWrite added(String transaction, String key) {
    return new OwnWrite(transaction, key, true);
  }

  @Test
  void onlyABuildAfterTheLastBeginCoversIt() {
    FeedRecord record = newRecord();
    long reader = record.claim().reader();
    long begun = record.begin(reader, "0:1").begun();
    assertThat(record.read().begun()).isEqualTo(begun);
    assertThat(record.read().isCovered()).isFalse();
    record.built(begun);
    assertThat(record.read().isCovered()).isTrue();

    // The position was gone: whatever came before the new one is unknown.
    record.advance(reader, null, Duration.ZERO);
    record.begin(reader, "0:500");
    assertThat(record.read().isCovered()).isFalse();
    assertThat(record.read().age()).isNull();
    record.built(begun);
    assertThat(record.read().isCovered()).isFalse();
    record.built(record.read().begun());
    assertThat(record.read().isCovered()).isTrue();
  }
}
