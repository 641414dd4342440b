package io.bloomguard.classic.internal.bloom;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.BloomModule;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A filter of the module that another client has made, and what becomes of it. */
class RawBloomFilterTest {

  private static final FilterShape SHAPE = Sizing.shape(Layout.CLASSIC, 1000, 0.0001);

  private BloomModule redis;

  @BeforeEach
  void open() {
    redis = BloomModule.open();
    redis.commands().flushall();
  }

  @AfterEach
  void close() {
    if (redis != null) {
      redis.close();
    }
  }

  @Test
  void bothSidesSeeWhatTheOtherHasAdded() {
    redis.bf("BF.RESERVE", "clicks", "0.0001", "1000", "NONSCALING");
    RawBloomFilter filter = filter(false);
    redis.bf("BF.MADD", "clicks", "theirs", "Zoë");
    assertThat(filter.addAll(List.of("ours", "theirs", "snow ☃"))).isEqualTo(2);

    assertThat(filter.checkAll(List.of("theirs", "ours", "nobody's", "Zoë")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT, POSSIBLY_PRESENT);
    assertThat(filter.check(42L)).isEqualTo(ABSENT);
    assertThat(redis.bf("BF.MEXISTS", "clicks", "ours", "snow ☃", "nobody's"))
        .containsExactly(1L, 1L, 0L);
  }

  @Test
  void manyKeysAreAskedForInOrder() {
    redis.bf("BF.RESERVE", "clicks", "0.000001", "10000", "NONSCALING");
    RawBloomFilter filter = filter(false);
    List<String> even = IntStream.range(0, 1700).mapToObj(i -> "k" + 2 * i).toList();
    assertThat(filter.addAll(even)).isEqualTo(1700);
    Membership[] answers =
        filter.checkAll(IntStream.range(0, 3400).mapToObj(i -> "k" + i).toList());
    for (int i = 0; i < answers.length; i += 2) {
      assertThat(answers[i]).isEqualTo(POSSIBLY_PRESENT);
    }
    assertThat(Arrays.stream(answers).filter(answer -> answer == ABSENT).count())
        .isBetween(1695L, 1700L);
  }

  @Test
  void aMissingFilterIsUnknownAndTakesNoAdd() {
    RawBloomFilter filter = filter(false);
    filter.serveEmpty(SHAPE);
    assertThat(filter.check("a")).isEqualTo(UNKNOWN);
    assertThatThrownBy(() -> filter.addAll(List.of("a")))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("there is no key 'clicks' in Redis");
    assertThat(redis.commands().exists("clicks")).isZero();
    assertThat(filter.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(filter.warnings()).singleElement().asString().contains("there is no key 'clicks'");
    assertThat(filter.explain("a").membership()).isEqualTo(UNKNOWN);
  }

  @Test
  void anotherTypeIsUnknownAndTakesNoAdd() {
    redis.commands().set("clicks", "1");
    RawBloomFilter filter = filter(true);
    assertThat(filter.check("a")).isEqualTo(UNKNOWN);
    assertThatThrownBy(() -> filter.addAll(List.of("a")))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("is of the type string");
    assertThat(filter.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(redis.commands().get("clicks")).isEqualTo("1");
  }

  @Test
  void itIsMadeWhereThatIsAskedFor() {
    RawBloomFilter filter = filter(true);
    filter.serveEmpty(SHAPE);
    assertThat(filter.check("a")).isEqualTo(ABSENT);
    assertThat(redis.bf("BF.INFO", "clicks")).containsSequence("Capacity", 1000L);

    redis.bf("BF.ADD", "clicks", "a");
    filter.serveEmpty(SHAPE);
    assertThat(filter.check("a")).isEqualTo(POSSIBLY_PRESENT);

    redis.commands().del("clicks");
    assertThat(filter.check("a")).isEqualTo(UNKNOWN);
    assertThat(filter.addAll(List.of("b"))).isEqualTo(1);
    assertThat(filter.check("b")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void oneThatGrowsIsMadeToGrow() {
    SharedBloom key = new SharedBloom("clicks", "clicks", SHAPE, true, 4);
    new RawBloomFilter(key, KeyFolding.EXACT, redis.connections(), "bloomguard").serveEmpty(SHAPE);
    assertThat(redis.bf("BF.INFO", "clicks")).containsSequence("Expansion rate", 4L);
  }

  @Test
  void aFullFilterRefusesTheAdd() {
    redis.bf("BF.RESERVE", "clicks", "0.01", "100", "NONSCALING");
    RawBloomFilter filter = filter(false);
    List<String> keys = IntStream.range(0, 200).mapToObj(i -> "k" + i).toList();
    assertThatThrownBy(() -> filter.addAll(keys))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("non scaling filter is full")
        .hasMessageNotContaining("k1");
  }

  @Test
  void itsStatusIsWhatTheModuleTells() {
    redis.bf("BF.RESERVE", "clicks", "0.01", "63000", "NONSCALING");
    RawBloomFilter filter = filter(false);
    filter.addAll(IntStream.range(0, 5000).mapToObj(i -> "k" + i).toList());
    FilterStatus status = filter.status();
    assertThat(status.state()).isEqualTo(FilterState.READY);
    assertThat(status.generation()).isEqualTo(1);
    assertThat(status.shape().expectedInsertions()).isEqualTo(63_000);
    assertThat(status.shape().bits()).isBetween(603_000L, 605_000L);
    assertThat(status.shape().hashes()).isEqualTo(7);
    assertThat(status.estimatedElements()).isBetween(4990L, 5000L);
    assertThat(status.fillRatio()).isBetween(0.055, 0.058);
    assertThat(status.hasPrevious()).isFalse();
    KeyExplanation why = filter.explain("k1");
    assertThat(why.membership()).isEqualTo(POSSIBLY_PRESENT);
    assertThat(why.bits()).isEmpty();
    assertThat(why.reason()).contains("does not show its bits").doesNotContain("k1");
  }

  @Test
  void keysAreFoldedBeforeTheyAreSent() {
    redis.bf("BF.RESERVE", "clicks", "0.0001", "1000");
    KeyFolding lower =
        new KeyFolding(
            KeyFolding.LetterCase.LOWER, KeyFolding.Trim.NONE, KeyFolding.Normalise.NONE);
    SharedBloom key = new SharedBloom("clicks", "clicks", SHAPE, false, 0);
    RawBloomFilter filter = new RawBloomFilter(key, lower, redis.connections(), "bloomguard");
    redis.bf("BF.ADD", "clicks", "mixed");
    assertThat(filter.check("MiXed")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void whatDisarmsItDisarmsItForOthers() {
    redis.bf("BF.RESERVE", "clicks", "0.0001", "1000");
    RawBloomFilter one = filter(false);
    RawBloomFilter other = filter(false);
    one.maintain();
    one.enforcement().disarm();
    one.enforcement().mode(FilterMode.OBSERVE);
    one.maintain();
    other.maintain();
    assertThat(other.enforcement().standing().disarmed()).isTrue();
    assertThat(other.enforcement().standing().mode()).isEqualTo(FilterMode.OBSERVE);
  }

  @Test
  void aFilterThatIsDeletedUnderLoadNeverDeniesAnAddedKey() throws Exception {
    redis.bf("BF.RESERVE", "clicks", "0.0001", "100000");
    RawBloomFilter filter = filter(false);
    List<String> added = IntStream.range(0, 100).mapToObj(i -> "k" + i).toList();
    filter.addAll(added);
    ExecutorService askers = Executors.newFixedThreadPool(4);
    try {
      List<Future<Long>> denied =
          IntStream.range(0, 4)
              .mapToObj(
                  i ->
                      askers.submit(
                          () -> {
                            long absent = 0;
                            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1500);
                            while (System.nanoTime() < end) {
                              absent +=
                                  Arrays.stream(filter.checkAll(added))
                                      .filter(answer -> answer == ABSENT)
                                      .count();
                            }
                            return absent;
                          }))
              .toList();
      redis.commands().del("clicks");
      redis.commands().set("clicks", "of another type");
      for (Future<Long> asker : denied) {
        assertThat(asker.get()).isZero();
      }
    } finally {
      askers.shutdownNow();
    }
  }

  private RawBloomFilter filter(boolean create) {
    SharedBloom key = new SharedBloom("clicks", "clicks", SHAPE, create, 0);
    return new RawBloomFilter(key, KeyFolding.EXACT, redis.connections(), "bloomguard");
  }
}
