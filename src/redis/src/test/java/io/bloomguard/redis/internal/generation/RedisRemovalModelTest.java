package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.RedisImage;
import io.lettuce.core.RestoreArgs;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows that come and go at random in two processes, while generations are built from them, rolled
 * back, and Redis is put back to what it was: no key whose row is there is ever denied.
 */
@Tag("thorough")
@Tag("long")
class RedisRemovalModelTest extends RedisTestBase {

  private static final FilterShape COUNTERS = Sizing.shape(Layout.COUNTING, 300, 1e-6);

  /** A removal whose row is gone, which has not reached the filter yet. */
  private record Pending(GenerationStore store, String key, long stamp) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void noKeyThatIsThereIsDenied(long seed) {
    first.awaitConnected(Duration.ofSeconds(20));
    second.awaitConnected(Duration.ofSeconds(20));
    GenerationStore[] stores = {store(first, COUNTERS), store(second, COUNTERS)};
    for (GenerationStore store : stores) {
      store.refillAfterLoss(true, since -> {});
    }
    build(stores[0], COUNTERS, List.of());
    SplittableRandom choice = new SplittableRandom(seed);
    TreeSet<String> rows = new TreeSet<>();
    List<Pending> pending = new ArrayList<>();
    Map<byte[], byte[]> dump = null;
    GenerationStore.Build build = null;
    boolean read = false;
    int decided = 0;
    int removed = 0;
    for (int step = 0; step < 500; step++) {
      GenerationStore store = stores[choice.nextInt(2)];
      String key = "k" + choice.nextInt(50);
      int what = choice.nextInt(100);
      if (what < 40) {
        // The filter first: a row is inserted only if that succeeds.
        if (!rows.contains(key) && added(store, key)) {
          rows.add(key);
        }
      } else if (what < 62) {
        long serving = store.servingStamp();
        if (rows.remove(key) && serving != 0) {
          pending.add(new Pending(store, key, serving));
        }
      } else if (what < 84) {
        if (!pending.isEmpty()) {
          removed += remove(pending.remove(choice.nextInt(pending.size())));
        }
      } else if (what < 88) {
        if (build == null) {
          build = store.beginBuild(COUNTERS);
          read = false;
        } else if (!read) {
          build.addAll(rows.toArray(new String[0]), rows.size());
          read = true;
        } else {
          publish(build);
          build = null;
        }
      } else if (what < 90) {
        store.rollback();
      } else if (what < 92) {
        // The lock of a build would be put back as well.
        dump = build == null ? dump() : dump;
      } else if (what < 93 && dump != null && build == null) {
        restore(dump);
        dump = null;
        // From here on they are not told of the rows that only Redis had; the source has them.
        settle(stores);
        Awaitility.await()
            .until(
                () -> {
                  settle(stores);
                  Map<byte[], byte[]> head = redis.commands().hgetall(key("head"));
                  return Objects.equals(field(head, "settled"), field(head, "losses"));
                });
        build(stores[0], COUNTERS, List.copyOf(rows));
      } else {
        settle(stores);
      }
      for (GenerationStore asked : stores) {
        List<String> there = List.copyOf(rows);
        Membership[] answers = asked.checkAll(there);
        for (int i = 0; i < answers.length; i++) {
          assertThat(answers[i]).as("%s at step %s", there.get(i), step).isNotEqualTo(ABSENT);
          decided += answers[i] == POSSIBLY_PRESENT ? 1 : 0;
        }
      }
    }
    assertThat(removed).as("removals that took effect").isGreaterThan(10);
    assertThat(decided).as("answers that were not unknown").isGreaterThan(2_000);
    if (build != null) {
      build.close();
    }
  }

  private static String field(Map<byte[], byte[]> head, String name) {
    return head.entrySet().stream()
        .filter(field -> new String(field.getKey(), UTF_8).equals(name))
        .map(field -> new String(field.getValue(), UTF_8))
        .findAny()
        .orElse("");
  }

  private static boolean added(GenerationStore store, String key) {
    try {
      store.addAll(List.of(key));
      return true;
    } catch (AddFailedException e) {
      return false;
    }
  }

  private static int remove(Pending gone) {
    try {
      return gone.store().removeAll(List.of(gone.key()), gone.stamp());
    } catch (RemovalFailedException e) {
      return 0; // it passes as a false positive
    }
  }

  private static void publish(GenerationStore.Build build) {
    try (build) {
      build.publish();
    } catch (IllegalStateException e) {
      // It was given up because something was lost; the next one has everything.
    }
  }

  private static void settle(GenerationStore[] stores) {
    for (int i = 0; i < 3; i++) {
      for (GenerationStore store : stores) {
        store.maintain();
      }
    }
  }

  private Map<byte[], byte[]> dump() {
    Map<byte[], byte[]> dump = new HashMap<>();
    for (byte[] key : RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":*")) {
      dump.put(key, redis.commands().dump(key));
    }
    return dump;
  }

  private void restore(Map<byte[], byte[]> dump) {
    for (byte[] key : RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":*")) {
      redis.commands().del(key);
    }
    dump.forEach(
        (key, value) -> redis.commands().restore(key, value, RestoreArgs.Builder.ttl(0).replace()));
  }

  /** What is to be added again may not be counted yet. */
  @Test
  void nothingIsRemovedWhileRedisMayHaveLostAdds() {
    GenerationStore store = store(first, COUNTERS);
    build(store, COUNTERS, List.of());
    store.addAll(List.of("a", "b"));
    assertThat(store.removeAll(List.of("b"), 0)).isEqualTo(1);
    redis.commands().del(key("journal"));
    assertThatThrownBy(() -> store.removeAll(List.of("a"), 0))
        .isInstanceOfSatisfying(
            RemovalFailedException.class, e -> assertThat(e.isRepeatable()).isTrue())
        .hasMessageContaining("may have lost writes");
    assertThat(store.check("a")).isNotEqualTo(ABSENT);
  }

  /**
   * It takes effect once Redis goes on, though its caller never hears of it. In real time: Redis
   * stands still for longer than a write waits.
   */
  @Tag("waits")
  @Test
  void aRemovalWhoseAnswerIsLostMayNotBeRepeated() {
    GenerationStore store = store(first, COUNTERS);
    build(store, COUNTERS, List.of());
    store.addAll(List.of("a"));
    redis.commands().clientPause(1_500);
    assertThatThrownBy(() -> store.removeAll(List.of("a"), 0))
        .isInstanceOfSatisfying(
            RemovalFailedException.class, e -> assertThat(e.isRepeatable()).isFalse());
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(store.check("a")).isEqualTo(ABSENT));
  }

  @Test
  void nothingIsRemovedWhereNothingServes() {
    GenerationStore store = store(first, COUNTERS);
    assertThatThrownBy(() -> store.removeAll(List.of("a"), 0))
        .isInstanceOfSatisfying(
            RemovalFailedException.class, e -> assertThat(e.isRepeatable()).isTrue());
  }

  /** Neither what is built nor what served before need have the key, and no build replays it. */
  @Test
  void aRemovalChangesTheServingImageAlone() {
    GenerationStore store = store(first, COUNTERS);
    build(store, COUNTERS, List.of("a"));
    build(store, COUNTERS, List.of("a"));
    GenerationStore.Build build = store.beginBuild(COUNTERS);
    store.addAll(List.of("b"));
    Map<String, String> before = contents();
    assertThat(store.removeAll(List.of("b"), 0)).isEqualTo(1);
    Map<String, String> after = contents();
    assertThat(before).as("three images and the journal").hasSize(4);
    assertThat(after.keySet()).isEqualTo(before.keySet());
    after.entrySet().removeAll(before.entrySet());
    byte[] serving = redis.commands().hget(key("head"), "serving".getBytes(UTF_8));
    assertThat(after.keySet())
        .containsExactly(new String(key("image:" + new String(serving, UTF_8)), UTF_8));
    build.close();
  }

  private Map<String, String> contents() {
    Map<String, String> contents = new HashMap<>();
    for (byte[] key : RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":*")) {
      String name = new String(key, UTF_8);
      if (name.contains(":image:") || name.endsWith(":journal")) {
        contents.put(name, HexFormat.of().formatHex(redis.commands().dump(key)));
      }
    }
    return contents;
  }

  /** The string holds what a filter in the heap holds, and BITFIELD reads its counters. */
  @Test
  void theImageInRedisIsThatOfTheHeap() {
    SchemeStore store = store(first, COUNTERS);
    List<String> keys = numbers(0, 250);
    build(store, COUNTERS, keys);
    store.addAll(keys.subList(0, 50));
    store.removeAll(keys.subList(40, 60), 0);
    RedisImage serving = store.partitions()[0].head().last().serving();
    assertThat(serving).isNotNull();
    BlockedFilter heap = new BlockedFilter(COUNTERS, KEYS, serving.fingerprint().salt());
    keys.forEach(heap::add);
    keys.subList(0, 50).forEach(heap::add);
    keys.subList(40, 60).forEach(heap::remove);
    byte[] string = redis.commands().get(image());
    ByteBuffer words =
        ByteBuffer.wrap(
            string, ImageFormat.FRAME_BYTES, string.length - 2 * ImageFormat.FRAME_BYTES);
    for (long i = 0; i < heap.words(); i++) {
      assertThat(words.getLong()).isEqualTo(heap.word(i));
    }
    assertThat(words.hasRemaining()).isFalse();
    assertThat(store.status().fillRatio()).isEqualTo(heap.fillRatio());
    assertThat(store.explain("5").bits()).isNotEmpty().allMatch(bit -> bit.set());
  }

  /** A filter that was of bits removes from the first generation of counters on. */
  @Test
  void nothingIsRemovedFromAGenerationOfBits() {
    GenerationStore bits = store(first, SHAPE);
    build(bits, SHAPE, List.of("a"));
    GenerationStore store = store(second, COUNTERS);
    store.maintain();
    assertThat(store.removeAll(List.of("a"), 0)).isZero();
    assertThat(store.check("a")).isNotEqualTo(ABSENT);
    build(store, COUNTERS, List.of("a"));
    store.addAll(List.of("b"));
    assertThat(store.removeAll(List.of("a"), 0)).isEqualTo(1);
    assertThat(store.check("a")).isIn(ABSENT, UNKNOWN);
    assertThat(store.check("b")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.rollback()).as("the bits have been kept in step").isTrue();
    assertThat(store.checkAll(List.of("a", "b"))).containsOnly(POSSIBLY_PRESENT);
  }

  private static final KeyHasher KEYS = KeyHash.SIPHASH_1_3.hasher(SECRET);
}
