package io.bloomguard.redis.internal.store;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.ManualClock;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.source.ImageSource;
import io.bloomguard.image.ImageDirectory;
import io.bloomguard.image.TestImages;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A filter in Redis whose keys come from image sets: its start, losses, and changes of hashing. */
class ImageSourceInRedisTest extends RedisTestBase {

  private static final Limits SMALL = AT_ONCE.withMaxImageBytes(40_000);
  private static final HashSecret NEXT = HashSecret.parse("ff112233445566778899aabbccddeeff");
  private static final List<String> KEYS = numbers(0, 2_000);

  @TempDir Path folder;

  private final Instant started = Instant.now();
  private final ManualClock clock = new ManualClock();

  @Test
  void aSetFromBeforeTheFilterRejectsNothingUntilALaterOneComes() throws IOException {
    RedisGenerationStore store = store(SECRET);
    ManagedFilter filter = filter(store, SECRET);
    set(SECRET, now());
    filter.start();
    assertDeniesNothing(filter);
    assertThat(filter.warnings()).anyMatch(warning -> warning.contains("the journal lacks adds"));
    store.addAll(List.of("added"));

    reachBack();
    set(SECRET, now());
    awaitReady(filter);
    assertThat(answered(store, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
    assertThat(store.check("added")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("never")).isEqualTo(ABSENT);
    assertThat(filter.warnings()).isEmpty();
  }

  @Test
  void aLostFilterRejectsNothingUntilALaterSetComes() throws IOException {
    RedisGenerationStore store = store(SECRET);
    ManagedFilter filter = served(store);
    store.addAll(List.of("added"));
    redis.commands().flushall();
    assertDeniesNothing(filter);
    RedisGenerationStore other = store(SECRET);
    ManagedFilter beside = filter(other, SECRET);
    assertDeniesNothing(beside);
    assertThat(beside.lastSuccess()).isEmpty();
    assertThat(store.explain("never").reason()).contains("until a later set");
    assertThat(filter.warnings()).anyMatch(warning -> warning.contains("the journal lacks adds"));

    reachBack();
    set(SECRET, now());
    awaitReady(filter);
    assertThat(store.check("added")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("never")).isEqualTo(ABSENT);
  }

  /** The generation is lost, and the journal is not: the set has what it needs. */
  @Test
  void aLostImageIsLoadedAgainFromTheFiles() throws IOException {
    RedisGenerationStore store = store(SECRET);
    ManagedFilter filter = served(store);
    store.addAll(List.of("added"));
    images().forEach(image -> redis.commands().del(image));
    awaitReady(filter);
    assertThat(answered(store, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
    assertThat(store.check("added")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aSetUnderAnotherSecretEndsTheChangeOnceItIsLaterThanItsBegin() throws IOException {
    served(store(SECRET));
    RedisGenerationStore store = store(NEXT, SECRET);
    ManagedFilter filter = filter(store, NEXT);
    set(NEXT, now());
    filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(filter.lastRebuild().orElseThrow().failure()).contains("the journal lacks adds");
    assertThat(answered(store, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
    store.addAll(List.of("added"));
    filter.requestRebuild(RebuildTrigger.REQUEST, true);
    assertThat(filter.lastRebuild().orElseThrow().failure()).isNull();
    assertThat(answered(store, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
    assertThat(store.check("added")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("never")).isEqualTo(ABSENT);
  }

  private ManagedFilter served(RedisGenerationStore store) throws IOException {
    ManagedFilter filter = filter(store, SECRET);
    filter.start();
    filter.maintain();
    reachBack();
    set(SECRET, now());
    awaitReady(filter);
    return filter;
  }

  private void assertDeniesNothing(ManagedFilter filter) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              poll(filter);
              return filter.store().check("1") == POSSIBLY_PRESENT;
            });
    poll(filter);
    assertThat(filter.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(filter.store().check("never")).isEqualTo(UNKNOWN);
    assertThat(filter.store().checkAll(List.of("7", "no")))
        .containsExactly(POSSIBLY_PRESENT, UNKNOWN);
  }

  private void awaitReady(ManagedFilter filter) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              poll(filter);
              return filter.status().state() == FilterState.READY
                  && filter.store().check("1") == POSSIBLY_PRESENT;
            });
  }

  private void poll(ManagedFilter filter) {
    clock.pass(Duration.ofMinutes(6));
    filter.maintain();
    filter.maintain();
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS);
  }

  private RedisGenerationStore store(HashSecret secret, HashSecret... others) {
    return new RedisGenerationStore(
        settings(first, SHAPE),
        secret,
        List.of(others),
        KeyHash.SIPHASH_1_3,
        KeyFolding.EXACT,
        SMALL.withLateCommits(Duration.ZERO));
  }

  private ManagedFilter filter(GenerationStore store, HashSecret secret) {
    FilterSettings settings =
        new FilterSettings(
            filter,
            SHAPE.layout(),
            SHAPE.blockWords(),
            SHAPE.expectedInsertions(),
            SHAPE.falsePositiveProbability(),
            WarmUpMode.BACKGROUND,
            Duration.ZERO,
            0.5,
            1,
            new KeyRules(64),
            RETENTION,
            Duration.ofSeconds(30),
            SourceRules.DEFAULT);
    ImageSource source =
        new ImageSource(
            new ImageSource.Settings(
                filter,
                SHAPE,
                KeyHash.SIPHASH_1_3,
                secret,
                KeyFolding.EXACT,
                TestImages.MANIFEST,
                Duration.ofMinutes(5),
                Duration.ofHours(26),
                RETENTION),
            name -> new ImageDirectory(folder).open(name),
            null,
            null,
            () -> started.plus(Duration.between(Instant.EPOCH, clock.instant())));
    return TestGenerations.managed(
        settings, store, source, Runnable::run, clock, RebuildListener.NONE);
  }

  private void set(HashSecret secret, Instant asOf) throws IOException {
    TestImages.write(plan(secret, SMALL), secret, asOf, KEYS, new ImageDirectory(folder));
  }

  private void reachBack() {
    reachBack(SMALL.partitions(SHAPE));
  }
}
