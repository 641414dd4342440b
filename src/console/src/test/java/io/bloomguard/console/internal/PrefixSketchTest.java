package io.bloomguard.console.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the sketch finds in a flood of denied keys, and what it keeps to itself. */
class PrefixSketchTest {

  private static final int NOISE = 80_000;

  private final PrefixSketch sketch = new PrefixSketch();
  private final SplittableRandom random = new SplittableRandom(5);

  @Test
  void findsTheFrequentBeginningsInNoise() {
    List<Object> keys = new ArrayList<>();
    for (int i = 0; i < NOISE; i++) {
      keys.add(new UUID(random.nextLong(), random.nextLong()));
    }
    for (int i = 0; i < NOISE / 8; i++) {
      keys.add("user-" + i);
      keys.add(7_777_000_000L + random.nextInt(1_000_000));
    }
    shuffled(keys).forEach(sketch::onDenied);

    List<PrefixSketch.Prefix> top = sketch.top();

    assertThat(sketch.total()).isEqualTo(keys.size());
    assertThat(top)
        .extracting(PrefixSketch.Prefix::name)
        .containsExactlyInAnyOrder(sketch.name("userland"), sketch.name("7777"));
    assertThat(top).allSatisfy(p -> assertThat(p.share()).isCloseTo(0.1, within(0.005)));
  }

  @Test
  void findsNothingInNoise() {
    random.longs(NOISE, 1_000_000, Long.MAX_VALUE).forEach(sketch::onDenied);
    assertThat(sketch.top()).isEmpty();
  }

  static LongStream numbers() {
    LongStream edges =
        LongStream.of(0, 9, 10, 999, 1_000, 9_999, 10_000, -1, -999, -1_000, Long.MIN_VALUE)
            .flatMap(edge -> LongStream.of(edge, -edge, edge - 1, edge + 1));
    return LongStream.concat(edges, new SplittableRandom(3).longs(100));
  }

  @ParameterizedTest
  @MethodSource("numbers")
  void aNumberBeginsAsItsTextDoes(long number) {
    assertThat(PrefixSketch.prefix(number)).isEqualTo(PrefixSketch.prefix("" + number));
  }

  @Test
  void tellsBeginningsApartByFourCharactersAlone() {
    assertThat(sketch.name("abcdx")).isEqualTo(sketch.name("abcdy"));
    assertThat(List.of("a", "ab", "abc", "abcd", "abce", "Abcd", "äbcd", "中bcd"))
        .extracting(sketch::name)
        .doesNotHaveDuplicates();
  }

  @Test
  void namesTellNothingOutsideTheProcess() {
    assertThat(sketch.name("user")).matches("[0-9a-f]{8}");
    assertThat(new PrefixSketch().name("user")).isNotEqualTo(sketch.name("user"));
  }

  @Test
  void whatIsLongAgoFades() {
    denied("old-", 1_000);
    sketch.age();
    sketch.age();
    denied("new-", 750);
    assertThat(sketch.total()).isEqualTo(1_000);
    assertThat(sketch.top())
        .containsExactly(
            new PrefixSketch.Prefix(sketch.name("new-"), 0.75),
            new PrefixSketch.Prefix(sketch.name("old-"), 0.25));
    for (int i = 0; i < 10; i++) {
      sketch.age();
    }
    assertThat(sketch.total()).isZero();
    assertThat(sketch.top()).isEmpty();
  }

  @Test
  void losesNoCountAmongThreads() throws Exception {
    int threads = 4;
    int each = 20_000;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      Callable<Void> task =
          () -> {
            denied("user", each);
            return null;
          };
      for (Future<Void> done : executor.invokeAll(List.of(task, task, task, task))) {
        done.get();
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(sketch.total()).isEqualTo((long) threads * each);
    assertThat(sketch.top()).containsExactly(new PrefixSketch.Prefix(sketch.name("user"), 1));
  }

  @Test
  void makesNoObjectForTextAndNumbers() {
    Object[] keys = {"user-4711", 9_223_372_036_854_775_000L, 42, "näme", "-7"};
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    // The first rounds are those of the interpreter and the compiler.
    for (int round = 0; round < 20; round++) {
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < 10_000; i++) {
        sketch.onDenied(keys[i % keys.length]);
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
    }
    assertThat(least).isLessThan(10_000);
  }

  private void denied(String beginning, int times) {
    for (int i = 0; i < times; i++) {
      sketch.onDenied(beginning + i);
    }
  }

  private List<Object> shuffled(List<Object> keys) {
    java.util.Collections.shuffle(keys, new java.util.Random(7));
    return keys;
  }
}
