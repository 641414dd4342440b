package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.AnswerType;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.internal.verify.Verification;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.AbstractMap.SimpleEntry;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import kotlin.Lazy;
import kotlin.LazyKt;
import kotlin.Pair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.test.util.AopTestUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What each form of answer shows of its key: the verdict on a rejection, and what is kept. */
@ExtendWith(OutputCaptureExtension.class)
class AnswerFindingsTest {

  /** Rows from 7,000,000 on, of which the filter knows none. */
  static @Nullable String row(long id) {
    return id >= 7_000_000 ? "desk" : null;
  }

  private static <T> ResponseEntity<T> absent(HttpStatusCode status) {
    return ResponseEntity.status(status).build();
  }

  @ResponseStatus(HttpStatus.NOT_FOUND)
  static class MissingException extends RuntimeException {}

  static class NoRowException extends EmptyResultDataAccessException {
    NoRowException() {
      super(1);
    }
  }

  /** A response of an application's own, as many have one. */
  record Result<T>(int code, @Nullable T data) {}

  /** Likewise, without a type parameter. */
  static class AjaxResult extends HashMap<String, Object> {}

  /** The rows of a key, in a structure that is there for each key. */
  record Orders(long customer, List<String> orders, int total) {}

  record Totals(int orders, BigDecimal sum) {}

  record Rows<T>(List<T> rows) implements Iterable<T> {
    @Override
    public Iterator<T> iterator() {
      return rows.iterator();
    }
  }

  @Controller
  static class Api {

    final AtomicInteger loads = new AtomicInteger();

    private ResponseEntity<String> entity(long id, HttpStatusCode otherwise) {
      loads.incrementAndGet();
      String row = row(id);
      return row == null ? absent(otherwise) : ResponseEntity.ok(row);
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Map.Entry<Long, @Nullable String> entry(long id) {
      return new SimpleEntry<>(id, row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Pair<Long, @Nullable String> pair(long id) {
      return new Pair<>(id, row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Lazy<@Nullable String> lazy(long id) {
      return LazyKt.lazyOf(row(id));
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<String> notFound(long id) {
      return entity(id, HttpStatus.NOT_FOUND);
    }

    @BloomGuarded(filter = "products", key = "#id", onAbsent = OnAbsent.THROW)
    public ResponseEntity<String> gone(long id) {
      return entity(id, HttpStatus.GONE);
    }

    @BloomGuarded(filter = "products", key = "#id", onAbsent = OnAbsent.THROW)
    public Mono<ResponseEntity<String>> goneMono(long id) {
      return Mono.fromSupplier(() -> entity(id, HttpStatus.GONE));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public ResponseEntity<String> nulls(long id) {
      return entity(id, HttpStatus.NOT_FOUND);
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<String> noContent(long id) {
      return entity(id, HttpStatus.NO_CONTENT);
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<String> redirected(long id) {
      return entity(id, HttpStatus.FOUND);
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<String> forbidden(long id) {
      return entity(id, HttpStatus.FORBIDDEN);
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<String> failing(long id) {
      return entity(id, HttpStatus.SERVICE_UNAVAILABLE);
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<Optional<String>> optionalBody(long id) {
      return ResponseEntity.ok(Optional.ofNullable(row(id)));
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<List<String>> listBody(long id) {
      return ResponseEntity.ok(Mono.justOrEmpty(row(id)).flux().collectList().block());
    }

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<ResponseEntity<String>> optionalEntity(long id) {
      return Optional.of(entity(id, HttpStatus.NOT_FOUND));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Optional<List<String>> optionalList(long id) {
      return Optional.of(row(id) == null ? List.of() : List.of("desk"));
    }

    @BloomGuarded(filter = "products", key = "#id")
    public CompletableFuture<ResponseEntity<String>> later(long id) {
      return CompletableFuture.completedFuture(entity(id, HttpStatus.NOT_FOUND));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public CompletableFuture<ResponseEntity<String>> laterNulls(long id) {
      return CompletableFuture.completedFuture(entity(id, HttpStatus.NOT_FOUND));
    }

    @BloomGuarded(filter = "products", key = "#id")
    public Mono<ResponseEntity<String>> mono(long id) {
      return Mono.fromSupplier(() -> entity(id, HttpStatus.NOT_FOUND));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Object anything(long id) {
      return entity(id, HttpStatus.NOT_FOUND);
    }

    @BloomGuarded(filter = "products", key = "#id")
    public HttpEntity<String> httpEntity(long id) {
      return new HttpEntity<>(row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public ProblemDetail problem(long id) {
      return ProblemDetail.forStatus(row(id) == null ? 404 : 409);
    }

    @BloomGuarded(
        filter = "products",
        key = "#id",
        caching = Caching.NONE,
        onAbsent = OnAbsent.THROW)
    public ModelAndView page(long id) {
      ModelAndView page = new ModelAndView("page");
      page.setStatus(row(id) == null ? HttpStatus.NOT_FOUND : null);
      return page;
    }

    @GetMapping("/view/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        caching = Caching.NONE,
        onAbsent = OnAbsent.THROW)
    public String view(long id) {
      return row(id) == null ? "missing" : "page";
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public String statusThrown(long id) {
      return found(id, new ResponseStatusException(HttpStatus.NOT_FOUND));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public String deniedThrown(long id) {
      return found(id, new ResponseStatusException(HttpStatus.FORBIDDEN));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "annotatedthrown")
    public String annotatedThrown(long id) {
      return found(id, new MissingException());
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "noelementthrown")
    public String noElementThrown(long id) {
      return found(id, new NoSuchElementException());
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "norowthrown")
    public String noRowThrown(long id) {
      return found(id, new NoRowException());
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "otherthrown")
    public String otherThrown(long id) {
      return found(id, new IllegalStateException());
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "later")
    public CompletableFuture<String> laterThrown(long id) {
      return CompletableFuture.supplyAsync(() -> found(id, new MissingException()));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public CompletableFuture<String> laterThrownPlainly(long id) {
      return CompletableFuture.supplyAsync(() -> found(id, new MissingException()));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<String> monoThrown(long id) {
      return Mono.fromSupplier(() -> found(id, new MissingException()));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Flux<String> fluxThrown(long id) {
      return Flux.defer(() -> Mono.fromSupplier(() -> found(id, new MissingException())));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Result<String> wrapper(long id) {
      return new Result<>(200, row(id));
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<Result<String>> wrapperBody(long id) {
      return ResponseEntity.ok(new Result<>(200, row(id)));
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<?> anyBody(long id) {
      return ResponseEntity.ok(row(id) == null ? new Result<>(404, null) : "desk");
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<Object> problemBody(long id) {
      return ResponseEntity.ok(row(id) == null ? ProblemDetail.forStatus(404) : "desk");
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Object anyWrapper(long id) {
      return new Result<>(200, row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Rows<String> iterable(long id) {
      return new Rows<>(row(id) == null ? List.of() : List.of("desk"));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public List<Optional<String>> emptyElements(long id) {
      return List.of(Optional.ofNullable(row(id)));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Map<String, @Nullable String[]> nullElements(long id) {
      return Map.of("names", new @Nullable String[] {row(id)});
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Orders record(long id) {
      return row(id) == null ? new Orders(id, List.of(), 0) : new Orders(id, List.of("desk"), 1);
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public String remoteThrown(long id) {
      return found(id, new HttpClientErrorException(HttpStatus.NOT_FOUND));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public AjaxResult map(long id) {
      AjaxResult result = new AjaxResult();
      result.put("code", row(id) == null ? 404 : 200);
      return result;
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public com.google.common.base.Optional<String> guava(long id) {
      return com.google.common.base.Optional.fromNullable(row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Boolean active(long id) {
      return row(id) != null;
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<Long> total(long id) {
      return Mono.fromSupplier(() -> row(id) == null ? 0L : 3L);
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<Boolean> activeBody(long id) {
      return ResponseEntity.ok(active(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Optional<BigDecimal> sum(long id) {
      return Optional.of(row(id) == null ? BigDecimal.ZERO : BigDecimal.ONE);
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Totals totals(long id) {
      return row(id) == null ? new Totals(0, BigDecimal.ZERO) : new Totals(1, BigDecimal.ZERO);
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Map<String, Object> model(long id) {
      List<String> rows = row(id) == null ? List.of() : List.of("desk");
      return Map.of("id", id, "total", rows.size(), "rows", rows);
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<CompletableFuture<String>> laterBody(long id) {
      return ResponseEntity.ok(CompletableFuture.completedFuture(row(id)));
    }

    private static String found(long id, RuntimeException otherwise) {
      String row = row(id);
      if (row == null) {
        throw otherwise;
      }
      return row;
    }
  }

  private static ApplicationContextRunner application() {
    return Wiring.application()
        .withBean("otherColumn", KeySource.class, () -> sink -> sink.accept(-1L))
        .withPropertyValues(
            "bloomguard.filters.products.expected-insertions=100000",
            "bloomguard.filters.products.false-positive-probability=0.000001",
            "bloomguard.filters.products.source.bean=otherColumn",
            "bloomguard.filters.products.warm-up.mode=blocking");
  }

  private static Verification verification(org.springframework.context.ApplicationContext context) {
    return context.getBean(ConfiguredFilters.class).all().get(0).guarded().verification();
  }

  /** The answer, or the failure, without its carrier. */
  private static @Nullable Object call(Object bean, String method, long id) {
    try {
      Method declared =
          ReflectionUtils.findMethod(AopProxyUtils.ultimateTargetClass(bean), method, long.class);
      ReflectionUtils.makeAccessible(declared);
      Object answer = ReflectionUtils.invokeMethod(declared, bean, id);
      return answer instanceof CompletionStage<?> stage
          ? stage.toCompletableFuture().join()
          : answer instanceof Mono<?> mono
              ? mono.block()
              : answer instanceof Flux<?> flux ? flux.collectList().block() : answer;
    } catch (RuntimeException e) {
      return e;
    }
  }

  /** Each form, with the verdicts on an absent key and on one whose row the filter lacks. */
  private static final String FORMS =
      """
      notFound confirmed wrong
      gone confirmed wrong
      goneMono confirmed wrong
      nulls confirmed wrong
      noContent none wrong
      redirected none wrong
      forbidden none wrong
      failing none wrong
      optionalBody none wrong
      listBody none wrong
      optionalEntity confirmed wrong
      optionalList none wrong
      later confirmed wrong
      laterNulls confirmed wrong
      mono confirmed wrong
      anything confirmed wrong
      httpEntity none wrong
      problem confirmed none
      page confirmed none
      view none none
      statusThrown confirmed wrong
      deniedThrown none wrong
      annotatedThrown confirmed wrong
      noElementThrown confirmed wrong
      noRowThrown confirmed wrong
      otherThrown none wrong
      laterThrown confirmed wrong
      laterThrownPlainly confirmed wrong
      monoThrown confirmed wrong
      fluxThrown confirmed wrong
      wrapper none none
      wrapperBody none none
      anyBody none wrong
      problemBody confirmed wrong
      anyWrapper none none
      iterable none none
      emptyElements none wrong
      nullElements none wrong
      record none wrong
      remoteThrown confirmed wrong
      map none none
      guava confirmed wrong
      active none wrong
      total none wrong
      activeBody none wrong
      sum none wrong
      totals none wrong
      model none wrong
      laterBody none none
      entry none wrong
      pair none none
      lazy none none
      """;

  @Test
  void aRejectionIsJudgedByWhatTheAnswerCarries() {
    application()
        .withBean(Api.class)
        .withPropertyValues("bloomguard.filters.products.verify.on-wrong-rejection=count")
        .run(
            context -> {
              Verification verification = verification(context);
              Object api = context.getBean(Api.class);
              long next = 0;
              StringBuilder judged = new StringBuilder();
              for (String form : FORMS.lines().toList()) {
                long absent = ++next;
                String method = form.substring(0, form.indexOf(' '));
                judged
                    .append(method)
                    .append(' ')
                    .append(verdict(verification, () -> call(api, method, absent)))
                    .append(' ')
                    .append(verdict(verification, () -> call(api, method, 7_000_000 + absent)))
                    .append('\n');
              }
              assertThat(judged).hasToString(FORMS);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"gone", "goneMono"})
  void anAnswerThatReadsAsNothingIsThrownWhateverCarriesIt(String method) {
    application()
        .withBean(Api.class)
        .run(
            context ->
                assertThat(call(context.getBean(Api.class), method, -1))
                    .isInstanceOf(KeyAbsentException.class));
  }

  private static String verdict(Verification verification, Runnable call) {
    long confirmed = verification.confirmed();
    long wrong = verification.wrong();
    call.run();
    return verification.wrong() > wrong
        ? "wrong"
        : verification.confirmed() > confirmed ? "confirmed" : "none";
  }

  /** Loads the results of an application that says what they carry; 1 to 3 are in the filter. */
  static class Results {

    final AtomicInteger loads = new AtomicInteger();

    @BloomGuarded(filter = "products", key = "#id")
    public Result<String> find(long id) {
      loads.incrementAndGet();
      return id == 3 ? new Result<>(500, "busy") : new Result<>(200, id == 1 ? "desk" : null);
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "later")
    public CompletableFuture<Result<String>> later(long id) {
      return CompletableFuture.completedFuture(find(id));
    }

    @BloomGuarded(filter = "products", key = "#id")
    public ResponseEntity<Result<String>> response(long id) {
      return ResponseEntity.ok(find(id));
    }
  }

  private static AnswerType<Result<?>> results() {
    @SuppressWarnings({"unchecked", "rawtypes"}) // a class has no type arguments
    Class<Result<?>> type = (Class) Result.class;
    return AnswerType.of(
        type,
        result ->
            result.code() != 200
                ? Finding.OTHER
                : result.data() == null ? Finding.NOTHING : Finding.VALUE,
        () -> new Result<>(404, null));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTypeOfTheApplicationIsKeptByWhatItCarries(boolean later) {
    application()
        .withBean("keys", KeySource.class, () -> sink -> List.of(1L, 2L, 3L).forEach(sink::accept))
        .withBean("results", AnswerType.class, AnswerFindingsTest::results)
        .withBean(Results.class)
        .withPropertyValues("bloomguard.filters.products.source.bean=keys")
        .run(
            context -> {
              Results bean = context.getBean(Results.class);
              Results target = AopTestUtils.getUltimateTargetObject(bean);
              for (int round = 0; round < 2; round++) {
                for (long id = 1; id <= 9; id++) {
                  Result<String> found = later ? bean.later(id).join() : bean.find(id);
                  assertThat(found)
                      .as("%d in round %d", id, round)
                      .isEqualTo(
                          id == 1
                              ? new Result<>(200, "desk")
                              : id == 3
                                  ? new Result<>(500, "busy")
                                  : round == 0 && id == 2 ? new Result<>(200, null) : found);
                }
              }
              assertThat(bean.find(99)).as("rejected, or tried").isNotNull();
              assertThat(bean.response(98).getBody()).isEqualTo(new Result<>(200, null));
              assertThat(verification(context).isDisarmed()).isFalse();
              // 1 and 2 once, 3 twice, the others once as trials.
              target.loads.set(0);
              for (long id : List.of(1L, 2L, 3L)) {
                Result<String> again = later ? bean.later(id).join() : bean.find(id);
                assertThat(again.code()).isEqualTo(id == 1 ? 200 : id == 2 ? 404 : 500);
              }
              assertThat(target.loads).hasValue(1);
            });
  }

  static class Kept {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.VALUES)
    public ResponseEntity<String> find(long id) {
      return ResponseEntity.ok("desk");
    }
  }

  static class Page {
    @BloomGuarded(filter = "products", key = "#id")
    public ModelAndView find(long id) {
      return new ModelAndView("page");
    }
  }

  @Test
  void aResponseIsNeverShared() {
    assertThat(Wiring.failure(application().withBean(Kept.class)).getDescription())
        .contains("has caching = VALUES", "answers one request");
  }

  static class Pages {
    final AtomicInteger calls = new AtomicInteger();

    @BloomGuarded(filter = "products", key = "#id", onAbsent = OnAbsent.THROW)
    public ModelAndView find(long id) {
      return new ModelAndView("page", "call", calls.incrementAndGet());
    }
  }

  /** Its model belongs to one request. */
  @Test
  void aPageIsMadeForEachRequest() {
    application()
        .withBean(Pages.class)
        .run(
            context -> {
              Pages pages = context.getBean(Pages.class);
              context.getBean(BloomGuards.class).guard("products").put(1);
              assertThat(pages.find(1).getModel()).containsEntry("call", 1);
              assertThat(pages.find(1).getModel()).containsEntry("call", 2);
            });
  }

  @Test
  void aPageHasNoFormForAnAbsentKey() {
    FailureAnalysis failure = Wiring.failure(application().withBean(Page.class));
    assertThat(failure.getDescription()).contains("has no form for an absent key");
    assertThat(failure.getAction()).contains("onAbsent = OnAbsent.THROW");
  }

  @Test
  void aRejectedKeyIsAnsweredWithNotFound() {
    application()
        .withBean(Api.class)
        .withPropertyValues(
            "bloomguard.filters.products.verify.first=0",
            "bloomguard.filters.products.verify.sample=0")
        .run(
            context -> {
              Api api = context.getBean(Api.class);
              assertThat(api.notFound(1).getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
              assertThat(api.forbidden(1).getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
              assertThat(api.mono(1).block().getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
              assertThat(api.guava(1).isPresent()).isFalse();
            });
  }

  @Test
  void whatGivesNoVerdictIsSaidAtTheStart(CapturedOutput output) {
    application()
        .withBean(Api.class)
        .run(
            context ->
                assertThat(output.toString().lines().filter(line -> line.contains(" WARN ")))
                    .anyMatch(line -> line.contains("Api.view(long) returns"))
                    .anyMatch(line -> line.contains("Api.wrapper(long) returns"))
                    .anyMatch(line -> line.contains("Api.wrapperBody(long) returns"))
                    .anyMatch(line -> line.contains("Api.map(long) returns"))
                    .noneMatch(line -> line.contains("Api.notFound(long)")));
  }
}
