package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.When;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.transaction.internal.SpringTransactions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Writes that go on after their method has returned: followed to their end, or refused. */
class DeferredWriteTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  /** Ends that no proxy sees. */
  interface Unseen {
    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    Publisher<Long> publisher(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    Flow.Publisher<Long> javaPublisher(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    ConnectableFlux<Long> hot(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    Future<Long> future(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    FutureTask<Long> task(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    Callable<Long> callable(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    Supplier<Long> supplier(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    Stream<Long> stream(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    DeferredResult<Long> deferred(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    WebAsyncTask<Long> webTask(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    SseEmitter emitter(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    ResponseEntity<StreamingResponseBody> body(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    Optional<Future<Long>> inside(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    CompletableFuture<Mono<Long>> twice(long id);

    @BloomPut(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    Object suspended(long id, Continuation<? super Long> continuation);
  }

  /** Keys that come when the transaction of the calling thread may have ended. */
  interface Late {
    @BloomPut(filter = "products", key = "#id", when = When.AFTER)
    @BloomEvict(filter = "products", key = "#id", when = When.AFTER)
    Mono<Long> mono(long id);

    @BloomPut(filter = "products", key = "#id", when = When.AFTER)
    @BloomEvict(filter = "products", key = "#id", when = When.AFTER)
    Flux<Long> flux(long id);

    @BloomPut(filter = "products", key = "#id", when = When.AFTER)
    @BloomEvict(filter = "products", key = "#id", when = When.AFTER)
    CompletionStage<Long> stage(long id);
  }

  static List<Method> unseen() {
    return Arrays.asList(Unseen.class.getMethods());
  }

  static List<Method> late() {
    return Arrays.asList(Late.class.getMethods());
  }

  private final TestGuards guards = new TestGuards();
  private final GuardedMethods methods =
      new GuardedMethods(() -> guards, new SpringTransactions(), TestGuards.OWNED, Findings.PLAIN);

  @ParameterizedTest
  @MethodSource("unseen")
  void unseenEndIsRefusedAtTheStart(Method method) {
    for (GuardInterceptor<?> table : methods.tables().subList(1, 3)) {
      assertThatExceptionOfType(StartRefusedException.class)
          .isThrownBy(() -> table.compile(method, Unseen.class))
          .withMessageContaining("." + method.getName() + "(long")
          .withMessageMatching("(?s).*(long after the method has returned|cannot follow).*");
    }
  }

  @ParameterizedTest
  @MethodSource("late")
  void keyAfterAReactiveCallIsRefusedAtTheStart(Method method) {
    for (GuardInterceptor<?> table : methods.tables().subList(1, 3)) {
      assertThatExceptionOfType(StartRefusedException.class)
          .isThrownBy(() -> table.compile(method, Late.class))
          .withMessageMatching(
              "(?s).*takes its key after the call, (but returns a|inside a transaction, but the"
                  + " application has no reactive transactions).*")
          .withMessageMatching("(?s).*(when = BEFORE|before the call).*");
    }
  }

  /** Rows that come and go when {@code end} is told. */
  static class Rows {

    final Map<Long, String> rows = new ConcurrentHashMap<>();
    CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return rows.get(id);
    }

    @BloomPut(filter = "products", key = "#id")
    public CompletionStage<@Nullable Void> save(long id) {
      return end.thenRun(() -> rows.put(id, "row"));
    }

    @BloomPut(filter = "products", key = "#id")
    public Mono<Void> saveMono(long id) {
      return Mono.fromFuture(end).then(Mono.fromRunnable(() -> rows.put(id, "row")));
    }

    @BloomPut(filter = "products", key = "#id")
    public Flux<String> saveFlux(long id) {
      return saveMono(id).thenMany(Flux.just("row"));
    }

    @BloomEvict(filter = "products", key = "#id")
    public CompletableFuture<@Nullable Void> delete(long id) {
      return end.thenRun(() -> rows.remove(id));
    }

    @BloomEvict(filter = "products", key = "#id")
    public Mono<Void> deleteMono(long id) {
      return Mono.fromFuture(end).then(Mono.fromRunnable(() -> rows.remove(id)));
    }

    @BloomPut(filter = "products", key = "#id")
    public Object unsaid(long id) {
      return Mono.just(id);
    }

    /** A type that has itself among its arguments. */
    @BloomPut(filter = "products", key = "#id")
    public <E extends Enum<E>> @Nullable E recursive(long id) {
      return null;
    }
  }

  /** Starts a write, and returns what tells of its end. */
  interface Write {
    CompletionStage<?> start(Rows rows);
  }

  static List<Write> puts() {
    return List.of(
        rows -> rows.save(7),
        rows -> rows.saveMono(7).toFuture(),
        rows -> rows.saveFlux(7).collectList().toFuture());
  }

  static List<Write> evictions() {
    return List.of(rows -> rows.delete(7), rows -> rows.deleteMono(7).toFuture());
  }

  @ParameterizedTest
  @MethodSource("puts")
  void putIsOpenUntilItsRowIsThere(Write put) {
    try (var context = Guarding.context(guards, Rows.class)) {
      Rows rows = context.getBean(Rows.class);
      CompletionStage<?> written = put.start(rows);
      assertThat(rows.find(7)).as("no null entry for a row that is on its way").isNull();
      end(context.getBean(Rows.class));
      assertThat(written.toCompletableFuture()).succeedsWithin(SOON);
      assertThat(rows.find(7)).isEqualTo("row");
    }
  }

  @ParameterizedTest
  @MethodSource("evictions")
  void evictionComesWhenTheRowIsGone(Write eviction) {
    guards.keys.add("7");
    try (var context = Guarding.context(guards, Rows.class)) {
      Rows rows = context.getBean(Rows.class);
      target(rows).rows.put(7L, "row");
      CompletionStage<?> deleted = eviction.start(rows);
      assertThat(rows.find(7)).as("not gone yet").isEqualTo("row");
      end(rows);
      assertThat(deleted.toCompletableFuture()).succeedsWithin(SOON);
      assertThat(rows.find(7)).isNull();
    }
  }

  @Test
  void valueWhoseDeclaredTypeDoesNotSayThatItComesLaterFailsTheCall() {
    try (var context = Guarding.context(guards, Rows.class)) {
      Rows rows = context.getBean(Rows.class);
      assertThatIllegalStateException()
          .isThrownBy(() -> rows.unsaid(7))
          .withMessageContaining("declared return type");
      rows.find(7);
      rows.find(7);
      assertThat(guards.outcomes.count(Outcome.NULL_HIT)).as("no barrier stays").isEqualTo(1);
    }
  }

  private static void end(Rows rows) {
    target(rows).end.complete(null);
  }

  private static Rows target(Rows rows) {
    Object target = org.springframework.aop.framework.AopProxyUtils.getSingletonTarget(rows);
    return target instanceof Rows itself ? itself : rows;
  }
}
