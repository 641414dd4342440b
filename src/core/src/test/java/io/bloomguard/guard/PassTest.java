package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.verify.WrongRejectionPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes on, what it holds, and the one end of it. */
class PassTest {

  /** Asks on a thread that may wait, or on one that must not. */
  interface Way {
    <K> Pass<K> ask(EntryGuard<?> guard, Ask<K> ask);
  }

  private record Named(String name, Way way) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Named> ways() {
    return Stream.of(
        new Named(
            "ask",
            new Way() {
              @Override
              public <K> Pass<K> ask(EntryGuard<?> guard, Ask<K> ask) {
                return guard.ask(ask);
              }
            }),
        new Named(
            "askLater",
            new Way() {
              @Override
              public <K> Pass<K> ask(EntryGuard<?> guard, Ask<K> ask) {
                try {
                  return guard.askLater(ask).join();
                } catch (CompletionException e) {
                  throw (RuntimeException) e.getCause();
                }
              }
            }));
  }

  /** Over a filter on the heap, so that verdicts come at once. */
  private static VerifiedGuards verified(KnownKeys store, int first, int places) {
    store.inMemory = true;
    return new VerifiedGuards(
        store,
        VerifiedGuards.first(first, WrongRejectionPolicy.DISARM),
        UnknownPolicy.OPEN,
        Transactions.NONE,
        places);
  }

  private static Guards narrow(KnownKeys store) {
    return Guards.with(store, new LocalValueCache(Guards.CACHE, null), Guards.loads(1));
  }

  @ParameterizedTest
  @MethodSource("ways")
  void onlyKeysGoOnThatMayExist(Named named) {
    Guards guards = Guards.over(new KnownKeys("1", "2"));
    Pass<String> pass = named.way.ask(guards.guard, Ask.toLoadAll(List.of("2", "nobody", "1")));
    assertThat(pass.keys()).containsExactly("2", "1");
    assertThat(pass.isHeld()).isFalse();
    Pass<Long> none = named.way.ask(guards.guard, Ask.toLoad(7L));
    assertThat(none.isEmpty()).isTrue();
    none.close();
    pass.close();
    assertThat(guards.count(Outcome.PASSED)).isEqualTo(2);
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(2);
    assertThat(guards.total()).isEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void anInvalidKeyIsRefusedAndCounted(Named named) {
    Guards guards = Guards.over(new KnownKeys("1"));
    assertThatThrownBy(() -> named.way.ask(guards.guard, Ask.toPassOn(null)))
        .isInstanceOf(InvalidKeyException.class);
    assertThatThrownBy(
            () ->
                named.way.ask(
                    guards.guard, Ask.toLoadAll(new ArrayList<>(Collections.nCopies(2, null)))))
        .isInstanceOf(InvalidKeyException.class);
    assertThat(guards.count(Outcome.ERROR)).isEqualTo(3);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aKeyInDoubtHoldsAPlaceUntilItsFirstEnd(Named named) {
    KnownKeys store = new KnownKeys("1");
    Guards guards = narrow(store);
    store.doubtful = true;
    Pass<String> pass = named.way.ask(guards.guard, Ask.toPassOn("1"));
    assertThat(pass.isHeld()).isTrue();
    assertThat(pass.isTrial()).isFalse();
    try (Scope scope = pass.enter()) {
      assertThat(guards.guard.<RuntimeException>get("2", () -> "nested")).isEqualTo("nested");
    }
    assertThatThrownBy(() -> named.way.ask(guards.guard, Ask.toPassOn("1")))
        .isInstanceOf(RequestShedException.class);
    pass.end(Finding.VALUE);
    pass.close();
    Pass<String> next = named.way.ask(guards.guard, Ask.toPassOn("1"));
    assertThatThrownBy(() -> named.way.ask(guards.guard, Ask.toPassOn("1")))
        .as("the second end gave no other place back")
        .isInstanceOf(RequestShedException.class);
    next.close();
    assertThat(guards.count(Outcome.SHED)).isEqualTo(2);
    assertThat(guards.count(Outcome.BYPASSED)).isEqualTo(3);
  }

  /** As before the guard: a rule lets the request through as it came, a load is a load. */
  @ParameterizedTest
  @MethodSource("ways")
  void aRejectedKeyOfADisarmedFilterHoldsAPlaceIfItIsLoaded(Named named) {
    VerifiedGuards guards = verified(new KnownKeys(), 0, 1);
    guards.enforcement.disarm();
    Pass<String> asItCame = named.way.ask(guards.guard, Ask.toPassOn("row"));
    assertThat(asItCame.keys()).containsExactly("row");
    assertThat(asItCame.isHeld()).isFalse();
    try (Pass<String> loaded = named.way.ask(guards.guard, Ask.toLoad("row"))) {
      assertThat(loaded.isHeld()).isTrue();
    }
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aTrialEndsByWhatIsFound(Named named) {
    VerifiedGuards guards = verified(new KnownKeys(), 4, 8);
    assertThat(named.way.ask(guards.guard, Ask.toLoad("untried")).isEmpty()).isTrue();

    Pass<String> absent = named.way.ask(guards.guard, Ask.toPassOn("absent").tried());
    assertThat(absent.keys()).containsExactly("absent");
    assertThat(absent.isTrial()).isTrue();
    assertThat(guards.count(Outcome.REJECTED)).as("not before the end").isOne();
    absent.end(Finding.NOTHING);
    absent.end(Finding.VALUE);
    assertThat(guards.verification.confirmed()).isOne();

    named.way.ask(guards.guard, Ask.toPassOn("unclear").tried()).end(Finding.UNCLEAR);
    named.way.ask(guards.guard, Ask.toPassOn("failed").tried()).close();
    assertThat(guards.verification.isDisarmed()).isFalse();

    named.way.ask(guards.guard, Ask.toLoad("row").tried()).end(Finding.VALUE);
    assertThat(guards.verification.wrong()).isOne();
    assertThat(guards.verification.isDisarmed()).isTrue();
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(2);
    assertThat(guards.count(Outcome.LOADED)).isEqualTo(2);
    assertThat(guards.count(Outcome.ERROR)).isOne();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aTrialWithoutAPlaceIsARejection(Named named) {
    VerifiedGuards guards = verified(new KnownKeys(), 100, 1);
    try (Pass<String> tried = named.way.ask(guards.guard, Ask.toLoad("a").tried())) {
      assertThat(tried.isTrial()).isTrue();
      assertThat(named.way.ask(guards.guard, Ask.toLoad("b").tried()).isEmpty()).isTrue();
      try (Scope scope = tried.enter();
          Pass<String> within = named.way.ask(guards.guard, Ask.toLoad("a").tried())) {
        assertThat(within.isTrial()).as("within the outer trial").isTrue();
        within.end(Finding.VALUE);
      }
      tried.end(Finding.UNCLEAR);
    }
    assertThat(guards.verification.wrong()).as("by the guard further in").isOne();
  }

  @Test
  void aPassThatComesAfterItsCallerHasGoneIsClosed() {
    KnownKeys store = new KnownKeys("1");
    store.remembered.add("1");
    Guards guards = narrow(store);
    store.doubtful = true;
    Pass<String> first = guards.guard.ask(Ask.toPassOn("1"));
    CompletableFuture<Pass<String>> gone = guards.guard.askLater(Ask.toPassOn("1"));
    CompletableFuture<Pass<String>> waits = guards.guard.askLater(Ask.toPassOn("1"));
    gone.cancel(false);
    first.close();
    assertThat(waits.join().keys()).containsExactly("1");
    waits.join().close();
  }
}
