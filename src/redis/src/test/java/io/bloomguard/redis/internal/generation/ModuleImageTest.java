package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.BloomModule;
import io.bloomguard.redis.TestRedisFilters;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of a generation whose filter of the RedisBloom module is lost or replaced. */
@Tag("redis")
class ModuleImageTest {

  private static final FilterShape SHAPE = Sizing.shape(Layout.CLASSIC, 1000, 1e-6);
  private static final List<String> KEYS = RedisTestBase.numbers(0, 100);

  private BloomModule redis;
  private RedisGenerations store;

  @BeforeEach
  void build() {
    redis = BloomModule.open();
    redis.commands().flushall();
    store = store(SHAPE);
    RedisTestBase.build(store, SHAPE, KEYS);
  }

  @AfterEach
  void close() {
    if (redis != null) {
      redis.close();
    }
  }

  @Test
  void aBuiltFilterAnswersBothWays() {
    assertThat(store.checkAll(List.of("1", "99", "100")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
    assertThat(store.check(99L)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.addAll(List.of("100", "101", "1"))).isEqualTo(2);
    assertThat(store.check("100")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.backend()).isEqualTo("redis-bloom");
    FilterStatus status = store.status();
    assertThat(status.state()).isEqualTo(FilterState.READY);
    assertThat(status.estimatedElements()).isBetween(101L, 103L);
    assertThat(status.shape()).isEqualTo(SHAPE);
    assertThat(store.explain("1").bits()).isEmpty();
    assertThat(store.explain("1").membership()).isEqualTo(POSSIBLY_PRESENT);
    assertThat(redis.bf("BF.INFO", filter())).containsSequence("Capacity", 1254L);
  }

  @Test
  void aLostFilterIsUnknownUntilItIsRebuilt() {
    redis.commands().del(filter());
    requireLost();
    RedisTestBase.build(store, SHAPE, KEYS);
    assertThat(store.check("1")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("100")).isEqualTo(ABSENT);
  }

  @Test
  void aFilterThatSomebodyHasMadeInItsPlaceIsUnknown() {
    redis.commands().del(filter());
    redis.bf("BF.RESERVE", filter(), "0.01", "1000");
    requireLost();

    for (String theirs : RedisTestBase.numbers(3000, 3300)) {
      redis.bf("BF.MADD", filter(), theirs);
    }
    requireLost();
  }

  @Test
  void anotherTypeInItsPlaceIsUnknown() {
    redis.commands().set(filter(), "1");
    requireLost();
  }

  @Test
  void anOlderFilterPutBackIsUnknown() {
    byte[] before = redis.commands().dump(filter());
    store.addAll(List.of("100"));
    redis.commands().del(filter());
    redis.commands().restore(filter(), 0, before);
    requireLost();
    assertThat(store.check("100")).isEqualTo(UNKNOWN);
  }

  @Test
  void aLostImageOfWhichOnlyTheFilterIsLeftIsUnknown() {
    redis.commands().del(image());
    assertThat(store.check("1")).isEqualTo(UNKNOWN);
    assertThat(store.check("100")).isEqualTo(UNKNOWN);
  }

  @Test
  void addsDuringABuildAreInBothGenerations() {
    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      store.addAll(List.of("500"));
      assertThat(store.check("500")).isEqualTo(POSSIBLY_PRESENT);
      build.addAll(new String[] {"600"}, 1);
      store.addAll(List.of("501"));
      build.publish();
    }
    assertThat(store.checkAll(List.of("500", "501", "600", "601")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
    store.addAll(List.of("502"));
    assertThat(store.rollback()).isTrue();
    assertThat(store.checkAll(List.of("1", "500", "501", "502"))).doesNotContain(ABSENT, UNKNOWN);
  }

  @Test
  void whatANewGenerationReplacesIsRemovedInTheEnd() {
    RedisTestBase.build(store, SHAPE, KEYS);
    RedisTestBase.build(store, SHAPE, KEYS);
    store.beginBuild(SHAPE).close();
    assertThat(redis.commands().keys("*:image:*")).hasSize(4);
  }

  @Test
  void aFullFilterRefusesAnAddAndAnswersOn() {
    RedisGenerations small = store(Sizing.shape(Layout.CLASSIC, 150, 1e-6));
    RedisTestBase.build(small, Sizing.shape(Layout.CLASSIC, 150, 1e-6), KEYS);
    assertThatThrownBy(() -> small.addAll(RedisTestBase.numbers(100, 300)))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("non scaling filter is full");
    assertThat(small.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
    assertThat(small.check("1000")).isEqualTo(ABSENT);
  }

  @Test
  void aBuildThatLacksAnAddForWantOfRoomIsNotServed() {
    FilterShape small = Sizing.shape(Layout.CLASSIC, 10, 1e-6);
    try (GenerationStore.Build build = store.beginBuild(small)) {
      store.addAll(RedisTestBase.numbers(200, 250));
      assertThatThrownBy(build::publish).isInstanceOf(IllegalStateException.class);
    }
    assertThat(store.checkAll(RedisTestBase.numbers(200, 250))).containsOnly(POSSIBLY_PRESENT);
    assertThat(store.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
  }

  @Test
  void aFilterThatLacksAnAddForWantOfRoomIsNotServedAgain() {
    RedisTestBase.build(store, Sizing.shape(Layout.CLASSIC, 10, 1e-6), List.of("1"));
    RedisTestBase.build(store, SHAPE, KEYS);
    assertThat(store.addAll(RedisTestBase.numbers(200, 250))).isEqualTo(50);
    assertThat(store.rollback()).isFalse();
    assertThat(store.checkAll(RedisTestBase.numbers(200, 250))).containsOnly(POSSIBLY_PRESENT);
  }

  @Test
  void aSourceWithMoreKeysThanTheFilterTakesFailsTheBuild() {
    FilterShape small = Sizing.shape(Layout.CLASSIC, 10, 1e-6);
    assertThatThrownBy(() -> RedisTestBase.build(store, small, KEYS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("raise expected-insertions above 10");
    assertThat(store.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
  }

  @Test
  void aFilterThatIsDeletedUnderLoadNeverDeniesAnAddedKey() throws Exception {
    ExecutorService askers = Executors.newFixedThreadPool(4);
    try {
      List<Future<Long>> denied =
          IntStream.range(0, 4)
              .mapToObj(i -> askers.submit(() -> denied(TimeUnit.MILLISECONDS.toNanos(1500))))
              .toList();
      redis.commands().del(filter());
      redis.bf("BF.RESERVE", filter(), "0.01", "1000");
      for (Future<Long> asker : denied) {
        assertThat(asker.get()).isZero();
      }
    } finally {
      askers.shutdownNow();
    }
  }

  private long denied(long nanos) {
    long absent = 0;
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      absent += Arrays.stream(store.checkAll(KEYS)).filter(answer -> answer == ABSENT).count();
    }
    return absent;
  }

  private void requireLost() {
    assertThat(store.checkAll(List.of("1", "99", "1000")))
        .containsExactly(UNKNOWN, UNKNOWN, UNKNOWN);
    assertThat(store.check("1")).isEqualTo(UNKNOWN);
    assertThatThrownBy(() -> store.addAll(List.of("7"))).isInstanceOf(AddFailedException.class);
    assertThat(store.status().state()).isEqualTo(FilterState.DOUBTFUL);
  }

  private RedisGenerations store(FilterShape shape) {
    String name = shape.equals(SHAPE) ? "clicks" : "small";
    return RedisTestBase.store(
        TestRedisFilters.filter(
            name, shape, redis.connections(), "bloomguard", RedisTestBase.RETENTION, null),
        RedisTestBase.AT_ONCE);
  }

  private String image() {
    return redis.commands().keys("bloomguard:{clicks:0}:image:*").stream()
        .filter(key -> !key.endsWith(":bloom"))
        .findFirst()
        .orElseThrow();
  }

  private String filter() {
    return image() + ":bloom";
  }
}
