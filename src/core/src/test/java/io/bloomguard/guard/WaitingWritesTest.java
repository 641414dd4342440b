package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.PendingAdds;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadSettings;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Where a writer waits for copies in other processes, which may call its keys absent until then.
 */
class WaitingWritesTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final SlowCopies copies = new SlowCopies();
  private final Followed transaction = new Followed();
  private final LocalValueCache cache = TestSettings.cache(Guards.CACHE, System::nanoTime);
  private final GuardRegistry registry =
      TestSettings.registry(
          List.of(
              GuardedFilters.of(
                  "products",
                  new Shared(),
                  UnknownPolicy.OPEN,
                  new OutcomeCounters(),
                  GuardListener.NONE,
                  Duration.ZERO)),
          name -> cache,
          new KeyRules(256),
          // One thread that waits in place of callers.
          new LoadSettings(1, SOON, SOON, SOON, 100, SOON),
          transaction);
  private final EntryGuard<String> guard =
      registry.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);

  @AfterEach
  void close() {
    copies.clear();
    registry.close();
  }

  /** A filter whose copies are slow. */
  private final class Shared extends KnownKeys {
    @Override
    public PendingAdd beginAdd(List<String> keys) {
      return copies.add("products", addEach(keys));
    }
  }

  /** A transaction that waits at its commit, if one is active and followed. */
  private static final class Followed implements Transactions {

    private final PendingAdds adds = new PendingAdds();
    private final List<Runnable> beforeCommit = new ArrayList<>();
    private boolean active;
    private boolean follows = true;

    @Override
    public boolean register(Runnable before, Completion after) {
      return active && beforeCommit.add(before);
    }

    @Override
    public boolean awaitBeforeCommit(PendingAdd.Wait wait) {
      if (active && follows) {
        adds.add(wait);
      }
      return active && follows;
    }

    @Override
    public @Nullable Long readsSince() {
      return active ? Long.valueOf(System.nanoTime()) : null;
    }
  }

  static List<Consumer<EntryGuard<String>>> writes() {
    return List.of(
        guard -> guard.put("1"),
        guard -> guard.putAll(List.of("1", "2")),
        guard -> guard.putEach(List.of("1", "2")),
        guard -> guard.writes().beginWrites(List.of("1"), List.of()).close(),
        guard -> guard.writes().beginWrites(List.of("1", "2"), List.of("3")).close());
  }

  @ParameterizedTest
  @MethodSource("writes")
  void withoutATransactionAWriteReturnsOnceCopiesHaveIt(Consumer<EntryGuard<String>> write) {
    copies.hold();
    CompletableFuture<Void> written = CompletableFuture.runAsync(() -> write.accept(guard));
    await().until(() -> copies.waiting() == 1);
    assertThat(guard.check("1")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(written).isNotDone();
    assertThat(isBarred("1")).as("until the end of the write").isTrue();
    copies.tell();
    assertThat(written).succeedsWithin(SOON);
    assertThat(isBarred("1")).isFalse();
  }

  @ParameterizedTest
  @MethodSource("writes")
  void aTransactionThatIsFollowedWaitsBeforeItsCommit(Consumer<EntryGuard<String>> write) {
    copies.hold();
    transaction.active = true;
    write.accept(guard);
    write.accept(guard);
    assertThat(copies.waiting()).isZero();
    copies.tell();
    List<String> waits = new ArrayList<>();
    copies.whenWaited(waits::add);
    transaction.adds.await();
    assertThat(waits).as("for all adds together").containsExactly("products");
  }

  @ParameterizedTest
  @MethodSource("writes")
  void inATransactionThatIsNotFollowedAWriteWaits(Consumer<EntryGuard<String>> write) {
    List<String> waits = new ArrayList<>();
    copies.whenWaited(waits::add);
    transaction.active = true;
    transaction.follows = false;
    write.accept(guard);
    assertThat(waits).containsExactly("products");
  }

  /** The retention of its keys is so short that each commit adds them again. */
  @ParameterizedTest
  @MethodSource("writes")
  void anAddThatIsRepeatedIsWaitedForToo(Consumer<EntryGuard<String>> write) {
    transaction.active = true;
    write.accept(guard);
    transaction.adds.forget();
    if (transaction.beforeCommit.isEmpty()) {
      guard.writes().beginWrites(List.of("1"), List.of()).renew();
    }
    transaction.beforeCommit.forEach(Runnable::run);
    List<String> waits = new ArrayList<>();
    copies.whenWaited(waits::add);
    transaction.adds.await();
    assertThat(waits).containsExactly("products");
  }

  @Test
  void asynchronousWritesWaitOnNoThread() {
    copies.hold();
    List<CompletableFuture<?>> written = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      CompletionStage<Boolean> put = guard.putAsync(i);
      written.add(put.toCompletableFuture());
    }
    // With a single thread for all waits, so none of them holds it.
    await().until(() -> copies.waiting() == 20);
    assertThat(written).noneMatch(CompletableFuture::isDone);
    assertThat(isBarred("0")).isTrue();
    copies.tell();
    assertThat(written).allSatisfy(put -> assertThat(put).succeedsWithin(SOON));
    assertThat(isBarred("0")).isFalse();
  }

  @Test
  void aStepOfAnAsynchronousWriteWaitsOnNoThread() {
    copies.hold();
    KeyWrites.AsyncCall call = guard.writes().beginAsync();
    PendingAdds adds = new PendingAdds();
    CompletableFuture<?> begun =
        call.run(
            () -> {
              guard.writes().beginWrites(List.of("1"), List.of(), adds::add);
              return adds.settled(transaction);
            });
    await().until(() -> copies.waiting() == 1);
    assertThat(guard.evictAsync("2").toCompletableFuture())
        .as("on the only thread")
        .succeedsWithin(SOON);
    assertThat(begun).isNotDone();
    copies.tell();
    assertThat(begun).succeedsWithin(SOON);
    assertThat(call.end(() -> {})).succeedsWithin(SOON);
  }

  @Test
  void anInterruptEndsNoWaitAndIsKept() {
    copies.hold();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread writer =
        new Thread(
            () -> {
              guard.put("1");
              interrupted.complete(Thread.currentThread().isInterrupted());
            });
    writer.start();
    await().until(() -> copies.waiting() == 1);
    writer.interrupt();
    await().until(() -> !writer.isInterrupted());
    assertThat(interrupted).isNotDone();
    copies.tell();
    assertThat(interrupted).succeedsWithin(SOON).isEqualTo(true);
  }

  @Test
  void theWaitsThatAreKeptAreBounded() {
    PendingAdds adds = new PendingAdds();
    List<String> waits = new ArrayList<>();
    copies.whenWaited(waits::add);
    for (int i = 0; i < 2 * PendingAdds.MOST; i++) {
      adds.add(copies.add("filter", new boolean[1]));
    }
    assertThat(waits).as("each add includes those before").isEmpty();
    for (int i = 0; i < PendingAdds.MOST; i++) {
      adds.add(copies.add("filter " + i, new boolean[1]));
    }
    assertThat(waits).as("one more than the bound").hasSize(PendingAdds.MOST + 1);
    adds.await();
    assertThat(waits).hasSize(PendingAdds.MOST + 1);
  }

  @Test
  void theFiltersOfAUnitOfWorkAreWaitedForTogether() {
    RecordedGuards guards =
        new RecordedGuards(Transactions.NONE, PendingWrites.NONE, "owners", "pets");
    guards.copies.hold();
    GatheredWrites writes = new GatheredWrites(() -> guards, PendingAdds::await, 10);
    writes.add("owners", 1);
    writes.add("pets", 1);
    CompletableFuture<Void> begun = CompletableFuture.runAsync(writes::begin);
    await().until(() -> guards.copies.waiting() == 2);
    assertThat(begun).isNotDone();
    guards.copies.tell();
    assertThat(begun).succeedsWithin(SOON);
  }

  private boolean isBarred(String key) {
    long asked = System.nanoTime();
    Long last = cache.lastWrite(key);
    return last != null && last - asked >= 0;
  }
}
