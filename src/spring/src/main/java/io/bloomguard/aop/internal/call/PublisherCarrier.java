package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Entered;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.UnclearAnswer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.util.context.ContextView;

/**
 * The carriers of methods that return a publisher. Loaded only if a method's return type is
 * Reactor's.
 *
 * <p>The work around a method is the same for both: that around a {@code Flux}, of which a {@code
 * Mono} passes its value on once all has ended.
 */
final class PublisherCarrier extends Carrier {

  static final Carrier MONO = new PublisherCarrier(false);
  static final Carrier FLUX = new PublisherCarrier(true);

  private static final Logger LOG = LoggerFactory.getLogger(PublisherCarrier.class);

  private final boolean many;

  private PublisherCarrier(boolean many) {
    this.many = many;
  }

  @Override
  public boolean publishes() {
    return true;
  }

  @Override
  public boolean isMany() {
    return many;
  }

  @Override
  public String toString() {
    return many ? "Flux" : "Mono (as a suspend function does)";
  }

  private Publisher<?> of(Flux<?> flux) {
    return many ? flux : flux.singleOrEmpty();
  }

  /** The content of a carrier, which is a list for a {@code Flux}. */
  private Mono<?> whole(Object returned) {
    return many ? ((Flux<?>) returned).collectList() : (Mono<?>) returned;
  }

  /** What a carrier publishes of its content. */
  private Publisher<?> elements(Mono<Object> content) {
    return many ? content.flatMapIterable(list -> (List<?>) list) : content;
  }

  @SuppressWarnings("NullAway") // a null leaves the Mono empty
  private static Mono<Object> mapped(Mono<?> content, UnaryOperator<@Nullable Object> change) {
    return content.singleOptional().mapNotNull(value -> change.apply(value.orElse(null)));
  }

  @Override
  @Nullable Object changed(@Nullable Object returned, UnaryOperator<@Nullable Object> change) {
    return returned == null ? null : elements(mapped(whole(returned), change));
  }

  @Override
  Object told(MethodInvocation call, Runs runs) {
    return of(
        Flux.from(published(() -> runs.of(() -> Carrier.proceed(call))))
            .onErrorMap(runs::failure)
            .contextWrite(context -> context.put(Runs.class, runs)));
  }

  @Override
  @SuppressWarnings("NullAway") // a context is given
  CompletionStage<? extends @Nullable Object> value(
      @Nullable Object told, @Nullable Object context) {
    return Mono.<Object>fromDirect(within(whole(Objects.requireNonNull(told))))
        .contextWrite((ContextView) context)
        .toFuture();
  }

  static boolean publishes(Object returned) {
    return returned instanceof Flux || returned instanceof Mono;
  }

  /** What a method has published, whose runs the guard that subscribes is told of. */
  static Publisher<?> witnessed(MethodInvocation call, Object returned) {
    Flux<Object> flux = Flux.from((Publisher<?>) returned);
    Flux<Object> witnessed =
        Flux.deferContextual(
            context -> {
              Runs runs = context.getOrDefault(Runs.class, null);
              if (runs == null || !runs.areOf(call)) {
                return flux;
              }
              Runs.Run run = runs.begin(call);
              return flux.doOnNext(run::published)
                  .doOnComplete(run::ended)
                  .doOnError(run::failed)
                  .contextWrite(inner -> inner.delete(Runs.class));
            });
    return returned instanceof Mono ? witnessed.singleOrEmpty() : witnessed;
  }

  /** The first element of several is the verdict of a trial, or the end without one. */
  @Override
  @Nullable Object answered(MethodInvocation call, MethodGuard method, Pass<?> pass)
      throws Throwable {
    if (!many) {
      return super.answered(call, method, pass);
    }
    if (!pass.isTrial()) {
      return published(() -> Carrier.proceed(call));
    }
    Runs runs = new Runs(call);
    return ((Flux<?>) told(call, runs))
        .doOnNext(
            element -> {
              Object first = runs.first();
              if (first != null) {
                method.judge(pass, first, null);
              }
            })
        .doOnComplete(() -> method.judge(pass, runs.content(List.of(), null), null));
  }

  @Override
  Object of(Supplier<? extends @Nullable Object> content) {
    return elements(Mono.fromSupplier(content));
  }

  /**
   * Works in the transaction, the place and the trials of a subscriber: from its context, its
   * thread, or the thread that made the publisher.
   */
  private static <T> T within(
      ContextView context,
      @Nullable Supplier<Scope> assembled,
      Transactions transactions,
      Supplier<T> work) {
    Supplier<Scope> around = context.getOrDefault(Entered.CARRIED, Entered.here());
    around = around == null ? assembled : around;
    try (Scope scope = around == null ? Scope.NONE : around.get();
        Scope carried = transactions.enter(context)) {
      return work.get();
    }
  }

  /** Passes what this thread works in to the publishers that {@code publisher} subscribes to. */
  private static Publisher<Object> within(Publisher<?> publisher) {
    Flux<Object> flux = Flux.from(publisher);
    Supplier<Scope> here = Entered.here();
    if (here == null) {
      return flux;
    }
    Flux<Object> carrying = flux.contextWrite(context -> context.put(Entered.CARRIED, here));
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Object> subscriber) {
        try (Scope scope = here.get()) {
          carrying.subscribe(subscriber);
        }
      }
    };
  }

  /**
   * The work of each subscription, which subscribes to the method's publisher once that has begun,
   * and ends after it has. The end of one that is cancelled is not seen.
   *
   * <p>A failure is no error if the subscriber has gone by then: Reactor would log each as one that
   * was dropped.
   */
  @Override
  Object around(
      Transactions transactions,
      Function<@Nullable Object, ? extends Around> begin,
      MethodInvocation call) {
    Supplier<Scope> assembled = Entered.here();
    return of(
        unlessGone(
                Flux.deferContextual(
                    context -> {
                      Around around =
                          within(context, assembled, transactions, () -> begin.apply(context));
                      return around.isRunAlone() ? run(around, call) : whole(around, call);
                    }))
            // What runs within is no run for a guard outside, whose fallback may have called this.
            .contextWrite(context -> context.delete(Runs.class)));
  }

  private Flux<Object> whole(Around begun, MethodInvocation call) {
    return Flux.usingWhen(
        // It is there before the subscriber can cancel: a resource that comes later is dropped
        // without its end by one that has cancelled.
        Mono.just(begun),
        // Work that has begun is waited for even if the subscriber has gone.
        around -> uncancelled(around.begun()).thenMany(Flux.defer(() -> run(around, call))),
        around -> ended(around, null),
        PublisherCarrier::ended,
        // A failure, as of an eviction while Redis is away, has no receiver.
        around -> ended(around, new CancellationException()).onErrorComplete());
  }

  private static Flux<Object> unlessGone(Flux<Object> work) {
    AtomicBoolean gone = new AtomicBoolean();
    return work.onErrorMap(UnclearAnswer::content)
        .doOnCancel(() -> gone.set(true))
        .onErrorResume(
            failure -> {
              if (!gone.get()) {
                return Flux.error(failure);
              }
              LOG.debug("A call has failed whose subscriber has gone", failure);
              return Flux.empty();
            });
  }

  /** What the method publishes; the work takes its elements, or that a {@code Mono} has none. */
  private Publisher<Object> run(Around around, MethodInvocation call) {
    Publisher<Object> made;
    try (Scope scope = around.enter()) {
      made = within(published(() -> around.run(Carrier.again(call))));
    }
    if (!around.takesElements()) {
      return made;
    }
    Flux<Optional<Object>> results =
        many ? Flux.from(made).map(Optional::of) : Mono.from(made).singleOptional().flux();
    return results.concatMap(
        result -> uncancelled(around.passed(result.orElse(null))).then(Mono.justOrEmpty(result)));
  }

  private static Mono<?> ended(Around around, @Nullable Throwable failure) {
    return Mono.fromFuture(around.end(failure), true);
  }

  /**
   * The result of {@code future}, which continues if the subscriber cancels. A failure that comes
   * after that has no receiver: Reactor would log each as an error that was dropped.
   */
  private static <T> Mono<T> uncancelled(CompletableFuture<? extends @Nullable T> future) {
    if (future.isDone() && !future.isCompletedExceptionally()) {
      return Mono.justOrEmpty(future.join());
    }
    return Mono.fromFuture(
            future.<Signal<T>>handle(
                (value, failure) ->
                    failure != null
                        ? Signal.error(Failures.unwrapped(failure))
                        : value == null ? Signal.complete() : Signal.next(value)),
            true)
        .dematerialize();
  }

  /** What a method publishes, which must not be null. */
  private static Publisher<?> published(ValueLoader<? extends @Nullable Object, Throwable> method) {
    Object publisher = unchecked(method);
    if (publisher == null) {
      throw new IllegalStateException("A method that returns a publisher returned null");
    }
    return (Publisher<?>) publisher;
  }
}
