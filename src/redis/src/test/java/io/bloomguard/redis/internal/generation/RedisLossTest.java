package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Redis has lost what it acknowledged: no key that any process has added is denied. In real time: a
 * doubt lasts for a second or more by the clock of Redis, which no test can set.
 */
@Tag("waits")
class RedisLossTest extends RedisTestBase {

  private static final List<String> SOURCE = List.of("s1", "s2");

  /** Long enough for both to come forward, and shorter than the usual ones. */
  private static final Limits LIMITS =
      Limits.USUAL.withGrace(Duration.ofSeconds(1)).withLifetime(Duration.ofSeconds(5));

  private SchemeStore a;
  private SchemeStore b;

  @BeforeEach
  void twoProcesses() {
    first.awaitConnected(Duration.ofSeconds(20));
    second.awaitConnected(Duration.ofSeconds(20));
    buildAlone(SHAPE, SOURCE);
    a = withSource(first);
    b = withSource(second);
    a.maintain();
    b.maintain();
    assertThat(b.checkAll(SOURCE)).containsOnly(POSSIBLY_PRESENT);
    assertThat(a.check("x")).isEqualTo(ABSENT);
  }

  @Test
  void aRestartFromADumpLosesNoAdd() {
    redis.commands().save();
    a.addAll(List.of("x"));
    b.addAll(List.of("y"));

    redis.restartFromDump();

    settles(List.of("x", "y", "s1"));
    assertThat(b.check("never")).isEqualTo(ABSENT);
  }

  @Tag("thorough")
  @Tag("long")
  @Test
  void aWriterThatIsAwayIsWaitedFor() {
    redis.commands().save();
    a.addAll(List.of("x"));

    redis.restartFromDump();

    await()
        .during(Duration.ofSeconds(3))
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              b.maintain();
              return b.check("x") == Membership.UNKNOWN;
            });
    settles(List.of("x"));
  }

  @Tag("thorough")
  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"image", "head", "all", "journal", "all but writers"})
  void whatIsPutBackFromAnOlderDumpIsNoticed(String what) {
    Map<byte[], byte[]> dump = dump(what);
    b.maintain();
    a.addAll(List.of("x"));

    restore(dump);
    assertNotDenied(b, "x");
    a.addAll(List.of("z"));
    b.addAll(List.of("y"));

    settles(List.of("x", "y", "z", "s2"));
  }

  @Test
  void aProcessThatStartsAfterwardsDoesNotHideTheLoss() {
    a.addAll(List.of("w"));
    a.maintain();
    Map<byte[], byte[]> dump = dump("all");
    a.addAll(List.of("x"));
    a.maintain();
    restore(dump);

    SchemeStore c = withSource(redis.connections());
    c.addAll(List.of("c"));
    c.maintain();

    a.maintain();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              for (GenerationStore store : List.of(a, b, c)) {
                store.maintain();
              }
              return c.check("x") == POSSIBLY_PRESENT && c.check("never") == ABSENT;
            });
  }

  /** The image of the later generation is still there, whole, and under the same epoch. */
  @Test
  void anImageThatARestoredHeadDoesNotKnowOfIsNotBelievedOnceAddsGoElsewhere() {
    Map<byte[], byte[]> dump = dump("all");
    build(a, SHAPE, SOURCE);
    a.maintain();
    b.maintain();
    assertThat(b.check("never")).isEqualTo(ABSENT);

    restore(dump);
    a.maintain();
    a.addAll(List.of("x"));

    assertNotDenied(b, "x");
    settles(List.of("x", "s1", "s2"));
  }

  @Test
  void anOldHeadWhoseImageServesNoMoreDoesNotStandInTheWay() {
    byte[] head = redis.commands().dump(key("head"));
    a.addAll(List.of("x"));
    build(a, SHAPE, SOURCE);
    restore(Map.of(key("head"), head));

    settles(List.of("x", "s1"));
  }

  @Test
  void aDoubtEndsThoughTheImageIsCutMeanwhile() {
    a.addAll(List.of("x"));
    byte[] image = image();
    long length = redis.commands().strlen(image);
    redis.commands().set(image, redis.commands().getrange(image, 0, length - 65));
    redis.commands().del(key("journal"));

    settles(List.of("x", "s1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"alone", "before a loss", "after a loss", "while it is built anew", "twice"})
  void anImageOfAWrongTypeIsReplaced(String when) {
    a.addAll(List.of("x"));
    if (when.equals("after a loss")) {
      redis.commands().del(key("journal"));
      b.maintain();
    }
    if (when.equals("while it is built anew")) {
      try (GenerationStore.Build build = a.beginBuild(SHAPE)) {
        build.addAll(new String[] {"s1"}, 1);
        wrongType();
        b.maintain();
        try {
          build.publish();
        } catch (RuntimeException e) {
          // Given up, and tried again.
          assertThat(e).isNotNull();
        }
      }
    } else {
      wrongType();
    }
    if (when.equals("before a loss")) {
      redis.commands().del(key("journal"));
    }
    settles(List.of("x", "s1", "s2"));
    if (when.equals("twice")) {
      wrongType();
      settles(List.of("x", "s1", "s2"));
    }
  }

  private void wrongType() {
    for (byte[] image : images()) {
      redis.commands().del(image);
      redis.commands().rpush(image, "not bits".getBytes(UTF_8));
    }
  }

  @Test
  void rowsOfOtherProgramsAreAskedForSinceTheLastSignOfLife() {
    List<Instant> asked = new ArrayList<>();
    b.refillAfterLoss(true, asked::add);
    Instant before = Instant.now().minus(RETENTION).minusSeconds(5);
    redis.commands().save();
    redis.restartFromDump();

    settles(List.of("s1"));
    assertThat(asked).isNotEmpty().allMatch(before::isBefore);
  }

  @Test
  void aBuildWhoseJournalIsLostIsNotServed() {
    try (GenerationStore.Build build = a.beginBuild(SHAPE)) {
      b.addAll(List.of("x"));
      build.addAll(new String[] {"s1"}, 1);
      redis.commands().del(key("journal"));
      b.addAll(List.of("y"));
      assertThatThrownBy(build::publish).isInstanceOf(IllegalStateException.class);
    }
    settles(List.of("x", "y", "s2"));
  }

  @Test
  void aBuildThatBeganBeforeARestartIsNotServed() {
    GenerationStore.Build build = a.beginBuild(SHAPE);
    build.addAll(new String[] {"s1"}, 1);
    redis.commands().save();
    redis.restartFromDump();
    first.awaitConnected(Duration.ofSeconds(20));

    assertThatThrownBy(build::publish).isInstanceOf(RuntimeException.class);
    build.close();
    settles(List.of("s1", "s2"));
  }

  @Test
  void aNewGenerationHasWhatWasAddedBeforeEverythingWasLost() {
    a.addAll(List.of("x"));
    b.addAll(List.of("y"));

    redis.commands().flushall();
    Thread other = maintaining(b);
    try (GenerationStore.Build build = a.beginBuild(SHAPE)) {
      build.addAll(new String[] {"s1"}, 1);
      build.publish();
    } finally {
      other.interrupt();
    }

    settles(List.of("x", "y", "s1"));
  }

  @Test
  void afterALongGapOnlyANewGenerationIsBelieved() {
    redis.commands().save();
    redis.restartFromDump();
    first.awaitConnected(Duration.ofSeconds(20));
    second.awaitConnected(Duration.ofSeconds(20));
    // As if the dump were ten minutes old.
    redis.commands().hset(key("head"), "since".getBytes(UTF_8), "1".getBytes(UTF_8));

    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              a.maintain();
              b.maintain();
              FilterStatus status = a.status();
              return status.state() == FilterState.DOUBTFUL && !status.isSettling();
            });
    assertThat(a.check("never")).isEqualTo(Membership.UNKNOWN);
    build(a, SHAPE, List.of("s1", "s2", "lost with the gap"));
    assertThat(a.check("never")).isEqualTo(ABSENT);
    assertThat(a.check("s1")).isEqualTo(POSSIBLY_PRESENT);

    assertThat(a.rollback()).as("to what lacks what was lost").isFalse();
    assertThat(images()).hasSize(1);
    assertThat(b.check("lost with the gap")).isEqualTo(POSSIBLY_PRESENT);
  }

  private SchemeStore withSource(RedisConnections connections) {
    SchemeStore store = store(settings(connections, SHAPE), LIMITS);
    store.refillAfterLoss(true, since -> {});
    return store;
  }

  /** Both come to decide again, and meanwhile nobody is denied a key. */
  private void settles(List<String> keys) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              boolean decided = true;
              for (SchemeStore store : List.of(a, b)) {
                for (String key : keys) {
                  assertNotDenied(store, key);
                  decided &= store.check(key) == POSSIBLY_PRESENT;
                }
                decided &= store.status().state() == FilterState.READY;
                store.maintain();
                FilterStatus status = store.status();
                if (status.state() != FilterState.READY && !status.isSettling()) {
                  rebuild(store);
                }
              }
              return decided;
            });
  }

  /** The other process goes on meanwhile; if it did not, the build would wait until it is gone. */
  private void rebuild(SchemeStore store) throws InterruptedException {
    Thread other = maintaining(store == a ? b : a);
    try {
      build(store, SHAPE, SOURCE);
    } catch (RuntimeException e) {
      // Not yet; asked again.
      assertThat(e).isNotNull();
    } finally {
      other.interrupt();
      other.join();
    }
  }

  private static void assertNotDenied(SchemeStore store, String key) {
    assertThat(store.check(key)).isNotEqualTo(ABSENT);
  }

  private Map<byte[], byte[]> dump(String what) {
    List<byte[]> keys = new ArrayList<>();
    if (!what.equals("head") && !what.equals("journal")) {
      keys.add(image());
    }
    if (what.equals("head") || what.startsWith("all")) {
      keys.add(key("head"));
    }
    if (what.equals("journal") || what.startsWith("all")) {
      keys.add(key("journal"));
    }
    if (what.equals("all")) {
      keys.add(key("writers"));
    }
    Map<byte[], byte[]> dump = new HashMap<>();
    keys.forEach(key -> dump.put(key, redis.commands().dump(key)));
    return dump;
  }

  private void restore(Map<byte[], byte[]> dump) {
    redis
        .commands()
        .eval(
            "for i = 1, #KEYS do redis.call('DEL', KEYS[i]) if ARGV[i] ~= '' then"
                + " redis.call('RESTORE', KEYS[i], 0, ARGV[i]) end end return 1",
            io.lettuce.core.ScriptOutputType.INTEGER,
            dump.keySet().toArray(new byte[0][]),
            dump.values().stream().map(v -> v == null ? new byte[0] : v).toArray(byte[][]::new));
  }
}
