package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.Transactions.Completion;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.VerifySettings;
import io.bloomguard.guard.internal.verify.WrongRejectionPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter earns the right to reject: what is let through, the verdicts, and what they lead to. */
class VerificationTest {

  @Test
  void aTrialWhoseCallerCancelsWhileItsLeaseIsTakenGivesItsPlaceBack() {
    LocalValueCache local = new LocalValueCache(Guards.CACHE, null);
    CompletableFuture<@Nullable Lease> taking = new CompletableFuture<>();
    ValueCache late =
        new LocalCacheThat(local) {
          @Override
          public @Nullable Lease tryLease(String key) {
            return key.equals("row") ? taking.join() : local.tryLease(key);
          }

          @Override
          public boolean answersInMemory() {
            return false;
          }
        };
    VerifiedGuards cancelled =
        new VerifiedGuards(
            new KnownKeys(),
            late,
            VerifiedGuards.first(2, WrongRejectionPolicy.COUNT),
            UnknownPolicy.OPEN,
            Transactions.NONE,
            1);
    CompletableFuture<String> load = new CompletableFuture<>();
    CompletableFuture<String> caller =
        cancelled.guard.getAsync("row", () -> load).toCompletableFuture();
    assertThat(caller.cancel(true)).isTrue();
    taking.complete(local.tryLease("row"));
    load.complete(null);
    Awaitility.await().until(() -> cancelled.count(Outcome.REJECTED) == 1);
    // The only place is free again for the trial of another key.
    assertThat(cancelled.guard.<RuntimeException>get("other", () -> "found")).isEqualTo("found");
  }

  private final AtomicInteger loads = new AtomicInteger();

  private String load() {
    loads.incrementAndGet();
    return "value";
  }

  private @Nullable String loadNothing() {
    loads.incrementAndGet();
    return null;
  }

  /** One way to ask for a key whose row is there, or not. */
  private record Way(String name, BiFunction<EntryGuard<String>, Asked, @Nullable String> ask) {
    @Override
    public String toString() {
      return name;
    }
  }

  private record Asked(String key, @Nullable String row) {}

  static Stream<Way> ways() {
    return Stream.of(
        new Way("get", (guard, asked) -> guard.get(asked.key(), asked::row)),
        new Way("call", (guard, asked) -> guard.call(asked.key(), asked::row)),
        new Way(
            "getAsync",
            (guard, asked) ->
                guard
                    .getAsync(asked.key(), () -> CompletableFuture.completedFuture(asked.row()))
                    .toCompletableFuture()
                    .join()),
        new Way(
            "getAll",
            (guard, asked) ->
                guard
                    .getAll(
                        List.of(asked.key()),
                        keys -> {
                          Map<String, String> rows = new LinkedHashMap<>();
                          String row = asked.row();
                          keys.forEach(key -> rows.put(key, row));
                          return rows;
                        })
                    .get(asked.key())),
        new Way(
            "admit",
            (guard, asked) -> {
              Pass<String> pass = guard.ask(Ask.toPassOn(asked.key()).tried());
              pass.end(asked.row() != null ? Finding.VALUE : Finding.NOTHING);
              return pass.isEmpty() ? null : asked.row();
            }));
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aWrongRejectionIsFoundWithinTheFirstHundredAndDisarmsTheFilter(Way way) {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.FIRST_100);
    for (int i = 0; i < 99; i++) {
      assertThat(way.ask().apply(guards.guard, new Asked("absent-" + i, null))).isNull();
    }
    assertThat(guards.verification.confirmed()).isEqualTo(99);
    assertThat(guards.verification.isDisarmed()).isFalse();

    assertThat(way.ask().apply(guards.guard, new Asked("row", "value"))).isEqualTo("value");

    assertThat(guards.verification.wrong()).isOne();
    assertThat(guards.verification.isDisarmed()).isTrue();
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(99);
    assertThat(guards.count(Outcome.LOADED)).isOne();
    assertThat(guards.total()).isEqualTo(100);
    assertThat(way.ask().apply(guards.guard, new Asked("another", "value"))).isEqualTo("value");
  }

  /** As a service that is guarded too, and called by {@code @Async} from a guarded one. */
  @ParameterizedTest
  @MethodSource("ways")
  void aLoadWhoseKeyIsRejectedOnAnotherThreadConfirmsNothing(Way inner) {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.FIRST_100);
    String value =
        guards.guard.get(
            "row",
            () ->
                CompletableFuture.supplyAsync(
                        () -> inner.ask().apply(guards.guard, new Asked("row", "value")))
                    .join());
    assertThat(value).isNull();
    assertThat(guards.verification.confirmed()).isZero();
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(2);
    assertThat(guards.guard.get("other", () -> null)).isNull();
    assertThat(guards.verification.confirmed()).as("of another key").isOne();
  }

  @Test
  void aLoadWhoseKeyIsAskedAboutOnAnotherThreadConfirmsNothing() {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.FIRST_100);
    guards.guard.get(
        "row",
        () -> {
          Membership asked = CompletableFuture.supplyAsync(() -> guards.guard.check("row")).join();
          return asked == Membership.ABSENT ? null : "value";
        });
    assertThat(guards.verification.confirmed()).isZero();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void withVerificationOffTheSameIsNeverFound(Way way) {
    VerifiedGuards guards =
        new VerifiedGuards(new KnownKeys(), VerifiedGuards.first(0, WrongRejectionPolicy.DISARM));
    for (int i = 0; i < 1000; i++) {
      assertThat(way.ask().apply(guards.guard, new Asked("row-" + i, "value"))).isNull();
    }
    assertThat(guards.verification.wrong()).isZero();
    assertThat(guards.verification.isDisarmed()).isFalse();
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(1000);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aKeyThatWasAddedDuringTheLoadIsNoCase(Way way) {
    KnownKeys store = new KnownKeys();
    VerifiedGuards guards = new VerifiedGuards(store, VerifiedGuards.FIRST_100);
    // The row is there by the time it is read, and its key is in the filter by then.
    EntryGuard<String> guard = guards.guard;
    String value =
        guard.get(
            "row",
            () -> {
              guard.put("row");
              return "value";
            });
    assertThat(value).isEqualTo("value");
    assertThat(guards.verification.wrong()).isZero();
    assertThat(guards.count(Outcome.LOADED)).isOne();
    assertThat(way.ask().apply(guard, new Asked("other", null))).isNull();
  }

  @Test
  void aKeyThatAnotherProcessAddedDuringTheLoadIsNoCase() {
    KnownKeys store = new KnownKeys();
    VerifiedGuards guards = new VerifiedGuards(store, VerifiedGuards.FIRST_100);
    String value =
        guards.guard.get(
            "row",
            () -> {
              store.addAll(List.of("row"));
              return "value";
            });
    assertThat(value).isEqualTo("value");
    assertThat(guards.verification.wrong()).isZero();
    assertThat(guards.verification.isDisarmed()).isFalse();
  }

  @Test
  void countOnlyCounts() {
    VerifiedGuards guards =
        new VerifiedGuards(new KnownKeys(), VerifiedGuards.first(100, WrongRejectionPolicy.COUNT));
    assertThat(guards.guard.get("row", this::load)).isEqualTo("value");
    assertThat(guards.verification.wrong()).isOne();
    assertThat(guards.guard.get("row", this::load)).as("had its turn").isNull();
    assertThat(guards.verification.isDisarmed()).isFalse();
  }

  @Test
  void aRepeatedKeyUsesOneOfTheFirstWhateverItsSpelling() {
    VerifiedGuards guards =
        new VerifiedGuards(new KnownKeys(), VerifiedGuards.first(2, WrongRejectionPolicy.COUNT));
    for (Object same : List.of(-42L, "-42", -42, (short) -42)) {
      assertThat(guards.guard.get(same, this::loadNothing)).isNull();
    }
    assertThat(loads).hasValue(1);
    assertThat(guards.guard.get("other", this::loadNothing)).isNull();
    assertThat(guards.guard.get("third", this::loadNothing)).isNull();
    assertThat(loads).hasValue(2);
    assertThat(guards.verification.confirmed()).isEqualTo(2);
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(6);
  }

  @Test
  void eachGenerationHasItsFirstKeys() {
    KnownKeys store = new KnownKeys();
    VerifiedGuards guards =
        new VerifiedGuards(store, VerifiedGuards.first(1, WrongRejectionPolicy.COUNT));
    guards.guard.get("a", this::loadNothing);
    guards.guard.get("b", this::loadNothing);
    store.generation++;
    guards.guard.get("a", this::loadNothing);
    guards.guard.get("b", this::loadNothing);
    assertThat(loads).hasValue(2);
  }

  @Test
  void noMoreThanTheRateIsLetThrough() {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.sample(1, 10));
    for (int i = 0; i < 1000; i++) {
      guards.guard.get("key-" + i, this::loadNothing);
    }
    assertThat(loads).as("the burst").hasValue(10);
    guards.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
    for (int i = 0; i < 1000; i++) {
      guards.guard.get("key-" + i, this::loadNothing);
    }
    assertThat(loads).hasValue(15);
    guards.nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
    for (int i = 0; i < 1000; i++) {
      guards.guard.get("key-" + i, this::loadNothing);
    }
    assertThat(loads).as("never more than the burst at once").hasValue(25);
  }

  @Test
  void aShareOfTheOthersIsSampled() {
    VerifiedGuards guards =
        new VerifiedGuards(new KnownKeys(), VerifiedGuards.sample(0.01, 1_000_000));
    for (int i = 0; i < 100_000; i++) {
      guards.guard.get("key-" + i, this::loadNothing);
    }
    assertThat(loads.get()).isBetween(800, 1200);
    assertThat(guards.verification.confirmed()).isEqualTo(loads.get());
  }

  @Test
  void aTrialStoresNothing() {
    KnownKeys store = new KnownKeys();
    VerifiedGuards guards =
        new VerifiedGuards(store, VerifiedGuards.first(100, WrongRejectionPolicy.COUNT));
    guards.guard.get("row", this::load);
    guards.guard.get("absent", this::loadNothing);
    store.addAll(List.of("row", "absent"));

    assertThat(guards.guard.get("row", () -> "newer")).isEqualTo("newer");
    assertThat(guards.guard.get("absent", () -> "newer")).isEqualTo("newer");
  }

  @Test
  void aTrialGoesPastNullEntries() {
    KnownKeys store = new KnownKeys("row");
    VerifiedGuards guards = new VerifiedGuards(store, VerifiedGuards.FIRST_100);
    guards.guard.get("row", this::loadNothing);
    store.forget("row");
    assertThat(guards.guard.get("row", this::load)).isEqualTo("value");
    assertThat(guards.verification.wrong()).isOne();
  }

  @Test
  void aFailureIsPassedOnAndIsNoVerdict() {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.FIRST_100);
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(
              () ->
                  guards.guard.get(
                      "row",
                      () -> {
                        throw new IOException("down");
                      }))
          .isInstanceOf(IOException.class);
    }
    CompletableFuture<String> failed = new CompletableFuture<>();
    failed.completeExceptionally(new IOException("down"));
    assertThatThrownBy(() -> guards.guard.getAsync("row", () -> failed).toCompletableFuture().get())
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(
            () ->
                guards.guard.getAll(
                    List.of("row"),
                    keys -> {
                      throw new IllegalStateException("down");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(guards.count(Outcome.ERROR)).isEqualTo(5);
    assertThat(guards.total()).isEqualTo(5);
    assertThat(guards.verification.confirmed() + guards.verification.wrong()).isZero();
    assertThat(guards.guard.get("row", this::load)).as("its turn was not used").isNotNull();
  }

  private void isRejectedInEveryWay(EntryGuard<String> guard) {
    assertThat(guard.get("row", this::load)).isNull();
    assertThat(guard.call("row", this::load)).isNull();
    assertThat(guard.getAll(List.of("row"), keys -> Map.of("row", load()))).isEmpty();
    assertThat(
            guard
                .getAsync("row", () -> CompletableFuture.completedFuture(load()))
                .toCompletableFuture())
        .isCompletedWithValue(null);
  }

  @Test
  void whereThePlacesAreTakenAKeyIsRejectedAsUsual() {
    VerifiedGuards guards =
        new VerifiedGuards(
            new KnownKeys("present"),
            VerifiedGuards.FIRST_100,
            UnknownPolicy.OPEN,
            Transactions.NONE,
            1);
    guards.guard.get(
        "present",
        () -> {
          // On another thread: within this load they would need no place of their own.
          CompletableFuture.runAsync(() -> isRejectedInEveryWay(guards.guard)).join();
          return "value";
        });
    Lease lease = guards.cache.tryLease("row");
    assertThat(guards.guard.get("row", this::load)).as("the lease is another's").isNull();
    guards.cache.release(lease);
    assertThat(loads).hasValue(0);

    assertThat(guards.guard.get("row", this::load)).as("its turn was not used").isNotNull();
  }

  @Test
  void theFlightOfATrialIsNotJoined() {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.FIRST_100);
    CompletableFuture<String> slow = new CompletableFuture<>();
    CompletableFuture<String> first =
        guards.guard.getAsync("row", () -> slow).toCompletableFuture();
    assertThat(guards.guard.get("row", this::load)).isNull();
    slow.complete("value");
    assertThat(first.join()).isEqualTo("value");
    assertThat(loads).hasValue(0);
  }

  @Test
  void aKeyUnderTrialPassesTheGuardsFurtherIn() {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.FIRST_100);
    EntryGuard<String> guard = guards.guard;
    List<String> seen = new ArrayList<>();
    String value =
        guard.get(
            42L,
            () -> {
              seen.add(guard.call("42", () -> "called"));
              seen.add(guard.get(42, () -> "got"));
              seen.add(guard.getAll(List.of(42L), keys -> Map.of(42L, "all")).get(42L));
              seen.add(
                  guard
                      .getAsync(42, () -> CompletableFuture.completedFuture("later"))
                      .toCompletableFuture()
                      .join());
              assertThat(guard.admit("42")).isTrue();
              assertThat(guard.check("42")).isEqualTo(Membership.UNKNOWN);
              assertThat(guard.ask(Ask.toLoadAll(List.of("42", "43"))).keys())
                  .containsExactly("42");
              return "value";
            });
    assertThat(value).isEqualTo("value");
    assertThat(seen).containsExactly("called", "got", "all", "later");
    assertThat(guards.verification.wrong()).isOne();
    assertThat(guards.verification.confirmed()).isZero();
  }

  @Test
  void questionsAreNeverLetThrough() {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.FIRST_100);
    for (int i = 0; i < 10; i++) {
      assertThat(guards.guard.check("a" + i)).isEqualTo(Membership.ABSENT);
      assertThat(guards.guard.checkAll(List.of("b" + i))).containsExactly(Membership.ABSENT);
      assertThat(guards.guard.admit("c" + i)).isFalse();
      try (Pass<String> admission = guards.guard.ask(Ask.toLoadAll(List.of("d" + i)))) {
        assertThat(admission.keys()).isEmpty();
      }
    }
    assertThat(guards.verification.confirmed()).isZero();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aFilterThatDoesNotEnforceCountsAndPasses(Way way) {
    for (FilterMode mode : FilterMode.values()) {
      VerifiedGuards guards =
          new VerifiedGuards(
              new KnownKeys("present"),
              VerifySettings.OFF,
              UnknownPolicy.CLOSED,
              Transactions.NONE,
              1);
      guards.enforcement.mode(mode);
      if (mode == FilterMode.ENFORCE) {
        guards.enforcement.disarm();
      }
      assertThat(way.ask().apply(guards.guard, new Asked("row", "value"))).isEqualTo("value");
      assertThat(way.ask().apply(guards.guard, new Asked("absent", null))).isNull();
      assertThat(guards.count(Outcome.REJECTED)).isEqualTo(2);
      assertThat(guards.total()).isEqualTo(2);
      assertThat(guards.guard.check("row")).isEqualTo(Membership.UNKNOWN);
      assertThat(guards.guard.checkAll(List.of("row", "present")))
          .containsExactly(Membership.UNKNOWN, Membership.POSSIBLY_PRESENT);
      assertThat(guards.guard.admit("row")).isTrue();
      assertThat(guards.count(Outcome.REJECTED)).isEqualTo(5);

      guards.enforcement.arm();
      guards.enforcement.mode(FilterMode.ENFORCE);
      assertThat(way.ask().apply(guards.guard, new Asked("row", "value"))).isNull();
      assertThat(guards.guard.check("row")).isEqualTo(Membership.ABSENT);
    }
  }

  @Test
  void whatPassesADisarmedFilterTakesAPlaceInTheBulkhead() {
    VerifiedGuards guards =
        new VerifiedGuards(
            new KnownKeys(), VerifySettings.OFF, UnknownPolicy.OPEN, Transactions.NONE, 1);
    guards.enforcement.disarm();
    try (Pass<String> admission = guards.guard.ask(Ask.toLoadAll(List.of("row")))) {
      assertThat(admission.keys()).containsExactly("row");
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> guards.guard.call("other", this::load))
          .isInstanceOf(RequestShedException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(guards.count(Outcome.SHED)).isOne();
    assertThat(guards.guard.call("other", this::load)).isEqualTo("value");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReadOlderThanTheGenerationOrAWriteIsNoCase(boolean asked) {
    Thread caller = Thread.currentThread();
    AtomicReference<@Nullable Duration> age = new AtomicReference<>();
    AtomicReference<@Nullable Duration> used = new AtomicReference<>();
    Transactions transactions =
        new Transactions() {
          @Override
          public boolean register(Runnable beforeCommit, Completion afterCompletion) {
            return false;
          }

          @Override
          public @Nullable Long readsSince() {
            Duration mine = age.get();
            return mine == null ? null : Long.valueOf(System.nanoTime() - mine.toNanos());
          }

          @Override
          public LongFunction<@Nullable Long> used() {
            Duration mine = Thread.currentThread() == caller ? used.get() : null;
            return moment -> mine == null ? null : moment - mine.toNanos();
          }
        };
    KnownKeys store = new KnownKeys("row");
    VerifiedGuards guards =
        new VerifiedGuards(store, VerifiedGuards.FIRST_100, UnknownPolicy.OPEN, transactions, 32);
    if (asked) {
      guards.rowKeys.set(
          new RowKeys() {
            @Override
            public boolean isKnown() {
              return true;
            }

            @Override
            public Answer of(String key) {
              return new Answer(Kind.ROWS, List.of(key));
            }
          });
    }
    // The generation was seen after this transaction began.
    age.set(Duration.ofHours(1));
    store.forget("row");
    assertThat(guards.guard.get("row", this::load)).isEqualTo("value");
    // The key was evicted during the load.
    age.set(null);
    // So was it after this session was opened, in which the load reads.
    used.set(Duration.ofHours(1));
    assertThat(guards.guard.get("fourth", this::load)).isEqualTo("value");
    used.set(null);
    assertThat(
            guards.guard.get(
                "other",
                () -> {
                  guards.guard.evict("other");
                  return "value";
                }))
        .isEqualTo("value");
    // So was it just before, and the load reads a replica of the database that lags.
    guards.guard.evict("fifth");
    assertThat(guards.guard.get("fifth", this::load)).isEqualTo("value");
    assertThat(guards.guard.get("fifth", this::load)).as("another trial").isEqualTo("value");
    assertThat(guards.verification.wrong()).isZero();

    assertThat(guards.guard.get("third", this::load)).isEqualTo("value");
    assertThat(guards.verification.wrong()).as("neither").isOne();
  }

  /** The row may be the transaction's own, whose key comes after the insert. */
  @Test
  void aReadInATransactionIsJudgedByItsEnd() {
    List<Completion> ends = new ArrayList<>();
    Transactions transactions =
        new Transactions() {
          @Override
          public boolean register(Runnable beforeCommit, Completion afterCompletion) {
            ends.add(afterCompletion);
            return true;
          }

          @Override
          public @Nullable Long readsSince() {
            return System.nanoTime();
          }
        };
    KnownKeys store = new KnownKeys();
    VerifiedGuards guards =
        new VerifiedGuards(store, VerifiedGuards.FIRST_100, UnknownPolicy.OPEN, transactions, 32);
    for (String key : List.of("own", "undone", "lacking")) {
      assertThat(guards.guard.get(key, this::load)).isEqualTo("value");
    }
    assertThat(guards.verification.wrong()).isZero();
    store.addAll(List.of("own"));
    ends.get(0).completed(End.COMMITTED);
    ends.get(1).completed(End.ROLLED_BACK);
    assertThat(guards.verification.wrong()).isZero();
    ends.get(2).completed(End.COMMITTED);
    assertThat(guards.verification.wrong()).isOne();
  }

  @Test
  void whatMayStillArriveIsLateAndWrongOnlyIfItDoesNotCome() {
    KnownKeys store = new KnownKeys();
    VerifiedGuards guards = new VerifiedGuards(store, VerifiedGuards.FIRST_100);
    AtomicBoolean read = new AtomicBoolean();
    guards.arrivals.set(
        new Arrivals() {
          @Override
          public boolean expected() {
            return true;
          }

          @Override
          public boolean completeSince(long moment) {
            return read.get();
          }
        });
    guards.guard.get("comes", this::load);
    guards.guard.get("does not come", this::load);
    assertThat(guards.verification.late()).isEqualTo(2);
    guards.verification.maintain();
    assertThat(guards.verification.wrong()).isZero();

    store.addAll(List.of("comes"));
    read.set(true);
    guards.verification.maintain();
    assertThat(guards.verification.wrong()).isOne();
    assertThat(guards.verification.isDisarmed()).isTrue();
    guards.verification.maintain();
    assertThat(guards.verification.wrong()).as("judged once").isOne();
  }

  @Test
  void whileTooManyKeysAreLateNothingIsLetThrough() {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.sample(1, 10_000));
    guards.arrivals.set(
        new Arrivals() {
          @Override
          public boolean expected() {
            return true;
          }

          @Override
          public boolean completeSince(long moment) {
            return false;
          }
        });
    for (int i = 0; i < 5000; i++) {
      guards.guard.get("key-" + i, this::load);
    }
    assertThat(loads).hasValue(1000);
  }

  @Test
  void aReportCountsWhatIsAbsentAtTheSecondLook() {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys("present"), VerifySettings.OFF);
    assertThat(guards.guard.reportFound(List.of("present"))).isZero();
    assertThat(guards.verification.isDisarmed()).isFalse();
    assertThat(guards.guard.reportFound(List.of("present", "row", "row"))).isOne();
    assertThat(guards.verification.isDisarmed()).isTrue();
    assertThat(guards.verification.wrong()).isOne();
    assertThat(guards.total()).as("a report is no request").isZero();
  }

  @Test
  void aReportCanBeCountedOrIgnored() {
    for (WrongRejectionPolicy policy :
        List.of(WrongRejectionPolicy.COUNT, WrongRejectionPolicy.IGNORE)) {
      VerifySettings settings = new VerifySettings(0, 0, 0, WrongRejectionPolicy.DISARM, policy);
      VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), settings);
      int counted = policy == WrongRejectionPolicy.COUNT ? 1 : 0;
      assertThat(guards.guard.reportFound(Set.of("row"))).isEqualTo(counted);
      assertThat(guards.verification.wrong()).isEqualTo(counted);
      assertThat(guards.verification.isDisarmed()).isFalse();
    }
  }

  @Test
  void aFilterThatIsArmedAgainHasToEarnItsRightAgain() {
    VerifiedGuards guards =
        new VerifiedGuards(new KnownKeys(), VerifiedGuards.first(1, WrongRejectionPolicy.DISARM));
    guards.guard.get("row", this::load);
    assertThat(guards.verification.isDisarmed()).isTrue();
    guards.verification.maintain();
    guards.enforcement.arm();
    guards.verification.maintain();
    assertThat(guards.guard.get("row", this::load)).isEqualTo("value");
    assertThat(guards.verification.isDisarmed()).isTrue();
  }

  @Test
  void aTrialEndsOnce() {
    VerifiedGuards guards = new VerifiedGuards(new KnownKeys(), VerifiedGuards.FIRST_100);
    Pass<String> pass = guards.guard.ask(Ask.toPassOn("row").tried());
    pass.end(Finding.NOTHING);
    pass.end(Finding.VALUE);
    pass.close();
    assertThat(guards.verification.wrong()).isZero();
    assertThat(guards.verification.confirmed()).isOne();
    assertThat(guards.total()).isOne();
  }

  /** Calls on another thread, where a load under way on this one has no place to share. */
  private static <T extends @Nullable Object> T elsewhere(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call).join();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void halfOfThePlacesAreLeftToKeysThatExist(Way way) {
    VerifiedGuards guards =
        new VerifiedGuards(
            new KnownKeys("present"),
            VerifiedGuards.FIRST_100,
            UnknownPolicy.OPEN,
            Transactions.NONE,
            2);
    EntryGuard<String> guard = guards.guard;
    assertThat(
            guard.get(
                "absent",
                () -> {
                  assertThat(elsewhere(() -> way.ask().apply(guard, new Asked("other", "value"))))
                      .isNull();
                  return elsewhere(() -> guard.get("present", this::load));
                }))
        .isEqualTo("value");
    assertThat(way.ask().apply(guard, new Asked("other", "value"))).isEqualTo("value");
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aFilterThatDoesNotEnforceIsNotClosedWhileItCannotTell(Way way) {
    KnownKeys store = new KnownKeys();
    VerifiedGuards guards =
        new VerifiedGuards(store, VerifySettings.OFF, UnknownPolicy.CLOSED, Transactions.NONE, 32);
    store.doubtful = true;
    assertThatThrownBy(() -> way.ask().apply(guards.guard, new Asked("row", "value")))
        .isInstanceOf(RequestShedException.class);
    guards.enforcement.mode(FilterMode.OBSERVE);
    if (!way.name().equals("admit")) {
      assertThat(way.ask().apply(guards.guard, new Asked("row", "value"))).isEqualTo("value");
    }
    assertThat(guards.guard.admit("row")).isTrue();
  }

  @Test
  void aBatchOfWhichNothingIsTriedHoldsNoPlace() {
    VerifiedGuards guards =
        new VerifiedGuards(
            new KnownKeys("present"),
            VerifiedGuards.FIRST_100,
            UnknownPolicy.OPEN,
            Transactions.NONE,
            1);
    assertThat(guards.cache.tryLease("absent")).isNotNull();
    Map<String, String> rows = Map.of("present", "value");
    CompletableFuture<Map<String, String>> found =
        CompletableFuture.supplyAsync(
            () -> guards.guard.getAll(List.of("absent", "present"), keys -> rows));
    assertThat(found).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(rows);
  }
}
