package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import java.io.IOException;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Places in the bulkhead come back, however a call ends. */
class BulkheadPlacesTest {

  private static final int PLACES = 4;

  /** Answers nothing for certain, so that every call needs a place; key "known" passes. */
  private static final class Doubtful implements MembershipStore {

    @Override
    public Membership check(String key) {
      return key.equals("known") ? Membership.POSSIBLY_PRESENT : Membership.UNKNOWN;
    }

    @Override
    public boolean likelyPresent(String key) {
      return false;
    }

    @Override
    public boolean[] addEach(List<String> keys) {
      return new boolean[keys.size()];
    }
  }

  private final GuardRegistry registry =
      GuardedFilters.registry(
          "products",
          new Doubtful(),
          name -> new LocalValueCache(Guards.CACHE, null),
          Guards.loads(PLACES));
  private final EntryGuard<String> guard =
      registry.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);

  /** A way to call the guard that ends badly. */
  interface Failure {
    void in(EntryGuard<String> guard, Object key) throws Throwable;
  }

  @SuppressWarnings({"NullAway", "FutureReturnValueIgnored"})
  static List<Named> failures() {
    return List.of(
        new Named("get throws", (g, k) -> g.get(k, BulkheadPlacesTest::fail)),
        new Named("get dies", (g, k) -> g.get(k, BulkheadPlacesTest::die)),
        new Named("call throws", (g, k) -> g.call(k, BulkheadPlacesTest::fail)),
        new Named("getAsync throws", (g, k) -> g.getAsync(k, BulkheadPlacesTest::failStage)),
        new Named("getAsync without a stage", (g, k) -> g.getAsync(k, () -> null)),
        new Named(
            "getAsync fails",
            (g, k) -> g.getAsync(k, () -> CompletableFuture.failedFuture(new IOException("no")))),
        new Named("getAll throws", (g, k) -> g.getAll(List.of(k, "b"), keys -> Map.of(k, fail()))),
        new Named("getAll answers null", (g, k) -> g.getAll(List.of(k), keys -> null)),
        new Named(
            "enter over keys that change",
            (g, k) -> g.ask(Ask.toLoadAll(new Shrinking(k))).close()),
        new Named(
            "getAll over keys that change", (g, k) -> g.getAll(new Shrinking(k), x -> Map.of())),
        new Named(
            "enter with a null key",
            (g, k) -> g.ask(Ask.toLoadAll(Collections.singletonList(null)))));
  }

  record Named(String name, Failure failure) {
    @Override
    public String toString() {
      return name;
    }
  }

  @ParameterizedTest
  @MethodSource("failures")
  void comeBackAfter(Named named) {
    for (int i = 0; i < 3 * PLACES; i++) {
      suffer(named.failure(), i % 2 == 0 ? "key-" + i : "known");
    }
    assertThat(free()).isEqualTo(PLACES);
  }

  @Test
  void comeBackAfterARandomMix() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    List<Named> failures = failures();
    for (int i = 0; i < 100_000; i++) {
      String key = random.nextInt(3) == 0 ? "known" : "key-" + random.nextInt(50);
      if (random.nextBoolean()) {
        suffer(failures.get(random.nextInt(failures.size())).failure(), key);
      } else {
        suffer((g, k) -> g.get(k, () -> "value"), key);
      }
    }
    assertThat(free()).as("seed %d", seed).isEqualTo(PLACES);
  }

  private void suffer(Failure failure, Object key) {
    try {
      failure.in(guard, key);
    } catch (RequestShedException e) {
      throw e;
    } catch (Throwable e) {
      assertThat(e).isNotNull();
    }
  }

  /** How many places can be taken. */
  private int free() {
    List<Pass<String>> taken = new ArrayList<>();
    try {
      while (taken.size() <= PLACES) {
        taken.add(guard.ask(Ask.toLoadAll(List.of("any"))));
      }
    } catch (RequestShedException e) {
      assertThat(e).hasMessageContaining("places");
    } finally {
      taken.forEach(Pass::close);
    }
    return taken.size();
  }

  private static String fail() throws IOException {
    throw new IOException("no");
  }

  private static String die() {
    throw new StackOverflowError();
  }

  private static CompletionStage<@Nullable String> failStage() {
    throw new IllegalStateException("no");
  }

  /** Two keys at the first look, one at every later one. */
  private static final class Shrinking extends AbstractCollection<Object> {

    private final Map<Object, Boolean> keys = new LinkedHashMap<>();
    private final AtomicInteger looks = new AtomicInteger();

    Shrinking(Object key) {
      keys.put(key, true);
      keys.put(Objects.hash(key), true);
    }

    @Override
    public Iterator<Object> iterator() {
      return looks.getAndIncrement() == 0
          ? List.copyOf(keys.keySet()).iterator()
          : List.<Object>of("other", "more", "still more").iterator();
    }

    @Override
    public int size() {
      return 2;
    }

    @Override
    public Object[] toArray() {
      return List.copyOf(keys.keySet()).toArray();
    }
  }
}
