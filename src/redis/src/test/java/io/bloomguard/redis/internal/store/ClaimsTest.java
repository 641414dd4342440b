package io.bloomguard.redis.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.internal.claim.Claim;
import io.bloomguard.generation.internal.claim.ClaimSettings;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.ClaimRefusedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Adds to Redis that may be repeated: a claim keeps the answer to the first. */
class ClaimsTest extends RedisTestBase {

  private static final Limits MANY = AT_ONCE.withMaxImageBytes(50_000);

  private static final int PARTITIONS = 5;
  private static final List<String> KNOWN = numbers(0, 100);

  /** New ones, known ones, and more than one script takes. */
  private static final List<String> KEYS = numbers(50, 3_000);

  private static final boolean[] EXPECTED = new boolean[KEYS.size()];

  static {
    for (int i = 0; i < EXPECTED.length; i++) {
      EXPECTED[i] = !KNOWN.contains(KEYS.get(i));
    }
  }

  private RedisGenerationStore store;

  @BeforeEach
  void build() {
    store = process(first, SHAPE);
    build(store, SHAPE, KNOWN);
  }

  private RedisGenerationStore process(RedisConnections connections, FilterShape shape) {
    return new RedisGenerationStore(
        settings(connections, shape),
        SECRET,
        List.of(),
        KeyHash.SIPHASH_1_3,
        KeyFolding.EXACT,
        MANY);
  }

  private byte[] claims(int partition) {
    return ("bloomguard:{" + filter + ":" + partition + "}:claims").getBytes(UTF_8);
  }

  private byte[] ends(int partition) {
    return (new String(claims(partition), UTF_8) + ":ends").getBytes(UTF_8);
  }

  private static boolean[] add(RedisGenerationStore to, List<String> keys, String claim) {
    var added = to.beginAdd(keys, claim);
    added.await();
    return added.isNew();
  }

  @Test
  void aRepeatGetsTheFirstAnswerFromAnyProcess() {
    assertThat(add(store, KEYS, "batch")).isEqualTo(EXPECTED);
    assertThat(add(store, KEYS, "batch")).isEqualTo(EXPECTED);
    assertThat(add(process(second, SHAPE), KEYS, "batch")).isEqualTo(EXPECTED);
    assertThat(store.addEach(KEYS)).doesNotContain(true);
    assertThat(add(store, KEYS, "another")).doesNotContain(true);
  }

  @Test
  void otherKeysUnderItChangeNothing() {
    add(store, KEYS, "batch");
    List<String> backwards = new ArrayList<>(KEYS);
    Collections.reverse(backwards);
    for (List<String> other : List.of(numbers(5_000, 5_100), backwards, KEYS.subList(0, 5))) {
      assertThatExceptionOfType(ClaimRefusedException.class)
          .isThrownBy(() -> add(store, other, "batch"))
          .withMessageContaining("stands for other keys");
    }
    assertThat(store.checkAll(numbers(5_000, 5_100))).containsOnly(Membership.ABSENT);
  }

  @Test
  void itOutlivesARebuild() {
    boolean[] answer = add(store, KEYS, "batch");
    build(store, SHAPE, KEYS);
    assertThat(add(store, KEYS, "batch")).isEqualTo(answer);
  }

  @Test
  void nothingIsAddedBeforeEveryPartitionIsRead() {
    redis.commands().set(ends(3), new byte[] {1});
    assertThatExceptionOfType(AddFailedException.class).isThrownBy(() -> add(store, KEYS, "batch"));
    assertThat(store.checkAll(numbers(100, 3_000))).containsOnly(Membership.ABSENT);
  }

  /** The first attempt ends between two partitions. */
  @Test
  void whatTheFirstAttemptHasAddedIsNewForTheRepeat() {
    redis.commands().set(claims(3), new byte[] {1});
    assertThatExceptionOfType(AddFailedException.class).isThrownBy(() -> add(store, KEYS, "batch"));
    assertThat(store.checkAll(numbers(100, 3_000)))
        .contains(Membership.ABSENT, Membership.POSSIBLY_PRESENT);
    redis.commands().del(claims(3));
    assertThat(add(store, KEYS, "batch")).isEqualTo(EXPECTED);
  }

  /** As after a failover: what is lost is false, and nothing is new twice. */
  @Test
  void aLostClaimMakesNothingNewTwice() {
    add(store, KEYS, "batch");
    redis.commands().del(claims(3));
    boolean[] again = add(store, KEYS, "batch");
    assertThat(again).isNotEqualTo(EXPECTED);
    for (int i = 0; i < again.length; i++) {
      assertThat(again[i] && !EXPECTED[i]).isFalse();
    }
    assertThat(add(store, KEYS, "batch")).isEqualTo(again);
  }

  /** While no key is known to be new; and what was refused is not among the adds of a recovery. */
  @Test
  void afterALossItIsRefusedUntilTheFilterHasSettled() {
    boolean[] answer = add(store, KEYS, "before");
    for (int i = 0; i < PARTITIONS; i++) {
      redis.commands().del(("bloomguard:{" + filter + ":" + i + "}:journal").getBytes(UTF_8));
    }
    List<String> more = numbers(5_000, 5_300);
    assertThatExceptionOfType(AddFailedException.class)
        .isThrownBy(() -> add(store, more, "batch"))
        .withMessageContaining("cannot tell which keys are new");
    assertThat(add(store, KEYS, "before")).isEqualTo(answer);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              store.maintain();
              return store.check("absent") == Membership.ABSENT;
            });
    assertThat(add(store, more, "batch")).containsOnly(true);
  }

  @Test
  void beforeTheFirstGenerationItIsRefused() {
    name();
    RedisGenerationStore empty = process(first, SHAPE);
    assertThatExceptionOfType(AddFailedException.class)
        .isThrownBy(() -> add(empty, List.of("a"), "batch"))
        .withMessageContaining("cannot tell which keys are new");
    build(empty, SHAPE, KNOWN);
    assertThat(add(empty, List.of("a"), "batch")).containsExactly(true);
  }

  @Test
  void oneWhoseTimeIsOverIsForgotten() {
    store.with(new ClaimSettings(ClaimSettings.property(filter), Duration.ofHours(1), 1L << 20));
    add(store, List.of("a"), "old");
    for (int i = 0; i < PARTITIONS; i++) {
      if (redis.commands().exists(ends(i)) == 1) {
        assertThat(redis.commands().pttl(ends(i))).isBetween(3_500_000L, 3_600_000L);
        redis.commands().zadd(ends(i), 1, Claim.of("old", List.of()).name().getBytes(UTF_8));
      }
    }
    assertThat(add(store, List.of("b"), "old")).containsExactly(true);
    assertThat(add(store, List.of("b"), "old")).containsExactly(true);
  }

  @Test
  void beyondTheBoundAddsAreRefusedUntilOthersAreOver() {
    long each = Claim.bytes(200) * PARTITIONS;
    store.with(new ClaimSettings(ClaimSettings.property(filter), Duration.ofHours(1), 2 * each));
    List<String> some = numbers(10_000, 10_200);
    boolean[] answer = add(store, some, "one");
    List<String> more = numbers(20_000, 23_000);
    assertThatExceptionOfType(AddFailedException.class)
        .isThrownBy(() -> add(store, more, "two"))
        .withMessageContaining("bloomguard.filters." + filter + ".claims.max-size");
    assertThat(add(store, some, "one")).isEqualTo(answer);
    assertThat(store.addEach(more)).contains(true);
  }

  @Test
  void ofManyRepeatsAtOnceAllGetOneAnswer() throws Exception {
    RedisGenerationStore other = process(second, SHAPE);
    ExecutorService callers = Executors.newFixedThreadPool(6);
    try {
      for (int round = 0; round < 20; round++) {
        List<String> keys = numbers(100_000 + 300L * round, 100_300 + 300L * round);
        String claim = "round-" + round;
        List<Future<boolean[]>> answers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          RedisGenerationStore to = i % 2 == 0 ? store : other;
          answers.add(callers.submit(() -> add(to, keys, claim)));
        }
        for (Future<boolean[]> answer : answers) {
          assertThat(answer.get()).containsOnly(true);
        }
      }
    } finally {
      callers.shutdownNow();
    }
  }

  /** A repeat would count its keys again. */
  @Test
  void countersKeepNone() {
    name();
    RedisGenerationStore counting = process(first, Sizing.shape(Layout.COUNTING, 1_000, 0.01));
    assertThatExceptionOfType(ClaimRefusedException.class)
        .isThrownBy(() -> add(counting, List.of("a"), "batch"))
        .withMessageContaining("Idempotency-Key");
  }
}
