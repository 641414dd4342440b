package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Calls that the filter cannot decide: no more at once than the bulkhead has places, four here. */
class DoubtfulCallTest {

  private static final int PLACES = 4;

  private final TestGuards guards = new TestGuards();
  private AnnotationConfigApplicationContext context;
  private Products products;

  @BeforeEach
  void start() {
    guards.doubtful = true;
    context = Guarding.context(guards, Products.class);
    products = context.getBean(Products.class);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  @Test
  void futuresHoldTheirPlacesUntilTheyComplete() {
    holds(i -> products.future("key" + i), products::end);
  }

  @Test
  void futuresOfSeveralKeysHoldOnePlaceUntilTheyComplete() {
    holds(i -> products.futures(List.of("a" + i, "b" + i)), products::end);
  }

  @Test
  void publishersHoldTheirPlacesWhileTheyAreSubscribed() {
    List<Disposable> subscriptions = new ArrayList<>();
    holds(
        i -> {
          products.mono("nobody subscribes to this one");
          var values = i % 2 == 0 ? products.mono("key" + i) : products.flux("key" + i);
          List<Throwable> failures = new ArrayList<>();
          subscriptions.add(Flux.from(values).subscribe(value -> {}, failures::add));
          if (!failures.isEmpty()) {
            throw (RuntimeException) failures.get(0);
          }
          return values;
        },
        () -> subscriptions.forEach(Disposable::dispose));
  }

  @Test
  void aMethodThatFailsGivesItsPlaceBack() {
    for (int i = 0; i < 2 * PLACES; i++) {
      String key = "key" + i;
      assertThatThrownBy(() -> products.failing(List.of(key))).hasMessage("broken");
    }
    assertThat(guards.outcomes.count(Outcome.SHED)).isZero();
  }

  /** Keys that the filter last knew queue for a place, on no thread. */
  @Test
  void noSubscriberAndNoCallerOfAFutureWaitsOnItsThread() {
    guards.keys.addAll(List.of("a", "b", "c"));
    guards.hinted = true;
    List<Disposable> others = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      others.add(products.mono("other" + i).subscribe());
    }
    CompletableFuture<String> future = products.value("a");
    CompletableFuture<List<String>> flux = products.fluxOfOne("b").collectList().toFuture();
    CompletableFuture<String> mono = products.mono("c").toFuture();
    assertThat(List.of(future, flux, mono)).noneMatch(CompletableFuture::isDone);
    mono.cancel(true);
    others.forEach(Disposable::dispose);
    assertThat(future).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("value");
    assertThat(flux).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(List.of("value"));
    guards.hinted = false;
    holds(i -> products.future("key" + i), products::end);
  }

  /** Publishers within publishers, as many as there are places, after a change of threads. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void publishersWithinPublishersTakeNoSecondPlace(boolean caching) {
    Sinks.Empty<Void> allWithin = Sinks.empty();
    List<CompletableFuture<String>> outer = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      String key = "outer" + i;
      Mono<String> inner =
          allWithin
              .asMono()
              .publishOn(Schedulers.boundedElastic())
              .then(Mono.defer(() -> products.inner(key, Mono.just("in"))))
              .then(Mono.defer(() -> products.cachedInner(key + "-2", Mono.just("inner"))));
      outer.add(
          (caching ? products.cachedInner(key, inner) : products.inner(key, inner)).toFuture());
    }
    assertThat(outer).noneMatch(CompletableFuture::isDone);
    allWithin.tryEmitEmpty();
    assertThat(outer)
        .allSatisfy(
            answer -> assertThat(answer).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("inner"));
    assertThat(guards.outcomes.count(Outcome.SHED)).isZero();
  }

  private void holds(IntFunction<Object> call, Runnable end) {
    for (int i = 0; i < PLACES; i++) {
      assertThat(call.apply(i)).isNotNull();
    }
    assertThatThrownBy(() -> call.apply(PLACES)).isInstanceOf(RequestShedException.class);
    end.run();
    assertThat(call.apply(PLACES + 1)).isNotNull();
  }

  static class Products {

    private final CompletableFuture<String> open = new CompletableFuture<>();

    public void end() {
      open.complete("value");
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public CompletableFuture<String> future(String id) {
      return open;
    }

    @BloomGuarded(filter = "products", key = "#ids", caching = Caching.NONE)
    public CompletableFuture<Map<String, String>> futures(List<String> ids) {
      return open.thenApply(value -> Map.of());
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public CompletableFuture<String> value(String id) {
      return CompletableFuture.completedFuture("value");
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Flux<String> fluxOfOne(String id) {
      return Flux.just("value");
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<String> inner(String id, Mono<String> value) {
      return value;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public Mono<String> cachedInner(String id, Mono<String> value) {
      return value;
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<String> mono(String id) {
      return Mono.never();
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Flux<String> flux(String id) {
      return Flux.never();
    }

    @BloomGuarded(filter = "products", key = "#ids", caching = Caching.NONE)
    public Set<String> failing(List<String> ids) {
      throw new IllegalStateException("broken");
    }
  }
}
