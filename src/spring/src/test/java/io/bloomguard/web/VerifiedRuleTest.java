package io.bloomguard.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.LocalEnforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.verify.VerifySettings;
import io.bloomguard.guard.internal.verify.WrongRejectionPolicy;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/** A rule with {@code verify: true} lets a few rejected keys reach the handler. */
class VerifiedRuleTest {

  private static final int PLACES = 4;
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final CacheSettings CACHE =
      TestSettings.cache(SECOND, SECOND, 0, 100, 100, SECOND.multipliedBy(2));

  private final LocalEnforcement enforcement = new LocalEnforcement();
  private final OutcomeCounters counters = new OutcomeCounters();
  private final List<String> handled = new ArrayList<>();

  /** The threads that ask the filter. */
  private final List<Thread> judging = new CopyOnWriteArrayList<>();

  private GuardRegistry guards;

  @BeforeEach
  void wire() {
    VerifySettings settings =
        new VerifySettings(100, 0, 100, WrongRejectionPolicy.DISARM, WrongRejectionPolicy.DISARM);
    Verification verification =
        new Verification(
            "products",
            new Nothing(),
            enforcement,
            FilterMode.ENFORCE,
            settings,
            Arrivals.NONE,
            RowKeys.NONE,
            Runnable::run,
            System::nanoTime);
    guards =
        TestSettings.registry(
            List.of(
                new GuardedFilter(
                    "products",
                    new Nothing(),
                    UnknownPolicy.OPEN,
                    counters,
                    GuardListener.NONE,
                    DeniedKeyListener.NONE,
                    Duration.ofMinutes(10),
                    verification,
                    KeyFolding.EXACT,
                    Rejection.ABSENT,
                    null)),
            name -> new LocalValueCache(CACHE, null),
            new KeyRules(256),
            TestSettings.loads(PLACES, SECOND, SECOND, SECOND),
            Transactions.NONE);
  }

  @Test
  void anAnswerOf200DisarmsTheFilter() throws Exception {
    MockHttpServletResponse answer = get(true, "/products/7", ok());
    assertThat(answer.getStatus()).isEqualTo(200);
    assertThat(handled).containsExactly("/products/7");
    assertThat(enforcement.standing().disarmed()).isTrue();
    assertThat(counters.count(EntryPoint.WEB, Outcome.LOADED)).isEqualTo(1);
  }

  @Test
  void anAnswerOf404ConfirmsTheRejection() throws Exception {
    assertThat(get(true, "/products/7", answering(404)).getStatus()).isEqualTo(404);
    assertThat(handled).hasSize(1);
    assertThat(enforcement.standing().disarmed()).isFalse();
    assertThat(counters.count(EntryPoint.WEB, Outcome.REJECTED)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 302, 400, 401, 403, 500, 503})
  void anyOtherAnswerTellsNothing(int status) throws Exception {
    assertThat(get(true, "/products/7", answering(status)).getStatus()).isEqualTo(status);
    assertThat(enforcement.standing().disarmed()).isFalse();
    assertThat(counters.count(EntryPoint.WEB, Outcome.ERROR)).isEqualTo(1);
  }

  @Test
  void aFailureTellsNothingAndPasses() {
    FilterChain failing =
        (request, response) -> {
          throw new IOException("broken");
        };
    assertThatThrownBy(() -> get(true, "/products/7", failing)).hasMessage("broken");
    assertThat(enforcement.standing().disarmed()).isFalse();
    assertThat(counters.count(EntryPoint.WEB, Outcome.ERROR)).isEqualTo(1);
  }

  /** Each trial holds a place in the bulkhead: none may be lost, however the request ends. */
  @Test
  void placesAreGivenBack() throws Exception {
    for (int i = 0; i < 3 * PLACES; i++) {
      get(true, "/products/" + i, answering(i % 2 == 0 ? 404 : 500));
    }
    assertThat(handled).hasSize(3 * PLACES);
  }

  @Test
  void nestedGuardsOfTheSameFilterPassTheKey() throws Exception {
    BloomGuard<String> nested =
        guards.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
    MockHttpServletResponse answer =
        get(
            true,
            "/products/7",
            (request, response) ->
                response.getWriter().write(String.valueOf(nested.get("7", () -> "found"))));
    assertThat(answer.getContentAsString()).isEqualTo("found");
    assertThat(enforcement.standing().disarmed()).isTrue();
  }

  @Test
  void anAsynchronousAnswerIsJudgedAtItsEnd() throws Exception {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/products/7");
    request.setAsyncSupported(true);
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter(true, Set.of("GET"))
        .doFilter(request, response, (asked, answer) -> asked.startAsync(asked, answer));
    assertThat(enforcement.standing().disarmed()).isFalse();
    AsyncContext async = request.getAsyncContext();
    ((MockAsyncContext) async).complete();
    assertThat(enforcement.standing().disarmed()).isTrue();
  }

  /** The verdict on a value asks the filter again, which the thread that brings it must not. */
  @Test
  void aValueOfWebFluxIsJudgedOnAnotherThread() {
    MockServerWebExchange exchange =
        MockServerWebExchange.from(MockServerHttpRequest.get("/products/7"));
    new BloomGuardWebFilter(
            List.of(
                new WebRule(
                    "/products/{id}", "products", "id", KeyType.STRING, Set.of("GET"), true)),
            guards,
            new PathPatternParser(),
            DefaultConversionService.getSharedInstance())
        .filter(exchange, asked -> Mono.empty())
        .block();
    Awaitility.await().until(() -> enforcement.standing().disarmed());
    assertThat(counters.count(EntryPoint.WEB, Outcome.LOADED)).isOne();
    assertThat(judging).last().isNotEqualTo(Thread.currentThread());
  }

  @ParameterizedTest
  @CsvSource({"false, GET", "true, POST"})
  void otherRulesAndMethodsLetNothingThrough(boolean verify, String method) throws Exception {
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter(verify, Set.of("GET", "POST"))
        .doFilter(new MockHttpServletRequest(method, "/products/7"), response, ok());
    assertThat(response.getStatus()).isEqualTo(404);
    assertThat(handled).isEmpty();
    assertThat(counters.count(EntryPoint.WEB, Outcome.REJECTED)).isEqualTo(1);
  }

  /** The handler may bind the parameter, and answer for its key. */
  @Test
  void aParameterWithAnotherKeyIsNotTried() throws Exception {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/products/7");
    request.addParameter("id", "42");
    MockHttpServletResponse response = new MockHttpServletResponse();
    BloomGuardFilter filter = filter(true, Set.of("GET"));
    StaticApplicationContext context = new StaticApplicationContext();
    context.refresh();
    filter.prepare(context);
    filter.doFilter(request, response, ok());
    assertThat(response.getStatus()).isEqualTo(404);
    assertThat(handled).isEmpty();
    get(true, "/products/7", ok());
    assertThat(handled).hasSize(1);
  }

  private MockHttpServletResponse get(boolean verify, String path, FilterChain chain)
      throws Exception {
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter(verify, Set.of("GET"))
        .doFilter(new MockHttpServletRequest("GET", path), response, chain);
    return response;
  }

  private BloomGuardFilter filter(boolean verify, Set<String> methods) {
    return new BloomGuardFilter(
        List.of(new WebRule("/products/{id}", "products", "id", KeyType.STRING, methods, verify)),
        guards,
        new PathPatternParser(),
        DefaultConversionService.getSharedInstance());
  }

  private FilterChain ok() {
    return answering(200);
  }

  private FilterChain answering(int status) {
    return (request, response) -> {
      handled.add(((MockHttpServletRequest) request).getRequestURI());
      ((HttpServletResponse) response).setStatus(status);
    };
  }

  /** A filter that is ready and lacks every key. */
  private final class Nothing implements MembershipStore {

    @Override
    public Membership check(String key) {
      judging.add(Thread.currentThread());
      return Membership.ABSENT;
    }

    @Override
    public boolean[] addEach(List<String> keys) {
      return new boolean[keys.size()];
    }
  }
}
