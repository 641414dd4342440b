package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.UnsharedValuesContractTest.Loading;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.CachePlan;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import java.io.Serializable;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** With {@code copy}, each caller may change what it got. */
class CopiedValuesTest {

  /** A value that callers change. */
  public static class Basket implements Serializable {
    public List<String> items = new ArrayList<>(List.of("bread"));
  }

  /** One that cannot be serialized. */
  public static class Loop {
    public Loop getSelf() {
      return this;
    }
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();

  private final GuardRegistry registry =
      TestSettings.registry(
          List.of(
              GuardedFilters.of(
                  "baskets",
                  new KnownKeys("1"),
                  UnknownPolicy.OPEN,
                  new OutcomeCounters(),
                  GuardListener.NONE,
                  Duration.ofMinutes(10))),
          new Copying(),
          new KeyRules(256),
          Guards.loads(4),
          Transactions.NONE,
          new OwnedValues(() -> OwnedTypes.NONE),
          new KeyTypes());

  private static final class Copying implements ValueCaches {
    @Override
    public CachePlan plan(String filter) {
      return new CachePlan("local", TestSettings.CACHE, true);
    }

    @Override
    public ValueCodec codec(String cache, CachePlan plan) {
      return new SerializedValues();
    }

    @Override
    public ValueCache make(String cache, CachePlan plan, @Nullable ValueCodec codec) {
      return new LocalValueCache(plan.settings(), codec);
    }
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @ParameterizedTest
  @EnumSource
  void whatOneCallerChangesTheNextDoesNotSee(Loading loading) {
    BloomGuard<Basket> guard = registry.guard("baskets", Basket.class);
    AtomicInteger loads = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      Basket mine =
          loading.load(
              guard,
              "1",
              () -> {
                loads.incrementAndGet();
                return new Basket();
              });
      assertThat(mine).isNotNull();
      assertThat(mine.items).containsExactly("bread");
      mine.items.add("milk");
    }
    assertThat(loads).as("it is kept").hasValue(1);
  }

  /** As of {@code existsBy...} beside a lookup that keeps null entries only. */
  @Test
  void aCallerThatTakesNullEntriesAloneReadsNoValue() {
    SerializedValues values = new SerializedValues();
    List<Type> read = new ArrayList<>();
    ValueCodec codec =
        new ValueCodec() {
          @Override
          public @Nullable String refusal(Type declared) {
            return values.refusal(declared);
          }

          @Override
          public byte @Nullable [] write(Object value, ValueType<?> type) {
            return values.write(value, type);
          }

          @Override
          public <V> @Nullable V read(byte[] bytes, ValueType<V> type) {
            read.add(type.type());
            return values.read(bytes, type);
          }
        };
    LocalValueCache cache = new LocalValueCache(TestSettings.CACHE, codec);
    Lease lease = cache.tryLease("1");
    assertThat(lease).isNotNull();
    cache.store(lease, true, ValueType.of(Boolean.class));
    assertThat(cache.lookup("1", ValueType.of(Object.class).unshared()))
        .isEqualTo(CacheLookup.miss());
    assertThat(read).isEmpty();
    assertThat(cache.lookup("1", ValueType.of(Boolean.class))).isEqualTo(CacheLookup.hit(true));
  }

  @Test
  void callersThatWaitedForOneLoadGetEachTheirOwn() throws Exception {
    BloomGuard<Basket> guard = registry.guard("baskets", Basket.class);
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    List<Future<@Nullable Basket>> callers = new ArrayList<>();
    callers.add(threads.submit(() -> guard.get("1", () -> slowly(loading, resume))));
    assertThat(loading.await(60, TimeUnit.SECONDS)).isTrue();
    List<Thread> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      callers.add(
          threads.submit(
              () -> {
                synchronized (waiting) {
                  waiting.add(Thread.currentThread());
                }
                return guard.get("1", Basket::new);
              }));
    }
    Awaitility.await()
        .until(
            () -> {
              synchronized (waiting) {
                return waiting.size() == 3
                    && waiting.stream()
                        .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING);
              }
            });
    resume.countDown();
    List<Basket> baskets = new ArrayList<>();
    for (Future<@Nullable Basket> caller : callers) {
      Basket mine = caller.get(60, TimeUnit.SECONDS);
      assertThat(mine).isNotNull();
      baskets.add(mine);
    }
    assertThat(baskets).doesNotHaveDuplicates();
    baskets.get(0).items.clear();
    assertThat(baskets.get(1).items).containsExactly("bread");
  }

  private static Basket slowly(CountDownLatch loading, CountDownLatch resume) {
    loading.countDown();
    try {
      assertThat(resume.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return new Basket();
  }

  @ParameterizedTest
  @EnumSource
  void whatCannotBeCopiedIsNotShared(Loading loading) {
    BloomGuard<Loop> guard = registry.guard("baskets", Loop.class);
    assertThat(loading.load(guard, "1", Loop::new))
        .isNotNull()
        .isNotSameAs(loading.load(guard, "1", Loop::new));
  }
}
