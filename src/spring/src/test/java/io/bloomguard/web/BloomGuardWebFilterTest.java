package io.bloomguard.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.Entered;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/** Requests of WebFlux that wait, and those whose client has gone; the bulkhead has four places. */
class BloomGuardWebFilterTest {

  private static final int PLACES = 4;

  private final TestGuards guards = new TestGuards();
  private final EntryGuard<String> nested =
      guards.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
  private final BloomGuardWebFilter filter =
      new BloomGuardWebFilter(
          List.of(
              new WebRule("/products/{id}", "products", "id", KeyType.STRING),
              new WebRule("/products/{order}", "orders", "order", KeyType.STRING)),
          guards,
          new PathPatternParser(),
          DefaultConversionService.getSharedInstance());

  /** The filters cannot tell, and hold what they know in the queue for a place. */
  @BeforeEach
  void doubt() {
    guards.doubtful = true;
    guards.hinted = true;
    guards.keys.add("7");
  }

  private Mono<Void> request(WebFilterChain chain) {
    return filter.filter(get(), chain);
  }

  private static MockServerWebExchange get() {
    return MockServerWebExchange.from(MockServerHttpRequest.get("/products/7"));
  }

  private @Nullable HttpStatusCode status(WebFilterChain chain) {
    MockServerWebExchange exchange = get();
    filter.filter(exchange, chain).block();
    return exchange.getResponse().getStatusCode();
  }

  private List<Pass<String>> enter(int places) {
    List<Pass<String>> taken = new ArrayList<>();
    for (int i = 0; i < places; i++) {
      taken.add(nested.ask(Ask.toLoadAll(List.of("other" + i))));
    }
    return taken;
  }

  private void assertAllFree() {
    guards.hinted = false; // one too many is shed at once
    List<Pass<String>> taken = enter(PLACES);
    assertThat(status(exchange -> Mono.empty())).isEqualTo(HttpStatusCode.valueOf(503));
    taken.forEach(Pass::close);
    assertThat(status(exchange -> Mono.empty())).isNull();
  }

  /** With all places but one taken: two rules that cannot tell take one together. */
  @Test
  void oneRequestHoldsOnePlace() {
    List<Pass<String>> others = enter(PLACES - 1);
    AtomicInteger calls = new AtomicInteger();
    assertThat(status(exchange -> Mono.fromRunnable(calls::incrementAndGet))).isNull();
    assertThat(calls).hasValue(1);
    others.forEach(Pass::close);
    assertAllFree();
  }

  @Test
  void aRequestThatWaitsForAPlaceHoldsNoThread() {
    List<Pass<String>> others = enter(PLACES);
    AtomicBoolean called = new AtomicBoolean();
    CompletableFuture<Void> answer =
        request(exchange -> Mono.fromRunnable(() -> called.set(true))).toFuture();
    assertThat(answer).isNotDone();
    assertThat(called).isFalse();
    others.remove(0).close();
    Awaitility.await().untilAsserted(() -> assertThat(answer).isCompleted());
    assertThat(called).isTrue();
    others.forEach(Pass::close);
    assertAllFree();
  }

  @Test
  void aClientThatGoesWhileItWaitsTakesNoPlace() {
    List<Pass<String>> others = enter(PLACES);
    AtomicBoolean called = new AtomicBoolean();
    request(exchange -> Mono.fromRunnable(() -> called.set(true))).subscribe().dispose();
    others.forEach(Pass::close);
    assertAllFree();
    assertThat(called).isFalse();
    assertThat(guards.outcomes.count(EntryPoint.WEB, Outcome.ERROR)).isOne();
  }

  @Test
  void aClientThatGoesWhileTheHandlerWorksGivesItsPlaceBack() {
    for (int i = 0; i < 2 * PLACES; i++) {
      request(exchange -> Mono.never()).subscribe().dispose();
    }
    assertAllFree();
  }

  @Test
  void aHandlerThatFailsGivesItsPlaceBack() {
    for (int i = 0; i < 2 * PLACES; i++) {
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      request(exchange -> Mono.error(new IllegalStateException("broken")))
          .subscribe(nothing -> {}, failure::set);
      assertThat(failure.get()).hasMessage("broken");
    }
    assertAllFree();
  }

  /** On the thread that subscribes, and by the subscriber's context on any other. */
  @Test
  void guardedCallsWithinTakeNoSecondPlace() {
    List<Pass<String>> others = enter(PLACES - 1);
    guards.hinted = false;
    List<@Nullable String> loaded = new ArrayList<>();
    Mono<String> here = Mono.fromSupplier(() -> nested.get("7", () -> "on its thread"));
    Mono<String> elsewhere =
        Mono.deferContextual(
            context -> {
              Supplier<Scope> carried = context.get(Entered.CARRIED);
              return Mono.fromFuture(
                  CompletableFuture.supplyAsync(
                      () -> {
                        try (Scope entered = carried.get()) {
                          return nested.get("8", () -> "elsewhere");
                        }
                      },
                      task -> new Thread(task).start()));
            });
    assertThat(status(exchange -> here.concatWith(elsewhere).doOnNext(loaded::add).then()))
        .isNull();
    assertThat(loaded).containsExactly("on its thread", "elsewhere");
    others.forEach(Pass::close);
    assertAllFree();
  }
}
