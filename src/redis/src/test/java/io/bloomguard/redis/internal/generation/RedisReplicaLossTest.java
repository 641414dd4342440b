package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.redis.internal.partition.Clocks;
import io.lettuce.core.RestoreArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No copy is made of what has lost an acknowledged add, and none outlives its server. In real time:
 * a doubt lasts for a second or more by the clock of Redis, which no test can set.
 */
@Tag("waits")
class RedisReplicaLossTest extends RedisTestBase {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration LEASE = Duration.ofMillis(500);

  private SchemeStore there;
  private SchemeStore here;

  @BeforeEach
  void twoProcesses() {
    first.awaitConnected(LONG);
    second.awaitConnected(LONG);
    there = store(first);
    here = replica();
    build(there, SHAPE, List.of("source"));
    there.maintain();
    here.maintain();
    here.sync().turn();
  }

  @ParameterizedTest
  @ValueSource(strings = {"image", "head", "head and image"})
  void whatWasPutBackIsNotCopied(String what) {
    List<byte[]> keys = new ArrayList<>();
    if (what.contains("head")) {
      keys.add(key("head"));
    }
    if (what.contains("image")) {
      keys.add(image());
    }
    List<byte[]> dumps = keys.stream().map(key -> redis.commands().dump(key)).toList();
    there.addAll(List.of("lost"));
    here.sync().turn();
    assertThat(here.check("lost")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(here.check("never")).isEqualTo(ABSENT);

    for (int i = 0; i < keys.size(); i++) {
      redis.commands().restore(keys.get(i), dumps.get(i), RestoreArgs.Builder.ttl(0).replace());
    }
    here.sync().turn();
    here.sync().turn();

    // Believed no more, neither the copy nor a new one.
    assertThat(known(here, "never")).isEqualTo(Membership.UNKNOWN);
    assertThat(here.check("lost")).isNotEqualTo(ABSENT);
    settles();
  }

  @Test
  void aServerThatComesBackFromADumpIsFollowedAfterTheDoubtHasEnded() {
    redis.commands().save();
    there.addAll(List.of("lost"));
    here.sync().turn();

    redis.restartFromDump();
    first.awaitConnected(LONG);
    second.awaitConnected(LONG);

    here.sync().turn();
    assertThat(known(here, "lost")).isEqualTo(Membership.UNKNOWN);
    assertThat(here.likelyPresent("lost")).isTrue();
    settles();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRegisterThatIsLostOrPutBackAloneIsALoss(boolean putBack) {
    SchemeStore writer = store(first, SHAPE, Limits.USUAL);
    // Strikes the other copy, and knows the server for long enough afterwards.
    writer.addAll(List.of("earlier"));
    byte[] before = redis.commands().dump(key("head"));
    SchemeStore copy = replica();
    turnUntilCopied(copy);

    if (putBack) {
      redis.commands().restore(key("head"), before, RestoreArgs.Builder.ttl(0).replace());
    } else {
      dropRegister();
    }
    long begun = System.nanoTime();
    writer.addAll(List.of("added"));

    assertThat(System.nanoTime() - begun).isGreaterThan(LEASE.toNanos());
    copy.sync().turn();
    assertThat(known(copy, "added")).isNotEqualTo(ABSENT);
  }

  @Test
  void aRegisterThatIsLostDuringAWaitEndsNoWait() {
    PendingAdd added = there.beginAdd(List.of("added"));
    long begun = System.nanoTime();
    dropRegister();
    added.await();

    assertThat(System.nanoTime() - begun).isGreaterThan(LEASE.toNanos() / 2);
  }

  private void dropRegister() {
    List<byte[]> copies =
        redis.commands().hkeys(key("head")).stream()
            .filter(field -> new String(field, UTF_8).startsWith("copy:"))
            .toList();
    assertThat(copies).isNotEmpty();
    redis.commands().hdel(key("head"), copies.toArray(byte[][]::new));
  }

  private static void turnUntilCopied(SchemeStore copy) {
    await()
        .atMost(LONG)
        .until(
            () -> {
              copy.sync().turn();
              return known(copy, "never") == ABSENT;
            });
  }

  /** Both settle; no answer on the way is a wrong one, and the copy answers again. */
  private void settles() {
    await()
        .atMost(LONG)
        .until(
            () -> {
              here.sync().turn();
              assertThat(here.check("lost")).isNotEqualTo(ABSENT);
              here.maintain();
              there.maintain();
              return known(here, "never") == ABSENT;
            });
    assertThat(known(here, "lost")).isEqualTo(POSSIBLY_PRESENT);
  }

  private static Membership known(SchemeStore store, String key) {
    long hash = KeyHash.SIPHASH_1_3.hasher(SECRET).hash(key);
    return store.partitionOf(hash).known(hash);
  }

  /** On clocks that stand still: a lease never ends by itself. */
  private SchemeStore replica() {
    return store(
        settings(second, SHAPE, new ReplicaSettings(64 << 20, LEASE)),
        SECRET,
        KeyHash.SIPHASH_1_3,
        AT_ONCE,
        new Clocks(() -> 42, () -> 42));
  }
}
