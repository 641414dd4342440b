package io.bloomguard.generation.internal.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.generation.internal.local.LocalFeedRecord;
import io.bloomguard.guard.internal.Doubt;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A feed in the eyes of a process that may not be the one that reads. */
@ExtendWith(OutputCaptureExtension.class)
class FilterFeedTest {

  private static final Duration MAX_LAG = Duration.ofSeconds(5);

  private long nanos;
  private long millis;
  private boolean reachable = true;
  private final LocalFeedRecord record = new LocalFeedRecord(() -> nanos);
  private final FilterFeed feed = feed(true);

  private FilterFeed feed(boolean doubts) {
    FeedSettings settings =
        new FeedSettings("f", MAX_LAG, doubts, new KeyRules(256), Duration.ofMinutes(10));
    return new FilterFeed(settings, outOfReachAtTimes(), true, () -> nanos, () -> millis);
  }

  private FeedRecord outOfReachAtTimes() {
    return (FeedRecord)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {FeedRecord.class},
            (proxy, method, arguments) -> {
              if (!reachable) {
                throw new StoreUnavailableException("out of reach", null);
              }
              try {
                return method.invoke(record, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private long begun() {
    long reader = record.claim().reader();
    record.begin(reader, "0:1");
    record.built(record.read().begun());
    record.advance(reader, null, Duration.ZERO);
    feed.refresh();
    return reader;
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    millis += time.toMillis();
  }

  @Test
  void aFeedThatHasNotBegunIsInDoubt() {
    feed.refresh();
    assertThat(feed.isInDoubt()).isTrue();
    assertThat(feed.doubt()).isEqualTo("The feed of changes has not begun");
    feed.failed("Kafka does not answer");
    assertThat(feed.doubt()).endsWith("begun: Kafka does not answer");
    assertThat(feed.isBuildDue()).isFalse();
  }

  /** Not before the moment at which this process saw it, which is the later one. */
  @Test
  void aBeginIsAsOldAsItsFirstSight() {
    assertThat(feed.hasBegunBefore(Instant.MAX)).isFalse();
    begun();
    Instant seen = Instant.ofEpochMilli(millis);
    pass(Duration.ofHours(1));
    feed.refresh();
    assertThat(feed.hasBegunBefore(seen)).isFalse();
    assertThat(feed.hasBegunBefore(seen.plusMillis(1))).isTrue();
    begun();
    assertThat(feed.hasBegunBefore(seen.plusMillis(1))).isFalse();
  }

  @Test
  void aFeedThatIsBehindIsInDoubtUntilItHasCaughtUp() {
    long reader = begun();
    assertThat(feed.isInDoubt()).isFalse();
    assertThat(feed.doubt()).isNull();
    pass(MAX_LAG);
    assertThat(feed.isInDoubt()).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(feed.isInDoubt()).isTrue();
    feed.refresh();
    assertThat(feed.isInDoubt()).isTrue();
    assertThat(feed.doubt()).contains("behind by 5 s", "max-lag (PT5S)");
    record.advance(reader, null, Duration.ofSeconds(1));
    feed.refresh();
    assertThat(feed.isInDoubt()).isFalse();
  }

  @Test
  void whatWasSeenBeforeDoesNotCatchUp() {
    long reader = begun();
    pass(Duration.ofSeconds(6));
    Doubt seen = feed.seen();
    record.advance(reader, null, Duration.ZERO);
    feed.refresh();
    assertThat(feed.isInDoubt()).isFalse();
    assertThat(seen.isAbout("k")).isTrue();
    assertThat(seen.isAbout(1L)).isTrue();
    assertThat(seen.reason()).isEqualTo("The feed of changes was behind a moment ago");
    assertThat(feed.seen().isAbout("k")).isFalse();
  }

  /** A suspended machine stops one clock, and an operator may put back the other. */
  @Test
  void theClockThatHasGoneFurtherCounts() {
    begun();
    millis += MAX_LAG.toMillis() + 1;
    assertThat(feed.isInDoubt()).isTrue();
    feed.refresh();
    assertThat(feed.isInDoubt()).isFalse();
    nanos += MAX_LAG.toNanos() + 1;
    millis -= 3_600_000;
    assertThat(feed.isInDoubt()).isTrue();
  }

  @Test
  void aRecordOutOfReachAgesByTheOwnClock() {
    begun();
    reachable = false;
    pass(Duration.ofSeconds(3));
    feed.refresh();
    assertThat(feed.isInDoubt()).isFalse();
    pass(Duration.ofSeconds(3));
    feed.refresh();
    assertThat(feed.isInDoubt()).isTrue();
    reachable = true;
    record.advance(record.read().reader(), null, Duration.ZERO);
    feed.refresh();
    assertThat(feed.isInDoubt()).isFalse();
  }

  @Test
  void aGapIsFilledByALaterBuildAlone() throws Exception {
    long reader = begun();
    long noted = feed.noteBegin();
    record.begin(reader, "0:900");
    record.advance(reader, null, Duration.ZERO);
    feed.built(noted);
    assertThat(feed.isInDoubt()).isTrue();
    assertThat(feed.isBuildDue()).isTrue();
    assertThat(feed.doubt()).contains("began without a position");
    feed.built(feed.noteBegin());
    assertThat(feed.isInDoubt()).isFalse();
    assertThat(feed.isBuildDue()).isFalse();
  }

  @Test
  void aBuildIsReportedOnceTheRecordIsInReachAgain() throws Exception {
    long reader = begun();
    record.begin(reader, "0:900");
    record.advance(reader, null, Duration.ZERO);
    long noted = feed.noteBegin();
    reachable = false;
    feed.built(noted);
    assertThat(feed.isInDoubt()).isTrue();
    reachable = true;
    feed.refresh();
    assertThat(feed.isInDoubt()).isFalse();
  }

  @Test
  void aTruncatedTableAsksForABuildAndIsNoDoubt() throws Exception {
    begun();
    feed.truncated();
    assertThat(feed.isBuildDue()).isTrue();
    assertThat(feed.isInDoubt()).isFalse();
    feed.noteBegin();
    assertThat(feed.isBuildDue()).isFalse();
  }

  /** The process that reads now may be another one. */
  @Test
  void aFailureIsOverOnceChangesArriveInAnyProcess() {
    long reader = begun();
    feed.failed("Kafka does not answer");
    assertThat(feed.failures()).isEqualTo(1);
    pass(Duration.ofSeconds(6));
    assertThat(feed.doubt()).endsWith(": Kafka does not answer");
    record.advance(reader, null, Duration.ZERO);
    feed.refresh();
    pass(Duration.ofSeconds(6));
    assertThat(feed.doubt()).endsWith("(PT5S)");
  }

  @Test
  void aFailureThatDiffersInANumberAloneIsLoggedOnce(CapturedOutput output) {
    feed.failed("(conn=5) Access denied for user 'shop'");
    feed.failed("(conn=6) Access denied for user 'shop'");
    assertThat(output.getOut().split("changes do not arrive", -1)).hasSize(2);
    feed.failed("The table was altered");
    assertThat(output.getOut().split("changes do not arrive", -1)).hasSize(3);
  }

  /** It lasts for longer than the feed may lag. */
  @Test
  void aFailureIsNotOverForWhatArrivedBefore() {
    begun();
    pass(Duration.ofSeconds(1));
    feed.failed("Kafka does not answer");
    feed.refresh();
    pass(Duration.ofSeconds(6));
    assertThat(feed.doubt()).endsWith(": Kafka does not answer");
  }

  @Test
  void aFilterMayRejectAllTheSame() {
    FilterFeed confident = feed(false);
    confident.refresh();
    assertThat(confident.isInDoubt()).isFalse();
    assertThat(confident.doubt()).isNotNull();
  }

  @Test
  void itIsCompleteSinceBeforeTheLastChangesAlone() {
    nanos = 1_000;
    begun();
    assertThat(feed.isCompleteSince(999)).isTrue();
    assertThat(feed.isCompleteSince(1_000)).isFalse();
  }
}
