package io.bloomguard.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.context.request.async.StandardServletAsyncWebRequest;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Requests that the filter cannot judge: no more at once than the bulkhead has places, four here.
 */
class DoubtfulRequestTest {

  private static final int PLACES = 4;

  private final TestGuards guards = new TestGuards();
  private final EntryGuard<String> nested =
      guards.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
  private final BloomGuardFilter filter =
      new BloomGuardFilter(
          List.of(
              new WebRule("/products/{id}", "products", "id", KeyType.STRING),
              new WebRule("/products/{order}", "orders", "order", KeyType.STRING)),
          guards,
          new PathPatternParser(),
          DefaultConversionService.getSharedInstance());

  @BeforeEach
  void doubt() {
    guards.doubtful = true;
  }

  @Test
  void holdOnePlaceEachUntilTheyAreComplete() throws Exception {
    List<Integer> statuses = new ArrayList<>();
    nest(PLACES, statuses);
    assertThat(statuses).containsExactly(503, 200, 200, 200, 200);
    assertThat(guards.outcomes.count(EntryPoint.WEB, Outcome.SHED)).isOne();
    assertAllFree();
  }

  /** Requests within requests, each on the stack of the one before but within none of them. */
  private void nest(int more, List<Integer> statuses) throws Exception {
    if (more < 0) {
      return;
    }
    MockHttpServletResponse response = new MockHttpServletResponse();
    Thread thread =
        new Thread(
            () -> {
              try {
                filter.doFilter(
                    request(),
                    response,
                    (asked, answer) -> {
                      try {
                        nest(more - 1, statuses);
                      } catch (Exception e) {
                        throw new IOException(e);
                      }
                    });
              } catch (Exception e) {
                response.setStatus(500);
              }
            });
    thread.start();
    thread.join();
    statuses.add(response.getStatus());
  }

  @Test
  void guardedCallsWithinThemTakeNoSecondPlace() throws Exception {
    List<Pass<String>> others = enter(PLACES - 1);
    MockHttpServletResponse response =
        answer((request, answer) -> answer.getWriter().write(nested()));
    assertThat(response.getContentAsString()).isEqualTo("value");
    others.forEach(Pass::close);
    assertAllFree();
  }

  @Test
  void givePlacesBackWhenTheyFail() throws Exception {
    for (int i = 0; i < 2 * PLACES; i++) {
      try {
        answer(
            (request, answer) -> {
              throw new IOException("broken");
            });
      } catch (IOException e) {
        assertThat(e).hasMessage("broken");
      }
    }
    assertAllFree();
  }

  @Test
  void holdTheirPlaceUntilAnAsynchronousAnswerIsComplete() throws Exception {
    List<Pass<String>> others = enter(PLACES - 1);
    MockHttpServletRequest request = request();
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter.doFilter(request, response, (asked, answer) -> asked.startAsync(asked, answer));
    assertThat(answer((asked, answer) -> {}).getStatus()).as("one too many").isEqualTo(503);

    AsyncContext async = request.getAsyncContext();
    request.setDispatcherType(DispatcherType.ASYNC);
    filter.doFilter(request, response, (asked, answer) -> answer.getWriter().write(nested()));
    assertThat(response.getContentAsString()).isEqualTo("value");

    ((MockAsyncContext) async).complete();
    others.forEach(Pass::close);
    assertAllFree();
  }

  @Test
  void countForTheCallableOfAHandler() throws Exception {
    List<Pass<String>> others = enter(PLACES - 1);
    AtomicReference<@Nullable Object> result = new AtomicReference<>();
    MockHttpServletRequest request = request();
    MockHttpServletResponse response = new MockHttpServletResponse();
    Callable<String> task = this::nested;
    filter.doFilter(
        request,
        response,
        (asked, answer) -> {
          WebAsyncManager manager = WebAsyncUtils.getAsyncManager(asked);
          manager.setTaskExecutor(new SimpleAsyncTaskExecutor());
          manager.setAsyncWebRequest(new StandardServletAsyncWebRequest(request, response));
          try {
            manager.startCallableProcessing(new WebAsyncTask<>(task));
          } catch (Exception e) {
            throw new IOException(e);
          }
          Awaitility.await().until(manager::hasConcurrentResult);
          result.set(manager.getConcurrentResult());
        });
    assertThat(result.get()).isEqualTo("value");
    ((MockAsyncContext) request.getAsyncContext()).complete();
    others.forEach(Pass::close);
    assertAllFree();
  }

  private String nested() {
    return String.valueOf(nested.get("another", () -> "value"));
  }

  private List<Pass<String>> enter(int places) {
    List<Pass<String>> taken = new ArrayList<>();
    for (int i = 0; i < places; i++) {
      taken.add(nested.ask(Ask.toLoadAll(List.of("other" + i))));
    }
    return taken;
  }

  private void assertAllFree() throws Exception {
    List<Pass<String>> taken = enter(PLACES);
    assertThat(answer((request, response) -> {}).getStatus()).isEqualTo(503);
    taken.forEach(Pass::close);
    assertThat(answer((request, response) -> {}).getStatus()).isEqualTo(200);
  }

  private MockHttpServletResponse answer(FilterChain chain) throws Exception {
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter.doFilter(request(), response, chain);
    return response;
  }

  private static MockHttpServletRequest request() {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/products/7");
    request.setAsyncSupported(true);
    return request;
  }
}
