package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.temporal.ChronoUnit.MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.ImageRefusedException;
import io.bloomguard.image.ImageDirectory;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageSet;
import io.bloomguard.image.TestImages;
import io.bloomguard.redis.TestRedisFilters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A filter in Redis publishes image sets, and loses no add that came after their data. */
class RedisImageSetTest extends RedisTestBase {

  /** Several partitions, of several slices each. */
  private static final Limits SMALL = AT_ONCE.withMaxImageBytes(40_000);

  private static final List<String> KEYS = numbers(0, 5_000);

  @TempDir Path folder;

  @Test
  void aSetIsPublishedAndNoAddIsLost() throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    SchemeStore other = store(second, SHAPE, SMALL);
    build(store, SHAPE, List.of("old"));
    reachBack();
    List<String> added = new ArrayList<>(List.of("before"));
    store.addAll(added);
    ImageSet set = set(Instant.now());
    try (GenerationStore.Build build = store.beginImages(set, SHAPE, "run")) {
      add(other, "registered", added);
      String doubt =
          build.load(
              name -> {
                add(other, name, added);
                return storage().open(name);
              },
              false);
      assertThat(doubt).isNull();
      add(other, "loaded", added);
      build.publish(set.keys());
    }
    add(other, "published", added);

    for (GenerationStore each : List.of(store, other)) {
      each.maintain();
      assertThat(answered(each, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
      assertThat(answered(each, added, POSSIBLY_PRESENT)).isEqualTo(added);
      assertThat(each.check("old")).isEqualTo(ABSENT);
      assertThat(each.keysRead()).isEqualTo(KEYS.size());
      assertThat(each.imagesAsOf()).isEqualTo(set.asOf());
    }
    assertThat(set.plan().partitions()).isGreaterThan(1);
    assertThat(set.plan().slicesOfPartition()).isGreaterThan(1);
    assertThat((double) store.status().estimatedElements()).isBetween(4_800.0, 5_300.0);
  }

  @Test
  void aJournalThatBeganLaterRefusesTheSet() throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    build(store, SHAPE, List.of("old"));
    ImageSet set = set(Instant.now().minusSeconds(1));
    assertRefused(store, set, "the journal lacks adds", "\"force\": true", "journal-retention");
    assertThat(store.check("old")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("1")).isEqualTo(ABSENT);

    // What was added since comes from elsewhere, or an operator knows that nothing was.
    load(store, set, true);
    assertThat(answered(store, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
  }

  @Test
  void aRetentionShorterThanTheAgeOfASetRefusesIt() throws IOException {
    SchemeStore store =
        store(
            TestRedisFilters.filter(
                filter, SHAPE, first, "bloomguard", Duration.ofMinutes(5), null),
            SMALL);
    build(store, SHAPE, List.of("old"));
    reachBack();
    assertRefused(store, set(Instant.now().minus(Duration.ofMinutes(5))), "the journal lacks adds");
    load(store, set(Instant.now().minus(Duration.ofMinutes(3))), false);
  }

  @Test
  void aLossRefusesASetFromBeforeIt() throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    build(store, SHAPE, List.of("old"));
    reachBack();
    ImageSet set = set(Instant.now());
    load(store, set, false);
    redis.commands().hset(key("head"), "server".getBytes(UTF_8), "another".getBytes(UTF_8));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              store.maintain();
              return store.check("1") == POSSIBLY_PRESENT;
            });
    assertRefused(store, set, "the journal lacks adds");
  }

  @Test
  void aSetOfTheFutureIsRefused() throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    build(store, SHAPE, List.of("old"));
    reachBack();
    assertRefused(store, set(Instant.now().plus(Duration.ofMinutes(2))), "in the future");
  }

  @Test
  void aSetOfOtherPartitionsIsRefused() throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    build(store, SHAPE, List.of("old"));
    ImagePlan one =
        ImagePlan.of(
            filter,
            FilterPlan.split(SHAPE, 1),
            KeyHash.SIPHASH_1_3,
            SECRET,
            KeyFolding.EXACT,
            SLICE_BYTES);
    ImageSet set = TestImages.write(one, SECRET, Instant.now(), KEYS, storage());
    assertRefused(store, set, "fingerprint", "partition");
  }

  /** Nothing of it is served, and the next set is. */
  @Test
  void aDamagedSetIsGivenUp() throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    build(store, SHAPE, List.of("old"));
    reachBack();
    ImageSet set = set(Instant.now());
    Path last = folder.resolve(set.slices().get(set.slices().size() - 1).file());
    byte[] content = Files.readAllBytes(last);
    Files.write(last, Arrays.copyOf(content, content.length - 8));
    assertDamaged(store, set, "is cut short");
    content[5] ^= 1;
    Files.write(last, content);
    assertDamaged(store, set, "The checksum of the slice");
    Files.delete(last);
    assertDamaged(store, set, "is missing");
    assertThat(store.check("old")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(images()).hasSize(set.plan().partitions());

    load(store, set(Instant.now()), false);
    assertThat(answered(store, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
  }

  @Test
  void oneOfTwoPublishersPublishes() throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    SchemeStore other = store(second, SHAPE, SMALL);
    build(store, SHAPE, List.of("old"));
    reachBack();
    ImageSet set = set(Instant.now());
    try (GenerationStore.Build build = store.beginImages(set, SHAPE, "run")) {
      build.load(
          name -> {
            assertThatThrownBy(() -> other.beginBuild(SHAPE))
                .isInstanceOf(BuildRunningException.class);
            return storage().open(name);
          },
          false);
      build.publish(set.keys());
    }
    assertThat(answered(other, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
  }

  @Test
  void withoutAPreviousGenerationThereIsNoRollback() throws IOException {
    RedisFilter usual = settings(first, SHAPE);
    RedisFilter lean =
        new RedisFilter(
            usual.name(),
            SHAPE,
            first,
            usual.keyPrefix(),
            RETENTION,
            usual.journalMemory(),
            null,
            false);
    SchemeStore store = store(lean, SMALL);
    build(store, SHAPE, List.of("old"));
    reachBack();
    ImageSet set = set(Instant.now());
    load(store, set, false);
    assertThat(images()).hasSize(set.plan().partitions());
    assertThat(store.rollback()).isFalse();
    assertThat(answered(store, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
  }

  /** Its chunks that come late change nothing of what another has published. */
  @Test
  void aPublisherThatLostItsLockChangesNothing() throws IOException {
    Limits brief = SMALL.withLockLifetime(Duration.ofMillis(300));
    SchemeStore store = store(first, SHAPE, brief);
    SchemeStore other = store(second, SHAPE, brief);
    build(store, SHAPE, List.of("old"));
    reachBack();
    ImageSet set = set(Instant.now());
    GenerationStore.Build dead = store.beginImages(set, SHAPE, "dead");
    int[] opened = {0};
    assertThatThrownBy(
            () ->
                dead.load(
                    name -> {
                      if (opened[0]++ == set.slices().size() / 2) {
                        redis.commands().del(key("lock"));
                        other.addAll(List.of("acknowledged"));
                        load(other, set, false);
                        other.addAll(List.of("later"));
                      }
                      return storage().open(name);
                    },
                    false))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> dead.publish(1)).isInstanceOf(IllegalStateException.class);
    dead.close();
    List<String> all = new ArrayList<>(KEYS);
    all.addAll(List.of("acknowledged", "later"));
    assertThat(answered(other, all, POSSIBLY_PRESENT)).isEqualTo(all);
  }

  private static void add(GenerationStore store, String key, List<String> added) {
    store.addAll(List.of(key));
    added.add(key);
  }

  private void assertRefused(GenerationStore store, ImageSet set, String... parts) {
    assertThatThrownBy(() -> load(store, set, false))
        .isInstanceOf(ImageRefusedException.class)
        .hasMessageContainingAll(parts);
  }

  private void assertDamaged(GenerationStore store, ImageSet set, String part) {
    assertThatThrownBy(() -> load(store, set, false))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining(part);
  }

  private void load(GenerationStore store, ImageSet set, boolean complete) throws IOException {
    try (GenerationStore.Build build = store.beginImages(set, SHAPE, "run")) {
      build.load(storage(), complete);
      build.publish(set.keys());
    }
  }

  private ImageDirectory storage() {
    return new ImageDirectory(folder);
  }

  private ImageSet set(Instant asOf) throws IOException {
    return TestImages.write(plan(SECRET, SMALL), SECRET, asOf.truncatedTo(MILLIS), KEYS, storage());
  }

  private void reachBack() {
    reachBack(SMALL.partitions(SHAPE));
  }
}
