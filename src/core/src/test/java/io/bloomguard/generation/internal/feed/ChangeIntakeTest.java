package io.bloomguard.generation.internal.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeReceiver;
import io.bloomguard.generation.FeedTakenException;
import io.bloomguard.generation.internal.local.LocalFeedRecord;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.RecordedGuards;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.OwnWrites;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What changes do to a filter and its caches. */
class ChangeIntakeTest {

  private static final String FILTER = "f";

  private final RecordedGuards guards =
      new RecordedGuards(Transactions.NONE, PendingWrites.NONE, FILTER);
  private final KeyWrites writes = guards.guard(FILTER).writes();
  private final Served store = new Served();
  private long nanos;
  private final LocalFeedRecord record = new LocalFeedRecord(() -> nanos);
  private Duration margin = Duration.ZERO;
  private FilterFeed feed = feed(KeyFolding.EXACT);

  private FilterFeed feed(KeyFolding folding) {
    return feed(folding, false);
  }

  private FilterFeed feed(KeyFolding folding, boolean shared) {
    return new FilterFeed(
        new FeedSettings(FILTER, Duration.ofSeconds(5), true, new KeyRules(256, folding), margin),
        record,
        shared,
        () -> nanos,
        () -> TimeUnit.NANOSECONDS.toMillis(nanos));
  }

  private ChangeIntake intake() {
    return new ChangeIntake(feed, writes, store);
  }

  /** A reading that has caught up, so that what comes now comes for the first time. */
  private ChangeReceiver.Reading reading() {
    ChangeReceiver.Reading reading = intake().begin();
    reading.beginAt("0:0");
    nanos++;
    reading.complete(Duration.ZERO);
    return reading;
  }

  private static List<Change> changes(Change... changes) {
    return List.of(changes);
  }

  @Test
  void theKeysOfABatchAreAddedAtOnce() {
    reading()
        .apply(changes(Change.inserted(1L), Change.present("b"), Change.updated("c", "d")), "0:3");
    assertThat(guards.adds(FILTER)).containsExactly(List.of("1", "b", "d"));
    assertThat(record.read().position()).isEqualTo("0:3");
  }

  /** What changed before drops no value. */
  @Test
  void aFeedThatBeginsWithoutAPositionDropsAllValuesBeforeItIsComplete() {
    guards.keep(FILTER, "a", "old");
    ChangeReceiver.Reading reading = intake().begin();
    reading.beginAt("0:7");
    reading.complete(Duration.ZERO);
    assertThat(guards.isKept(FILTER, "a")).isFalse();

    guards.keep(FILTER, "a", "new");
    ChangeReceiver.Reading next = intake().begin();
    assertThat(next.position()).isEqualTo("0:7");
    next.complete(Duration.ZERO);
    assertThat(guards.isKept(FILTER, "a")).as("nothing is missing").isTrue();
  }

  @Test
  void valuesThatAReaderLeftAreDroppedByTheNext() {
    feed = feed(KeyFolding.EXACT, true);
    guards.keep(FILTER, "a", "old");
    intake().begin().beginAt("0:7");
    ChangeReceiver.Reading next = intake().begin();
    next.apply(changes(), "0:8");
    assertThat(guards.isKept(FILTER, "a")).isFalse();
  }

  /** It has every change since. */
  @Test
  void aPositionFromASnapshotDropsNothing() {
    record.begin(record.claim().reader(), "0:7");
    guards.keep(FILTER, "a", "value");
    intake().begin().complete(Duration.ZERO);
    assertThat(guards.isKept(FILTER, "a")).isTrue();
  }

  @Test
  void anUpdateDropsTheValueAndRevokesLoads() {
    ChangeReceiver.Reading reading = reading();
    guards.keep(FILTER, "a", "old");
    guards.keep(FILTER, "b", "other");
    reading.apply(changes(Change.updated(null, "a")), "0:1");
    assertThat(guards.isKept(FILTER, "a")).isFalse();
    assertThat(guards.isWritten(FILTER, "a")).isTrue();
    assertThat(guards.isBarred(FILTER, "a")).isFalse();
    assertThat(guards.isKept(FILTER, "b")).isTrue();
    assertThat(guards.adds(FILTER)).isEmpty();
  }

  @Test
  void aChangedKeyDropsBoth() {
    ChangeReceiver.Reading reading = reading();
    guards.keep(FILTER, "old", "value");
    guards.keep(FILTER, "new", null);
    reading.apply(changes(Change.updated("old", "new")), "0:1");
    assertThat(guards.isKept(FILTER, "old")).isFalse();
    assertThat(guards.isWritten(FILTER, "new")).isTrue();
    assertThat(guards.adds(FILTER)).containsExactly(List.of("new"));
    assertThat(guards.removed(FILTER)).containsExactly("old");
  }

  @Test
  void aDeletionDropsTheValueAndRemovesTheKeyOnce() {
    ChangeReceiver.Reading reading = reading();
    guards.keep(FILTER, "a", "value");
    reading.apply(changes(Change.deleted("a"), Change.deleted("a")), "0:2");
    assertThat(guards.isKept(FILTER, "a")).isFalse();
    assertThat(guards.removed(FILTER)).containsExactly("a");
  }

  @Test
  void aLayoutThatCannotRemoveKeepsTheKey() {
    ChangeReceiver.Reading reading = reading();
    store.removes = false;
    guards.keep(FILTER, "a", "value");
    reading.apply(changes(Change.deleted("a")), "0:1");
    assertThat(guards.removed(FILTER)).isEmpty();
    assertThat(guards.isKept(FILTER, "a")).isFalse();
  }

  /** Of two rows with one key one went and the other came, and their order is not known. */
  @Test
  void aKeyThatCameAndWentStays() {
    reading().apply(changes(Change.inserted("a"), Change.deleted("a")), "0:2");
    assertThat(guards.adds(FILTER)).containsExactly(List.of("a"));
    assertThat(guards.removed(FILTER)).isEmpty();
  }

  @Test
  void whatMayHaveBeenRemovedBeforeIsNotRemovedAgain() {
    ChangeReceiver.Reading next = intake().begin();
    next.beginAt("0:0");
    next.apply(changes(Change.deleted("a")), "0:1");
    assertThat(guards.removed(FILTER)).isEmpty();
    nanos++;
    next.complete(Duration.ZERO);
    next.apply(changes(Change.deleted("b")), "0:2");
    assertThat(guards.removed(FILTER)).containsExactly("b");
  }

  /**
   * Its build may have read the source after the deletion, and so it may never have had the key.
   */
  @Test
  void nothingIsRemovedFromAGenerationThatIsNew() {
    margin = Duration.ofHours(1);
    feed = feed(KeyFolding.EXACT);
    reading().apply(changes(Change.deleted("a")), "0:1");
    assertThat(guards.removed(FILTER)).isEmpty();
  }

  /** What is behind may still bring deletions from before the build read the source. */
  @Test
  void nothingIsRemovedFromAGenerationBeforeAllFromBeforeItIsApplied() {
    ChangeReceiver.Reading reading = reading();
    nanos++;
    store.stamp = 2;
    feed.serves(2);
    nanos += 100;
    reading.apply(changes(Change.deleted("a")), "0:1");
    reading.complete(Duration.ofNanos(101));
    reading.apply(changes(Change.deleted("b")), "0:2");
    assertThat(guards.removed(FILTER)).isEmpty();
    reading.complete(Duration.ofNanos(99));
    reading.apply(changes(Change.deleted("c")), "0:3");
    assertThat(guards.removed(FILTER)).containsExactly("c");
  }

  @Test
  void neitherAFailureNorATakeOverMakesAGenerationNew() {
    margin = Duration.ofHours(1);
    feed = feed(KeyFolding.EXACT);
    ChangeIntake intake = intake();
    feed.serves(store.stamp);
    nanos += margin.toNanos();
    for (int i = 1; i <= 2; i++) {
      ChangeReceiver.Reading reading = intake.begin();
      nanos++;
      reading.complete(Duration.ZERO);
      reading.apply(changes(Change.deleted("k" + i)), "0:" + i);
    }
    assertThat(guards.removed(FILTER)).containsExactly("k1", "k2");
  }

  /** As by a connector that ended before it had noted how far it had come. */
  @Test
  void aDeletionThatIsToldAgainRemovesNothing() {
    ChangeReceiver.Reading reading = reading();
    reading.apply(changes(Change.deleted("a").of("7")), "0:1");
    reading.apply(changes(Change.updated(null, "a").of("6"), Change.deleted("a").of("7")), "0:3");
    assertThat(guards.removed(FILTER)).containsExactly("a");
    reading.apply(changes(Change.deleted("a").of("8"), Change.deleted("b").of("7")), "0:5");
    assertThat(guards.removed(FILTER)).containsExactly("a", "a", "b");
  }

  /** The generation that serves later may never have had the key. */
  @Test
  void norDoesOneThatWasToldTooEarly() {
    ChangeReceiver.Reading reading = reading();
    store.stamp = 2;
    reading.complete(Duration.ofHours(1));
    reading.apply(changes(Change.deleted("a").of("7")), "0:1");
    reading.complete(Duration.ZERO);
    reading.apply(changes(Change.deleted("a").of("7")), "0:2");
    assertThat(guards.removed(FILTER)).isEmpty();
  }

  @Test
  void noOtherWayRemovesAKeyThen() {
    writes.followedBy(new OwnFeed());
    assertThat(writes.removeAll(List.of("a"))).isZero();
    writes.evictAll(List.of("b"), writes.beginRemoval());
    assertThat(guards.removed(FILTER)).isEmpty();
    reading().apply(changes(Change.deleted("c")), "0:1");
    assertThat(guards.removed(FILTER)).containsExactly("c");
  }

  @Test
  void aWriteOfThisApplicationThatComesBackChangesNothing() {
    ChangeReceiver.Reading reading = reading();
    guards.keep(FILTER, "a", "new");
    guards.keep(FILTER, "b", "new");
    feed.wrote("7", List.of("a", "b"), List.of());
    reading.apply(
        changes(
            Change.inserted("a").of("7"),
            Change.updated("a", "b").of("7"),
            Change.inserted("c").of("7")),
        "0:3");
    assertThat(guards.isKept(FILTER, "a")).isTrue();
    assertThat(guards.isKept(FILTER, "b")).isTrue();
    assertThat(guards.adds(FILTER)).containsExactly(List.of("c"));
    assertThat(guards.removed(FILTER)).isEmpty();
    assertThat(feed.applied(Change.Kind.INSERT)).isEqualTo(2);
  }

  /** As of a method that evicts a key whose row it may insert. */
  @Test
  void aRowOfAKeyThatThisApplicationHasOnlyEvictedEntersTheFilter() {
    ChangeReceiver.Reading reading = reading();
    feed.wrote("7", List.of(), List.of("a", "b"));
    guards.keep(FILTER, "b", "new");
    reading.apply(changes(Change.inserted("a").of("7"), Change.updated(null, "b").of("7")), "0:2");
    assertThat(guards.adds(FILTER)).containsExactly(List.of("a"));
    assertThat(guards.isKept(FILTER, "b")).isTrue();
  }

  /** Of the same batch or not. */
  @Test
  void anotherTransactionsChangeOfTheSameKeyIsTakenIn() {
    ChangeReceiver.Reading reading = reading();
    feed.wrote("7", List.of("a", "b"), List.of());
    guards.keep(FILTER, "a", "new");
    reading.apply(changes(Change.inserted("a").of("7"), Change.updated(null, "a").of("8")), "0:2");
    assertThat(guards.isKept(FILTER, "a")).isFalse();

    guards.keep(FILTER, "b", "new");
    reading.apply(changes(Change.inserted("b").of("7")), "0:3");
    assertThat(guards.isKept(FILTER, "b")).isTrue();
    reading.apply(changes(Change.updated(null, "b")), "0:4");
    assertThat(guards.isKept(FILTER, "b")).isFalse();
  }

  @Test
  void spellingsOfAKeyAreOne() {
    feed = feed(KeyFolding.parse("lower.none.none"));
    reading().apply(changes(Change.updated("ADMIN", "admin")), "0:1");
    assertThat(guards.adds(FILTER)).isEmpty();
    assertThat(guards.removed(FILTER)).isEmpty();
  }

  @Test
  void keysThatBreakTheRulesAndNullsStopNothing() {
    reading()
        .apply(
            changes(
                Change.inserted(null),
                Change.inserted("\u0000"),
                Change.inserted(""),
                Change.inserted("good")),
            "0:4");
    assertThat(guards.adds(FILTER)).containsExactly(List.of("good"));
  }

  @Test
  void aTruncatedTableDropsAllValuesAndAsksForABuild() {
    ChangeReceiver.Reading reading = reading();
    guards.keep(FILTER, "a", "old");
    reading.apply(changes(Change.truncated()), "0:1");
    assertThat(feed.isBuildDue()).isTrue();
    assertThat(guards.isKept(FILTER, "a")).isFalse();
    assertThat(guards.adds(FILTER)).isEmpty();
  }

  /** The next reader applies them again. */
  @Test
  void thePositionStaysBeforeChangesThatFailed() {
    ChangeReceiver.Reading reading = reading();
    reading.apply(changes(Change.inserted("a")), "0:1");
    guards.refuse(FILTER, true);
    assertThatThrownBy(() -> reading.apply(changes(Change.inserted("b")), "0:2"))
        .isInstanceOf(AddFailedException.class);
    assertThat(record.read().position()).isEqualTo("0:1");
    guards.refuse(FILTER, false);
    assertThat(intake().begin().position()).isEqualTo("0:1");
  }

  @Test
  void aReaderThatWasReplacedIsToldSo() {
    ChangeReceiver.Reading before = reading();
    intake().begin();
    assertThatThrownBy(() -> before.apply(changes(Change.inserted("a")), "0:9"))
        .isInstanceOf(FeedTakenException.class);
    assertThatThrownBy(() -> before.complete(Duration.ZERO)).isInstanceOf(FeedTakenException.class);
    assertThat(record.read().position()).isEqualTo("0:0");
  }

  @Test
  void whatArrivesIsCounted() {
    reading().apply(changes(Change.inserted(1L), Change.inserted(2L), Change.truncated()), "0:3");
    assertThat(feed.applied(Change.Kind.INSERT)).isEqualTo(2);
    assertThat(feed.applied(Change.Kind.TRUNCATE)).isEqualTo(1);
    assertThat(feed.applied(Change.Kind.DELETE)).isZero();
  }

  private record OwnFeed() implements OwnWrites {

    @Override
    public boolean isShared() {
      return false;
    }

    @Override
    public Transactions.Id transaction() {
      return Transactions.Id.UNKNOWN;
    }

    @Override
    public void committed(String transaction, List<String> added, List<String> changed) {}
  }

  /** The generation that serves, as the intake sees it; the guards have stores of their own. */
  private static final class Served implements MembershipStore {

    private boolean removes = true;
    private long stamp = 1;

    @Override
    public Membership check(String key) {
      return Membership.UNKNOWN;
    }

    @Override
    public boolean[] addEach(List<String> keys) {
      throw new UnsupportedOperationException("The guards add");
    }

    @Override
    public boolean removes() {
      return removes;
    }

    @Override
    public long servingStamp() {
      return stamp;
    }
  }
}
