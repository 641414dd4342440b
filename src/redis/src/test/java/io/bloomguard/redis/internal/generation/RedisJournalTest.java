package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.journal.JournalMemory;
import io.bloomguard.guard.AddFailedException;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Past the bounds of its journals a filter in Redis refuses adds, and loses none it took. */
class RedisJournalTest extends RedisTestBase {

  private static final int NODE = 8_192;

  @Test
  void pastTheBoundInRedisAddsAreRefusedAndARebuildLosesNone() {
    SchemeStore store = bounded(100_000, RETENTION);
    List<String> added = new ArrayList<>();
    AddFailedException full =
        catchThrowableOfType(AddFailedException.class, () -> fill(store, added, 1));

    assertThat(full)
        .hasMessageContainingAll(
            "'" + filter + "'", "in Redis", "100000 bytes", JournalMemory.property(filter));
    assertThat(full.retryAfter()).isEqualTo(Duration.ofMinutes(1));
    assertThat(added).hasSizeGreaterThan(1_000);
    assertThat(journalBytes()).isLessThan(100_000 + NODE);

    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      assertThatThrownBy(() -> store.addAll(List.of("more")))
          .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL);
      build.publish();
    }
    assertThat(answered(store, added, POSSIBLY_PRESENT)).isEqualTo(added);
    assertThat(journalBytes()).isLessThan(100_000 + NODE);
  }

  @Test
  void pastTheBoundOnTheHeapAddsAreRefusedAndARebuildLosesNone() {
    SchemeStore store = bounded(100_000, RETENTION);
    List<String> added = new ArrayList<>();
    assertThatThrownBy(() -> fill(store, added, 500))
        .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL)
        .hasMessageContainingAll("on the heap", "100000 bytes", JournalMemory.property(filter));

    assertThat(added).hasSizeGreaterThan(7_000);
    build(store, SHAPE, List.of("s"));
    assertThat(answered(store, added, POSSIBLY_PRESENT)).isEqualTo(added);
  }

  /** In real time: entries grow old by the clock of Redis. */
  @Tag("waits")
  @Test
  void afterTheRetentionThereIsRoomAgain() {
    SchemeStore store = bounded(50_000, Duration.ofSeconds(3));
    List<String> added = new ArrayList<>();
    assertThatThrownBy(() -> fill(store, added, 1))
        .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL);

    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptionsMatching(
            e ->
                e instanceof AddFailedException add
                    && add.reason() == AddFailedException.Reason.FULL)
        .until(() -> store.addAll(List.of("late")) >= 0);
    store.maintain();
    assertThat(store.check("late")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.journalBytes()).isBetween(1L, 50_000L);
  }

  @Test
  void repeatsTakeNoHeap() {
    JournalMemory memory = memory(1 << 20);
    SchemeStore store = store(settings(memory, RETENTION), AT_ONCE);
    store.serveEmpty(SHAPE);
    List<String> keys = IntStream.range(0, 1_000).mapToObj(i -> "key-" + i).toList();
    store.addAll(keys);
    long taken = memory.taken();
    for (int repeat = 0; repeat < 30; repeat++) {
      store.addAll(keys);
    }
    assertThat(memory.taken()).isEqualTo(taken).isLessThan(30_000);
  }

  @Test
  void repeatsTakeNoRoomInRedis() {
    SchemeStore store = bounded(1 << 20, RETENTION);
    List<String> keys = IntStream.range(0, 1_000).mapToObj(i -> "key-" + i).toList();
    store.addAll(keys);
    long taken = journalBytes();
    for (int repeat = 0; repeat < 30; repeat++) {
      store.addAll(keys);
    }
    assertThat(journalBytes()).isEqualTo(taken).isLessThan(30_000);
    store.addAll(List.of("key-7", "new", "key-8"));
    assertThat(redis.commands().xrevrange(key("journal"), Range.unbounded(), Limit.from(1)))
        .singleElement()
        .satisfies(
            last ->
                assertThat(last.getBody().values()).anyMatch(value -> value.length == Long.BYTES));
    build(store, SHAPE, List.of("s"));
    assertThat(answered(store, keys, POSSIBLY_PRESENT)).isEqualTo(keys);
  }

  /** Entries that were lost stand for nothing: the repeat brings its own. */
  @Test
  void aRepeatAfterALossIsJournalledAgain() {
    SchemeStore store = bounded(1 << 20, RETENTION);
    store.addAll(List.of("a", "b"));
    redis.commands().del(key("journal"));
    store.addAll(List.of("a"));
    assertThat(redis.commands().xlen(key("journal"))).isEqualTo(1);
    build(store, SHAPE, List.of("s"));
    assertThat(answered(store, List.of("a"), POSSIBLY_PRESENT)).containsExactly("a");
  }

  /** What a process adds again may not be refused: the filter would stay unknown. */
  @Test
  void aLossAtTheBoundIsMadeGood() {
    SchemeStore store = bounded(100_000, RETENTION);
    List<String> added = new ArrayList<>();
    assertThatThrownBy(() -> fill(store, added, 1))
        .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL);

    redis.commands().hset(key("head"), "server".getBytes(UTF_8), "another".getBytes(UTF_8));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              store.maintain();
              return answered(store, added, POSSIBLY_PRESENT).equals(added);
            });
    assertThat(journalBytes()).isLessThan(200_000 + NODE);
  }

  private static void fill(GenerationStore store, List<String> added, int atOnce) {
    for (int from = 0; from < 100_000; from += atOnce) {
      List<String> keys = IntStream.range(from, from + atOnce).mapToObj(i -> "key-" + i).toList();
      store.addAll(keys);
      added.addAll(keys);
    }
  }

  private long journalBytes() {
    return redis.commands().memoryUsage(key("journal"));
  }

  private SchemeStore bounded(long bytes, Duration retention) {
    SchemeStore store = store(settings(memory(bytes), retention), AT_ONCE);
    store.serveEmpty(SHAPE);
    return store;
  }

  private JournalMemory memory(long bytes) {
    return JournalMemory.ofAll("all", 64 << 20).ofFilter(JournalMemory.property(filter), bytes);
  }

  private RedisFilter settings(JournalMemory memory, Duration retention) {
    return new RedisFilter(filter, SHAPE, first, "bloomguard", retention, memory, null, true);
  }
}
