package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.partition.Clocks;
import io.bloomguard.redis.internal.partition.PartitionReplica;
import io.bloomguard.redis.internal.replica.JournalPage;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.XTrimArgs;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What a process answers from its own copy, and when it does not. The test turns the sync. */
@ExtendWith(OutputCaptureExtension.class)
class RedisReplicaTest extends RedisTestBase {

  private static final Duration LEASE = Duration.ofMillis(200);
  private static final long LARGE = 64 << 20;

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
  private final AtomicLong millis = new AtomicLong(1_000_000);

  @Test
  void aLeasedCopyNeedsNoRoundTrip() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, numbers(0, 1_000));
    turn(here);

    long before = checksInRedis();
    assertThat(here.checkAll(numbers(0, 1_000))).containsOnly(POSSIBLY_PRESENT);
    for (long key = 0; key < 1_000; key++) {
      assertThat(here.check(key)).isEqualTo(POSSIBLY_PRESENT);
    }
    assertThat(here.check("absent")).isEqualTo(ABSENT);
    assertThat(here.checkAll(List.of("1", "absent", "2")))
        .containsExactly(POSSIBLY_PRESENT, ABSENT, POSSIBLY_PRESENT);
    assertThat(here.checkAsync(List.of("absent"), Runnable::run))
        .isCompletedWithValueMatching(answers -> answers[0] == ABSENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  @Test
  void anAddElsewhereIsSeenOnceItIsAcknowledged() throws Exception {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    PendingAdd added = there.beginAdd(numbers(0, 300));
    assertThat(here.check("1")).isEqualTo(ABSENT);

    // Two polls: the first reads what was added, the second reports it.
    CompletableFuture<Void> acknowledged = CompletableFuture.runAsync(added::await);
    turn(here);
    acknowledged.get(1, TimeUnit.MINUTES);

    long before = checksInRedis();
    assertThat(here.checkAll(numbers(0, 300))).containsOnly(POSSIBLY_PRESENT);
    assertThat(checksInRedis()).isEqualTo(before);
    assertThat(there.copyWaits().adds()).isEqualTo(1);
    assertThat(there.copyWaits().ranOut()).isZero();
  }

  @Test
  void aKnownFalsePositiveIsAbsentUntilItsAddElsewhereIsAcknowledged() throws Exception {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, Sizing.blocked(1_000, 0.001, 8), numbers(0, 1_000));
    turn(here);
    String key = answered(here, numbers(-10_000, 0), POSSIBLY_PRESENT).get(0);
    long hash = here.hasher().hash(key);
    assertThat(here.foundNothing(hash)).isFalse();
    long later = RETENTION.multipliedBy(2).toMillis();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(later));
    millis.addAndGet(later);
    turn(here);
    assertThat(here.foundNothing(hash)).isTrue();
    assertThat(here.check(key)).isEqualTo(ABSENT);
    assertThat(here.checkAll(List.of("1", key))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(there.foundNothing(hash)).as("without a copy").isNull();

    PendingAdd added = there.beginAdd(List.of(key));
    assertThat(here.check(key)).isEqualTo(ABSENT);
    CompletableFuture<Void> acknowledged = CompletableFuture.runAsync(added::await);
    turn(here);
    acknowledged.get(1, TimeUnit.MINUTES);
    long before = checksInRedis();
    assertThat(here.check(key)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  /** A copy that hears of an entry reports it with its first poll. */
  @Test
  void aMessageSparesAPoll() throws Exception {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    try (Messages messages = new Messages()) {
      PendingAdd added = there.beginAdd(List.of("b", "c"));
      here.sync().hear(0, messages.next());
      assertThat(pollsOfTurn(here)).isEqualTo(1);
      added.await();
      assertThat(there.copyWaits().ranOut()).isZero();
      assertThat(here.checkAll(List.of("b", "c"))).containsOnly(POSSIBLY_PRESENT);

      // After a gap, and late: the page has both entries.
      there.beginAdd(List.of("d"));
      byte[] missed = messages.next();
      PendingAdd last = there.beginAdd(List.of("e"));
      here.sync().hear(0, messages.next());
      assertThat(pollsOfTurn(here)).isEqualTo(2);
      last.await();
      here.sync().hear(0, missed);
      assertThat(pollsOfTurn(here)).isEqualTo(1);
      assertThat(there.copyWaits().ranOut()).isZero();

      // More than are kept.
      List<String> many = new ArrayList<>(numbers(0, 100));
      for (String key : many) {
        last = there.beginAdd(List.of(key));
        here.sync().hear(0, messages.next());
      }
      assertThat(pollsOfTurn(here)).isEqualTo(2);
      last.await();
      assertThat(there.copyWaits().ranOut()).isZero();
      many.addAll(List.of("d", "e"));
      long before = checksInRedis();
      assertThat(here.checkAll(many)).containsOnly(POSSIBLY_PRESENT);
      assertThat(checksInRedis()).isEqualTo(before);
    }
  }

  /** Another user of Redis may send on the channel. */
  @Test
  void aMessageOfAnEntryThatDoesNotExistIsNeitherReportedNorPolledFrom() throws Exception {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    try (Messages messages = new Messages()) {
      there.beginAdd(List.of("b"));
      String[] real = new String(messages.next(), ISO_8859_1).split("\n", 6);
      String forged = String.join("\n", real[0], real[1], "9999999999999-0", real[3], real[4], "");
      here.sync().hear(0, forged.getBytes(ISO_8859_1));
      long registrations = redis.calls("hset");
      turn(here);
      assertThat(redis.calls("hset")).isEqualTo(registrations);

      there.addAll(List.of("c"));
      assertThat(here.checkAll(List.of("b", "c"))).containsOnly(POSSIBLY_PRESENT);
    }
  }

  private long pollsOfTurn(SchemeStore here) {
    long before = redis.calls("evalsha");
    turn(here);
    return redis.calls("evalsha") - before;
  }

  /** The messages of adds to the test's filter. */
  private final class Messages implements AutoCloseable {

    private final BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
    private final RedisClient client =
        RedisClient.create(RedisURI.create("127.0.0.1", redis.port()));

    Messages() {
      StatefulRedisPubSubConnection<byte[], byte[]> connection =
          client.connectPubSub(ByteArrayCodec.INSTANCE);
      connection.addListener(
          new RedisPubSubAdapter<>() {
            @Override
            public void message(byte[] channel, byte[] message) {
              queue.add(message);
            }
          });
      connection.sync().subscribe(key("head"));
    }

    byte[] next() throws InterruptedException {
      byte[] message = queue.poll(1, TimeUnit.MINUTES);
      assertThat(message).isNotNull();
      return message;
    }

    @Override
    public void close() {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  @Test
  void aCopyThatStoppedIsWaitedForOnce() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);

    long begun = System.nanoTime();
    there.addAll(List.of("b"));
    assertThat(System.nanoTime() - begun).isGreaterThan(LEASE.toNanos());
    assertThat(there.copyWaits().ranOut()).isEqualTo(1);
    there.addAll(List.of("c"));
    assertThat(there.copyWaits().ranOut()).isEqualTo(1);
    assertThat(there.copyWaits().adds()).isEqualTo(1);

    turn(here);
    assertThat(here.checkAll(List.of("a", "b", "c"))).containsOnly(POSSIBLY_PRESENT);
    there.beginAdd(List.of("d"));
    assertThat(here.check("d")).isEqualTo(ABSENT);
  }

  /** As during an upgrade from a version that knows no leases. */
  @Test
  void noCopyHoldsALeaseBesideAWriterThatDoesNotWait() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    assertCopied(here, true);
    PendingAdd added = there.beginAdd(List.of("b"));

    writes("older", 10);
    turn(here);
    assertCopied(here, false);
    // While it may have held one, the register did not lose it.
    assertThat(copies()).isEqualTo(1);
    turn(here);
    assertCopied(here, false);
    assertThat(copies()).isZero();
    added.await();
    assertThat(there.copyWaits().ranOut()).isZero();

    writes("older", -59);
    turn(here);
    assertCopied(here, false);
    writes("older", -61);
    turn(here);
    assertCopied(here, true);
    assertThat(copies()).isEqualTo(1);
  }

  /** Writes the entry of a process without the mark, whose time ends in so many seconds. */
  private void writes(String writer, long seconds) {
    String losses = new String(redis.commands().hget(key("head"), "losses".getBytes(UTF_8)), UTF_8);
    long ends = (System.currentTimeMillis() + 1_000 * seconds) * 1_000;
    redis
        .commands()
        .hset(key("writers"), writer.getBytes(UTF_8), (losses + "|" + ends + "|0").getBytes(UTF_8));
  }

  /** The number of copies on the register. */
  private long copies() {
    return redis.commands().hkeys(key("head")).stream()
        .filter(name -> new String(name, UTF_8).startsWith("copy:"))
        .count();
  }

  /** Its transaction took longer than a lease, and the copy has polled meanwhile. */
  @Test
  void aLateWaitFindsNoLeaseThatRanOut() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    PendingAdd added = there.beginAdd(List.of("b"));
    there.addAll(List.of("c"));
    assertThat(there.copyWaits().ranOut()).isEqualTo(1);

    turn(here);
    added.await();

    assertThat(there.copyWaits().ranOut()).isEqualTo(1);
    assertThat(copies()).isEqualTo(1);
  }

  @Test
  void aWaitEndsOnNoThreadOfTheWriter() throws Exception {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    CompletableFuture<?> told = told(there.beginAdd(List.of("b")));
    assertThat(told).isNotDone();

    turn(here);

    told.get(1, TimeUnit.MINUTES);
    assertThat(here.check("b")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(there.copyWaits().ranOut()).isZero();
  }

  private static CompletableFuture<?> told(PendingAdd added) {
    return added.waits().get(0).told().toCompletableFuture();
  }

  @Test
  void aWaitEndsWithTheLeasesThoughRedisIsGone() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    PendingAdd added = there.beginAdd(List.of("b"));
    redis.stop();
    try {
      added.await();
    } finally {
      restart();
    }
    assertThat(there.copyWaits().ranOut()).isEqualTo(1);
  }

  /** As that of a long transaction, within which every copy has polled, or its lease has ended. */
  @Test
  void aWriteThatTookLongerThanALeaseWaitsForNothing() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    PendingAdd early = there.beginAdd(List.of("b"));
    there.addAll(List.of("c"));
    assertThat(there.copyWaits().ranOut()).isEqualTo(1);

    assertThat(told(early)).isDone();

    assertThat(there.copyWaits().adds()).isEqualTo(1);
    assertThat(there.copyWaits().ranOut()).isEqualTo(1);
  }

  @Test
  void aLaterWaitIncludesTheEarlierOnesOfItsPartition() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    PendingAdd.Wait early = there.beginAdd(List.of("b")).waits().get(0);
    PendingAdd.Wait late = there.beginAdd(List.of("c")).waits().get(0);
    assertThat(late.includes(early)).isTrue();
    assertThat(late.includes(store(first).beginAdd(List.of("d")).waits().get(0))).isFalse();
  }

  @Test
  void aLeaseEndsWithTheFirstOfTwoClocks() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    long usable = LEASE.minus(ReplicaSettings.margin(LEASE)).toMillis();
    turn(here);

    nanos.addAndGet(usable * 1_000_000 - 1);
    millis.addAndGet(usable - 1);
    assertCopied(here, true);
    nanos.incrementAndGet();
    assertCopied(here, false);

    turn(here);
    assertCopied(here, true);
    millis.addAndGet(usable);
    assertCopied(here, false);

    turn(here);
    assertCopied(here, true);
    millis.decrementAndGet();
    assertCopied(here, false);
    assertThat(here.likelyPresent("a")).isTrue();
  }

  private void assertCopied(SchemeStore here, boolean copied) {
    long before = checksInRedis();
    assertThat(here.check("a")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(here.check("never")).isEqualTo(ABSENT);
    assertThat(here.checkAll(List.of("a", "never"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(checksInRedis()).isEqualTo(copied ? before : before + 3);
  }

  @Test
  void aProcessSeesItsOwnAddsAtOnce() {
    SchemeStore here = replica();
    here.serveEmpty(SHAPE);
    turn(here);
    assertThat(here.check("mine")).isEqualTo(ABSENT);

    here.addAll(List.of("mine"));

    long before = checksInRedis();
    assertThat(here.check("mine")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  @Test
  void aNewGenerationIsLoadedAndTheOldCopyAnswersNoMore() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("old", "both"));
    turn(here);
    FilterShape larger = Sizing.shape(Layout.BLOCKED, 40_000, 1e-9);

    build(there, larger, List.of("new", "both"));
    turn(here);

    long before = checksInRedis();
    assertThat(here.check("new")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(here.check("old")).isEqualTo(ABSENT);
    assertThat(checksInRedis()).isGreaterThan(before);

    turn(here);
    before = checksInRedis();
    assertThat(here.checkAll(List.of("new", "both", "old")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  /** Its copy is one like any other: nothing tells it in the process, as it is told of adds. */
  @Test
  void theProcessThatBuildsWaitsForItsOwnCopy() {
    SchemeStore alone =
        store(
            settings(second, SHAPE, new ReplicaSettings(LARGE, LEASE)),
            SECRET,
            KeyHash.SIPHASH_1_3,
            AT_ONCE,
            Clocks.SYSTEM);
    build(alone, SHAPE, List.of("a"));
    turn(alone);
    build(alone, SHAPE, List.of("a", "b"));
    assertThat(alone.check("b")).isEqualTo(POSSIBLY_PRESENT);

    turn(alone);
    alone.rollback();
    assertThat(alone.check("b")).isEqualTo(ABSENT);
  }

  @Test
  void aRollbackIsFollowed() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("old"));
    build(there, SHAPE, List.of("new"));
    turn(here, 2);
    assertThat(here.check("old")).isEqualTo(ABSENT);

    assertThat(there.rollback()).isTrue();

    turn(here);
    assertThat(here.check("old")).isEqualTo(POSSIBLY_PRESENT);
    turn(here);
    assertThat(here.check("new")).isEqualTo(ABSENT);
    assertThat(here.check("old")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** Its copy is not told of a swap as it is of an add. */
  @Test
  void aRebuildWaitsForTheCopyOfItsOwnProcess() {
    SchemeStore here = replica();
    build(here, SHAPE, List.of("a"));
    turn(here);
    assertThat(here.check("row")).isEqualTo(ABSENT);

    long begun = System.nanoTime();
    build(here, SHAPE, List.of("a", "row"));

    assertThat(System.nanoTime() - begun).isGreaterThan(LEASE.toNanos());
    assertThat(here.copyWaits().ranOut()).isEqualTo(1);
  }

  @Test
  void aRollbackWaitsForTheCopyOfItsOwnProcess() {
    SchemeStore here = replica();
    build(here, SHAPE, List.of("old"));
    build(here, SHAPE, List.of("new"));
    turn(here);
    assertThat(here.check("old")).isEqualTo(ABSENT);

    long begun = System.nanoTime();
    assertThat(here.rollback()).isTrue();

    assertThat(System.nanoTime() - begun).isGreaterThan(LEASE.toNanos());
    assertThat(here.copyWaits().ranOut()).isEqualTo(1);
  }

  @Test
  void aTrimmedJournalIsAGap() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    there.serveEmpty(SHAPE);
    there.addAll(List.of("before"));
    turn(here);
    there.addAll(List.of("lost"));
    there.addAll(List.of("kept"));

    redis.commands().xtrim(key("journal"), XTrimArgs.Builder.maxlen(1));

    turn(here);
    assertThat(here.checkAll(List.of("before", "lost", "kept"))).containsOnly(POSSIBLY_PRESENT);
    turn(here);
    long before = checksInRedis();
    assertThat(here.checkAll(List.of("before", "lost", "kept"))).containsOnly(POSSIBLY_PRESENT);
    assertThat(here.check("never")).isEqualTo(ABSENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  @Test
  void aLostJournalIsAGap() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    there.serveEmpty(SHAPE);
    there.addAll(List.of("before"));
    turn(here);
    there.addAll(List.of("lost"));

    redis.commands().del(key("journal"));
    turn(here);
    assertThat(here.check("lost")).isNotEqualTo(ABSENT);

    turn(here, 2);
    there.addAll(List.of("lost too"));
    there.addAll(List.of("kept"));
    redis.commands().del(key("journal"));
    there.addAll(List.of("after"));
    turn(here);
    assertThat(here.checkAll(List.of("lost", "lost too", "kept", "after"))).doesNotContain(ABSENT);
  }

  @Test
  void aJournalOfAnotherTypeIsDoubt() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    there.addAll(List.of("b"));
    turn(here);
    redis.commands().set(key("journal"), key("journal"));
    turn(here);
    assertThat(here.check("a")).isEqualTo(UNKNOWN);
    assertThat(here.check("c")).isEqualTo(UNKNOWN);
  }

  /** An idle journal loses its old entries by and by; nothing is missing then. */
  @Test
  void whatWasTrimmedAfterItWasReadIsNoGap() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    there.serveEmpty(SHAPE);
    there.addAll(List.of("a"));
    turn(here);
    redis.commands().xtrim(key("journal"), XTrimArgs.Builder.maxlen(0));
    turn(here);
    there.addAll(List.of("b"));
    turn(here);

    long before = checksInRedis();
    assertThat(here.checkAll(List.of("a", "b"))).containsOnly(POSSIBLY_PRESENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  @Test
  void aLongJournalIsReadToItsEnd() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    there.serveEmpty(SHAPE);
    there.addAll(List.of("first"));
    turn(here);
    List<String> keys = numbers(0, 3 * JournalPage.PAGE + 7);
    keys.forEach(key -> there.addAll(List.of(key)));

    turn(here);

    long before = checksInRedis();
    assertThat(here.checkAll(keys)).containsOnly(POSSIBLY_PRESENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  @Test
  void aDamagedImageOrALostHeadIsDoubt() {
    SchemeStore there = store(first);
    SchemeStore here = replica();
    build(there, SHAPE, List.of("a"));
    turn(here);
    assertThat(here.check("b")).isEqualTo(ABSENT);

    redis.commands().setrange(image(), 0, new byte[8]);
    turn(here);
    assertThat(here.check("a")).isEqualTo(UNKNOWN);
    assertThat(here.check("b")).isEqualTo(UNKNOWN);
    assertThat(here.likelyPresent("a")).isTrue();
    assertThat(here.likelyPresent("b")).isFalse();

    build(there, SHAPE, List.of("a"));
    turn(here, 2);
    assertThat(here.check("b")).isEqualTo(ABSENT);
    redis.commands().del(image());
    turn(here);
    assertThat(here.check("b")).isEqualTo(UNKNOWN);

    build(there, SHAPE, List.of("a"));
    turn(here, 2);
    assertThat(here.check("b")).isEqualTo(ABSENT);
    redis.commands().del(key("head"));
    turn(here);
    redis.commands().del(image());
    assertThat(here.check("b")).isEqualTo(UNKNOWN);
  }

  @Test
  void withoutRedisTheCopyAnswersWithinItsBoundAndIsAHintAfterwards() {
    SchemeStore here = replica();
    build(here, SHAPE, List.of("a"));
    // A poll that takes too long gives no lease, and Redis answers for the copy as long as it can.
    await()
        .until(
            () -> {
              turn(here);
              PartitionReplica copy = here.partitions()[0].replica();
              return copy != null && copy.isLeased();
            });

    redis.stop();
    try {
      turn(here);
      assertThat(here.checkAll(List.of("a", "b"))).containsExactly(POSSIBLY_PRESENT, ABSENT);

      nanos.addAndGet(LEASE.toNanos() + 1);
      turn(here);
      assertThat(here.checkAll(List.of("a", "b"))).containsExactly(UNKNOWN, UNKNOWN);
      assertThat(here.likelyPresent("a")).isTrue();
      assertThat(here.likelyPresent("b")).isFalse();
      assertThat(store(first).likelyPresent("a")).isFalse();
    } finally {
      restart();
    }
  }

  private void restart() {
    redis.restart();
    for (RedisConnections each : List.of(first, second)) {
      await().ignoreExceptions().until(() -> ping(each.requests()) && ping(each.builds()));
    }
  }

  @Test
  void anImageThatIsTooLargeIsNotCopied(CapturedOutput output) {
    SchemeStore there = store(first);
    SchemeStore here = replica(SHAPE, SHAPE.sizeBytes() - 1);
    build(there, SHAPE, List.of("a"));
    turn(here, 3);

    long before = checksInRedis();
    assertThat(here.checkAll(List.of("a", "b"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(checksInRedis()).isEqualTo(before + 1);
    assertThat(here.replicaLagSeconds()).isNaN();
    assertThat(output.getOut().split("Filter '" + filter + "' has an image of", -1)).hasSize(2);
    assertThat(output).contains(SHAPE.sizeBytes() + " bytes", "replica.max-size");

    build(there, Sizing.shape(Layout.BLOCKED, 1_000, 1e-6), List.of("a"));
    turn(here, 2);
    before = checksInRedis();
    assertThat(here.checkAll(List.of("a", "b"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  @Test
  void theLagIsTheTimeSinceTheLastCompleteLook() {
    SchemeStore here = replica();
    nanos.addAndGet(1_500_000_000);
    assertThat(here.replicaLagSeconds()).isEqualTo(1.5);
    here.serveEmpty(SHAPE);
    turn(here);
    assertThat(here.replicaLagSeconds()).isZero();
    nanos.addAndGet(250_000_000);
    assertThat(here.replicaLagSeconds()).isEqualTo(0.25);
    turn(here);
    assertThat(here.replicaLagSeconds()).isZero();
    assertThat(store(first).replicaLagSeconds()).isNaN();
  }

  /** On a clock that is far from zero, as clocks are. */
  @Test
  void aCopyThatFoundNoConnectionIsLoadedAsSoonAsThereIsOne() {
    nanos.set(Duration.ofDays(1).toNanos());
    build(store(first), SHAPE, List.of("a"));
    ReplicaSettings settings = new ReplicaSettings(LARGE, LEASE);
    try (RedisConnections late =
        new RedisConnections(EmbeddedRedis.factory(redis.port()), Duration.ofSeconds(5))) {
      SchemeStore here =
          store(settings(late, SHAPE, settings), SECRET, KeyHash.SIPHASH_1_3, AT_ONCE, clocks());
      nanos.addAndGet(1);
      turn(here);
      assertThat(here.replicaLagSeconds()).isPositive();

      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> {
                turn(here);
                return here.replicaLagSeconds() == 0;
              });
    }
  }

  /** On a clock that makes every turn read one chunk and no more. */
  @Test
  void whatIsAddedDuringTheLoadIsInTheCopy() {
    AtomicLong step = new AtomicLong(LEASE.toNanos());
    FilterShape large = Sizing.shape(Layout.BLOCKED, 200_000, 1e-9);
    SchemeStore there = store(first, large);
    build(there, large, List.of("a"));
    SchemeStore here =
        replica(large, LARGE, new Clocks(() -> nanos.addAndGet(step.get()), millis::get));
    turn(here);
    assertThat(here.likelyPresent("a")).isFalse();

    there.addAll(numbers(0, 1_000));
    turn(here, 10);
    step.set(0);
    turn(here);

    long before = checksInRedis();
    assertThat(here.checkAll(numbers(0, 1_000))).containsOnly(POSSIBLY_PRESENT);
    assertThat(here.check("absent")).isEqualTo(ABSENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  /** Each write would wait for it, and the copy would hardly answer a check. */
  @Test
  void aCopyWhosePollsTakeTooLongIsNotWaitedFor() {
    AtomicLong step = new AtomicLong();
    SchemeStore there = store(first);
    build(there, SHAPE, List.of("a"));
    SchemeStore here =
        replica(SHAPE, LARGE, new Clocks(() -> nanos.addAndGet(step.get()), millis::get));
    turn(here);
    assertCopied(here, true);

    step.set(LEASE.toNanos() * 3 / 5);
    turn(here);
    assertCopied(here, false);
    // While it may have held a lease, the register did not lose it.
    assertThat(copies()).isEqualTo(1);
    for (int i = 0; i < 3; i++) {
      turn(here);
      assertThat(copies()).isZero();
    }

    step.set(0);
    turn(here);
    assertCopied(here, true);
    assertThat(copies()).isEqualTo(1);
  }

  /** It may be on the register, for its first poll may have come as far as Redis. */
  @Test
  void aCopyThatIsGivenUpBeforeItsFirstLeaseIsNotWaitedFor() {
    AtomicLong step = new AtomicLong(LEASE.toNanos());
    FilterShape large = Sizing.shape(Layout.BLOCKED, 200_000, 1e-9);
    SchemeStore there = store(first, large);
    build(there, large, List.of("a"));
    SchemeStore here =
        replica(large, LARGE, new Clocks(() -> nanos.addAndGet(step.get()), millis::get));
    turn(here);
    there.addAll(List.of("b"));
    there.addAll(List.of("c"));
    redis.commands().xtrim(key("journal"), XTrimArgs.Builder.maxlen(1));

    step.set(0);
    turn(here);

    assertThat(here.likelyPresent("a")).isFalse();
    assertThat(copies()).isZero();
  }

  /** Checks wait for a change of schemes, and so it must not wait for a Redis that hangs. */
  @Test
  void aStoppedCopyLeavesTheRegisterByItself() {
    SchemeStore here = replica();
    build(here, SHAPE, List.of("a"));
    here.startReplica();
    await().until(() -> copies() == 1);
    try (EmbeddedRedis.Halt halt = redis.halt()) {
      here.stopReplica();
      assertThat(feeds()).isNotEmpty();
    }
    await().until(() -> copies() == 0 && feeds().findAny().isEmpty());
    assertThat(here.check("b")).isEqualTo(ABSENT);
  }

  /** It refuses a script's first write alone, so that none takes half a copy off. */
  @Test
  void aCopyLeavesTheRegisterOfAServerWithoutMemory() {
    SchemeStore here = replica();
    build(here, SHAPE, List.of("a"));
    here.startReplica();
    await().until(() -> copies() == 1);
    byte[] losses = "losses".getBytes(UTF_8);
    byte[] before = redis.commands().hget(key("head"), losses);
    redis.commands().configSet("maxmemory", "1");
    try {
      here.stopReplica();
      await().until(() -> copies() == 0);
    } finally {
      redis.commands().configSet("maxmemory", "0");
    }

    here.maintain();
    assertThat(redis.commands().hget(key("head"), losses)).isEqualTo(before);
  }

  private static Stream<Thread> feeds() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("bloomguard-replica-"));
  }

  @Test
  void everyPartitionHasItsOwnCopy() {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 100_000, 1e-9);
    SchemeStore there = parts(first, shape, null);
    SchemeStore here = parts(second, shape, new ReplicaSettings(LARGE, LEASE));
    build(there, shape, numbers(0, 5_000));
    assertThat(images().size()).isGreaterThan(2);
    turn(here);
    there.addAll(numbers(5_000, 6_000));
    turn(here, 2);

    long before = checksInRedis();
    assertThat(here.checkAll(numbers(0, 6_000))).containsOnly(POSSIBLY_PRESENT);
    assertThat(here.checkAll(numbers(6_000, 7_000))).containsOnly(ABSENT);
    assertThat(checksInRedis()).isEqualTo(before);
  }

  private static boolean ping(RedisLink link) {
    return "PONG".equals(Replies.await(link.call(c -> c.ping()), Duration.ofSeconds(1)));
  }

  /** Lets a replica poll once. */
  private static void turn(SchemeStore store) {
    turn(store, 1);
  }

  private static void turn(SchemeStore store, int times) {
    for (int i = 0; i < times; i++) {
      store.sync().turn();
    }
  }

  /** Commands of checks that Redis has had. */
  private long checksInRedis() {
    String stats = redis.commands().info("commandstats");
    Matcher calls = Pattern.compile("cmdstat_bitfield_ro:calls=(\\d+)").matcher(stats);
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  private SchemeStore replica() {
    return replica(SHAPE, LARGE);
  }

  private SchemeStore replica(FilterShape shape, long maxBytes) {
    return replica(shape, maxBytes, clocks());
  }

  private SchemeStore replica(FilterShape shape, long maxBytes, Clocks clocks) {
    return store(
        settings(second, shape, new ReplicaSettings(maxBytes, LEASE)),
        SECRET,
        KeyHash.SIPHASH_1_3,
        AT_ONCE,
        clocks);
  }

  private Clocks clocks() {
    return new Clocks(nanos::get, millis::get);
  }

  private SchemeStore parts(
      RedisConnections connections, FilterShape shape, ReplicaSettings settings) {
    return store(
        settings(connections, shape, settings),
        SECRET,
        KeyHash.SIPHASH_1_3,
        AT_ONCE.withMaxImageBytes(shape.sizeBytes() / 3),
        clocks());
  }
}
