package io.bloomguard.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link GenerationStore} from which keys can be removed does. */
public abstract class RemovalContractTest {

  /** Large and sparse, so that a key that is not in is as good as never present. */
  protected static final FilterShape SHAPE = Sizing.shape(Layout.COUNTING, 5_000, 1e-9);

  private static final AtomicInteger NAMES = new AtomicInteger();

  private GenerationStore store;

  /** A store of a filter that exists nowhere yet. */
  protected abstract GenerationStore newStore(String filterName, FilterShape shape);

  @BeforeEach
  void createStore() {
    store = newStore("removal-" + NAMES.incrementAndGet(), SHAPE);
    store.serveEmpty(SHAPE);
  }

  @Test
  void aRemovedKeyIsAbsentAndTheOthersStay() {
    store.addAll(List.of("a", "b", "c"));
    assertThat(store.removes()).isTrue();
    assertThat(store.removeAll(List.of("a", "c"), 0)).isEqualTo(2);
    assertThat(store.checkAll(List.of("a", "b", "c")))
        .containsExactly(ABSENT, POSSIBLY_PRESENT, ABSENT);
    assertThat(store.check("b")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("a")).isEqualTo(ABSENT);
    assertThat(store.status().estimatedElements()).isEqualTo(1);
  }

  @Test
  void aKeyThatIsAbsentIsNotRemoved() {
    store.addAll(List.of("a"));
    assertThat(store.removeAll(List.of("b", "c"), 0)).isZero();
    assertThat(store.removeAll(List.of("a", "b"), 0)).isEqualTo(1);
    assertThat(store.removeAll(List.of("a"), 0)).isZero();
    assertThat(store.status().estimatedElements()).isZero();
  }

  @Test
  void aKeyAddedTwiceNeedsTwoRemovals() {
    assertThat(store.addAll(List.of("a"))).isEqualTo(1);
    assertThat(store.addAll(List.of("a"))).isZero();
    assertThat(store.removeAll(List.of("a"), 0)).isEqualTo(1);
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.removeAll(List.of("a"), 0)).isEqualTo(1);
    assertThat(store.check("a")).isEqualTo(ABSENT);
  }

  @Test
  void aFullCounterIsNeverDecremented() {
    for (int i = 0; i < 20; i++) {
      store.addAll(List.of("a"));
    }
    for (int i = 0; i < 20; i++) {
      assertThat(store.removeAll(List.of("a"), 0)).isZero();
    }
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void onlyTheGenerationThatIsMeantIsChanged() {
    store.addAll(List.of("a"));
    long before = store.servingStamp();
    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      build.addAll(new String[] {"a", "b"}, 2);
      build.publish();
    }
    assertThat(store.removeAll(List.of("a", "b"), before)).isZero();
    assertThat(store.check("b")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.removeAll(List.of("b"), store.servingStamp())).isEqualTo(1);
    assertThat(store.check("b")).isEqualTo(ABSENT);
  }

  @Test
  void aRemovalDuringABuildLeavesTheKeyInTheNewGeneration() {
    store.addAll(List.of("a"));
    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      build.addAll(new String[] {"a"}, 1);
      assertThat(store.removeAll(List.of("a"), 0)).isEqualTo(1);
      assertThat(store.check("a")).isEqualTo(ABSENT);
      build.publish();
    }
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      build.publish();
    }
  }

  /** What was added while the newer one served is in the older one once, removed or not. */
  @Test
  void theGenerationBeforeIsNotDecremented() {
    store.addAll(List.of("old", "gone"));
    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      build.addAll(new String[] {"old", "gone", "read"}, 3);
      build.publish();
    }
    store.addAll(List.of("new"));
    assertThat(store.removeAll(List.of("gone", "read"), 0)).isEqualTo(2);
    assertThat(store.rollback()).isTrue();
    assertThat(store.checkAll(List.of("old", "new", "gone"))).containsOnly(POSSIBLY_PRESENT);
    assertThat(store.removeAll(List.of("new", "read"), 0)).as("read was never in").isEqualTo(1);
    assertThat(store.check("new")).isEqualTo(ABSENT);
    assertThat(store.check("old")).isEqualTo(POSSIBLY_PRESENT);
  }

  /**
   * Additions, removals, rebuilds from a source of exactly the rows that there are, and rollbacks,
   * at random. Every key that is there is possibly present, always; the source has each key once.
   */
  @Test
  void noSequenceMakesAKeyAbsentThatIsThere() {
    for (long seed = 1; seed <= 6; seed++) {
      FilterShape shape = Sizing.shape(Layout.COUNTING, 200, 1e-6);
      GenerationStore random = newStore("removal-" + NAMES.incrementAndGet(), shape);
      random.serveEmpty(shape);
      SplittableRandom choice = new SplittableRandom(seed);
      Map<String, Boolean> rows = new HashMap<>();
      GenerationStore.Build build = null;
      for (int step = 0; step < 250; step++) {
        String key = "k" + choice.nextInt(60);
        int what = choice.nextInt(100);
        if (what < 45) {
          random.addAll(List.of(key));
          rows.put(key, true);
        } else if (what < 85) {
          if (rows.remove(key) != null) {
            random.removeAll(List.of(key), random.servingStamp());
          }
        } else if (what < 90 && build == null) {
          build = random.beginBuild(shape);
        } else if (what < 94 && build != null) {
          build.addAll(rows.keySet().toArray(new String[0]), rows.size());
          build.publish();
          build.close();
          build = null;
        } else if (what < 96 && build != null) {
          build.close();
          build = null;
        } else if (what < 98) {
          random.rollback();
        }
        List<String> there = new ArrayList<>(rows.keySet());
        if (!there.isEmpty()) {
          assertThat(random.checkAll(there))
              .as("seed %s, step %s", seed, step)
              .containsOnly(POSSIBLY_PRESENT);
        }
      }
      if (build != null) {
        build.close();
      }
    }
  }

  @Test
  void manyKeysAreRemovedInOneCall() {
    List<String> keys = IntStream.range(0, 1_000).mapToObj(i -> "m" + i).toList();
    store.addAll(keys);
    store.addAll(List.of("stays"));
    assertThat(store.removeAll(keys, 0)).isEqualTo(1_000);
    assertThat(store.checkAll(keys)).containsOnly(ABSENT);
    assertThat(store.check("stays")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** A retention that no test outlives. */
  protected static final Duration RETENTION = Duration.ofMinutes(10);
}
