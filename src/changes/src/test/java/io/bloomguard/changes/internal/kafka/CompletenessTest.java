package io.bloomguard.changes.internal.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class CompletenessTest {

  private static final TopicPartition CHANGES = new TopicPartition("changes", 0);
  private static final TopicPartition BEATS = new TopicPartition("beats", 0);
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private long now = 5;

  private Completeness completeness(boolean needsSigns) {
    return new Completeness(needsSigns, () -> now);
  }

  private void begin(Completeness completeness, long changes, long beats) {
    completeness.begin(now, Map.of(CHANGES, changes, BEATS, beats));
  }

  private static long age(Completeness completeness, long changes, long beats) {
    return completeness.age(partition -> partition.equals(CHANGES) ? changes : beats);
  }

  @Test
  void whatKafkaHadAtTheQuestionMustBeRead() {
    Completeness completeness = completeness(false);
    assertThat(completeness.isDue()).isTrue();
    begin(completeness, 10, 0);
    assertThat(completeness.isDue()).isFalse();
    now += 2 * SECOND;
    assertThat(age(completeness, 9, 0)).isEqualTo(-1);
    assertThat(age(completeness, 10, 0)).isEqualTo(2 * SECOND);
    assertThat(completeness.isDue()).isTrue();
  }

  @Test
  void aConnectorWithoutSignsStandsStill() {
    Completeness completeness = completeness(true);
    begin(completeness, 10, 3);
    assertThat(age(completeness, 10, 3)).isEqualTo(-1);

    // A heartbeat that was there when the round began shows nothing.
    completeness.read(BEATS, 2, 0);
    begin(completeness, 10, 3);
    assertThat(age(completeness, 10, 3)).isEqualTo(-1);

    // One that came later shows that the connector worked after the begin of the last round.
    long begun = now;
    now += SECOND;
    completeness.read(BEATS, 3, 0);
    begin(completeness, 10, 4);
    assertThat(age(completeness, 10, 4)).isEqualTo(now - begun);

    // Then it stands still.
    now += 60 * SECOND;
    begin(completeness, 10, 4);
    assertThat(age(completeness, 10, 4)).isEqualTo(now - begun);
  }

  /** Kafka was away for a minute, and the connector has still to write what was committed since. */
  @Test
  void aRecordThatWasHeldBackTellsOfTheTimeWhenItWasWritten() {
    Completeness completeness = completeness(true);
    begin(completeness, 10, 3);
    assertThat(age(completeness, 10, 3)).isEqualTo(-1);
    now += SECOND;
    completeness.read(BEATS, 3, 60 * SECOND);
    begin(completeness, 10, 4);
    assertThat(age(completeness, 10, 4)).isEqualTo(60 * SECOND);

    now += SECOND;
    completeness.read(BEATS, 4, 0);
    begin(completeness, 10, 5);
    assertThat(age(completeness, 10, 5)).isEqualTo(SECOND);
  }

  @Test
  void aChangeIsASignToo() {
    Completeness completeness = completeness(true);
    begin(completeness, 10, 3);
    assertThat(age(completeness, 10, 3)).isEqualTo(-1);
    long begun = now;
    now += SECOND;
    completeness.read(CHANGES, 10, 0);
    begin(completeness, 11, 3);
    assertThat(age(completeness, 11, 3)).isEqualTo(now - begun);
  }

  /** It writes into two partitions, and what it wrote first may be read last. */
  @Test
  void aSignThatIsReadInARoundCountsForTheNext() {
    Completeness completeness = completeness(true);
    long begun = now;
    begin(completeness, 10, 3);
    assertThat(age(completeness, 10, 3)).isEqualTo(-1);
    now += SECOND;
    begin(completeness, 10, 3);
    // The change behind which the heartbeat was written is not before the ends of this round.
    completeness.read(BEATS, 3, 0);
    assertThat(age(completeness, 10, 4)).isEqualTo(-1);

    now += SECOND;
    begin(completeness, 11, 4);
    assertThat(age(completeness, 10, 4)).isEqualTo(-1);
    assertThat(age(completeness, 11, 4)).isEqualTo(now - begun);
  }

  /** It writes the changes of the time between, if there are any. */
  @Test
  void aDelayOfTheConnectorEndsByItself() {
    Completeness completeness = completeness(false);
    completeness.delayed(10_000);
    now += SECOND;
    begin(completeness, 1, 0);
    assertThat(age(completeness, 1, 0)).isEqualTo(9 * SECOND);
    now += 9 * SECOND;
    begin(completeness, 1, 0);
    assertThat(age(completeness, 1, 0)).isZero();
  }
}
