package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.internal.decision.GuardRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Callers that come after another process' write, while a load that knows nothing of it is about to
 * land. Each backend's test extends it.
 */
public abstract class JoinedFlightsContractTest {

  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** A new and empty cache. */
  protected abstract ValueCache newCache(CacheSettings settings);

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  /** The ways to load key 1. */
  enum Way {
    ONE,
    MANY,
    ASYNC;

    CompletableFuture<@Nullable String> load(BloomGuard<String> guard, @Nullable String row) {
      return switch (this) {
        case ONE -> CompletableFuture.completedFuture(guard.get("1", () -> row));
        case MANY ->
            CompletableFuture.completedFuture(
                guard
                    .getAll(List.of("1"), keys -> row == null ? Map.of() : Map.of("1", row))
                    .get("1"));
        case ASYNC ->
            guard.getAsync("1", () -> CompletableFuture.completedFuture(row)).toCompletableFuture();
      };
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void getNoNullThatWasStoredBeforeTheWrite(Way first) {
    comesAfterAWrite(first, true);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void getNoNullEntryThatWasReadBeforeTheWrite(Way first) {
    comesAfterAWrite(first, false);
  }

  /**
   * @param first the way of the load that knows nothing of the write
   * @param loads whether it loads that null; false if it finds a null entry under its lease
   */
  private void comesAfterAWrite(Way first, boolean loads) {
    ValueCache shared = newCache(ValueCacheContractTest.SETTINGS);
    Guards elsewhere = Guards.with(new KnownKeys("1"), shared, Guards.loads(32));
    List<Future<@Nullable String>> late = new ArrayList<>();
    Meanwhile cache = new Meanwhile(shared, loads);
    BloomGuard<String> here = registry(cache).guard("products", String.class);
    cache.meanwhile =
        () -> {
          elsewhere.guard.put("1");
          for (Way way : Way.values()) {
            Thread[] caller = new Thread[1];
            Future<@Nullable String> call =
                threads.submit(
                    () -> {
                      caller[0] = Thread.currentThread();
                      return way.load(here, "written").get(1, TimeUnit.MINUTES);
                    });
            late.add(call);
            Awaitility.await()
                .until(
                    () ->
                        call.isDone()
                            || (caller[0] != null
                                && caller[0].getState() == Thread.State.TIMED_WAITING));
          }
        };
    assertThat(first.load(here, null)).succeedsWithin(Duration.ofMinutes(1)).isNull();
    assertThat(late)
        .hasSize(3)
        .allSatisfy(
            call -> assertThat(call).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("written"));
  }

  private static GuardRegistry registry(ValueCache cache) {
    return GuardedFilters.registry("products", new KnownKeys("1"), name -> cache, Guards.loads(32));
  }

  /** Lets something happen when a null was stored, or found under a lease, for the first time. */
  private static final class Meanwhile extends LocalCacheThat {

    private final ValueCache shared;
    private final boolean loads;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean gone = new AtomicBoolean();
    private Runnable meanwhile = () -> {};

    Meanwhile(ValueCache shared, boolean loads) {
      super(shared);
      this.shared = shared;
      this.loads = loads;
    }

    @Override
    public @Nullable Lease tryLease(String key) {
      if (!loads && begun.compareAndSet(false, true)) {
        Lease another = ValueCacheContractTest.lease(shared, key);
        assertThat(shared.store(another, null)).isEqualTo(StoreResult.STORED);
      }
      return super.tryLease(key);
    }

    @Override
    public <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
      CacheLookup<V> found = shared.lookAgain(key, type);
      if (!loads) {
        resume();
      }
      return found;
    }

    @Override
    public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
      StoreResult result = super.store(lease, value, type);
      if (loads) {
        resume();
      }
      return result;
    }

    private void resume() {
      if (gone.compareAndSet(false, true)) {
        meanwhile.run();
      }
    }
  }
}
