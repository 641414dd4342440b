package io.bloomguard.aop;

import io.bloomguard.guard.EntryGuard;
import io.bloomguard.guard.EntryGuard.Admission;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.verify.Verification;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.util.context.ContextView;

/** The calls that return publishers. Loaded only if a method's return type is Reactor's. */
final class ReactorCalls {

  private static final Logger LOG = LoggerFactory.getLogger(ReactorCalls.class);

  private ReactorCalls() {}

  static Call mono(
      EntryGuard<Object> guard,
      CompiledKey key,
      ReturnAdapter returns,
      boolean caching,
      Transactions transactions) {
    return invocation ->
        values(
            transactions,
            guard,
            key,
            caching,
            invocation,
            returns,
            call -> present(returns, (Mono<?>) published(call)));
  }

  static Call flux(
      EntryGuard<Object> guard,
      CompiledKey key,
      ReturnAdapter returns,
      boolean caching,
      Transactions transactions) {
    if (!caching) {
      return invocation ->
          Flux.deferContextual(
              context -> decided(transactions, context, guard, key, returns, invocation));
    }
    return invocation ->
        values(
                transactions,
                guard,
                key,
                true,
                invocation,
                returns,
                call -> present(returns, ((Flux<?>) published(call)).collectList()))
            .flatMapIterable(list -> (List<?>) list);
  }

  private static Flux<?> decided(
      Transactions transactions,
      ContextView context,
      EntryGuard<Object> guard,
      CompiledKey key,
      ReturnAdapter returns,
      MethodInvocation invocation) {
    CallTrial trial = returns.trial();
    return (Flux<?>)
        entered(
            () -> {
              try (Transactions.Scope carried = transactions.enter(context)) {
                return guard.enterAsync(SingleKeyCalls.key(guard, key, invocation), trial);
              }
            },
            returns,
            invocation,
            (call, admitted) -> {
              Flux<?> elements = (Flux<?>) published(call);
              return trial.isNone()
                  ? elements
                  : elements
                      .doOnNext(trial::answered)
                      .doOnComplete(() -> trial.answered(null))
                      .doOnError(trial::failed);
            });
  }

  private static Mono<Object> tried(
      CallTrial trial, Function<MethodInvocation, Mono<Object>> load, MethodInvocation invocation) {
    try {
      return load.apply(invocation).doOnSuccess(trial::answered).doOnError(trial::failed);
    } catch (Throwable e) {
      trial.failed(e);
      throw e;
    }
  }

  /** Asks the guard at each subscription; the method runs with the subscriber's context. */
  private static Mono<Object> values(
      Transactions transactions,
      EntryGuard<Object> guard,
      CompiledKey key,
      boolean caching,
      MethodInvocation invocation,
      ReturnAdapter returns,
      Function<MethodInvocation, Mono<Object>> load) {
    Around assembled = Around.here();
    return Mono.deferContextual(
        context -> {
          Object id = SingleKeyCalls.key(guard, key, invocation);
          Mono<Object> values;
          if (caching) {
            try (Around.Scope scope = assembled.of(context).enter();
                Transactions.Scope carried = transactions.enter(context)) {
              values =
                  Mono.fromCompletionStage(
                      guard.getAsync(id, () -> future(load, invocation, context)));
            }
          } else {
            CallTrial trial = returns.trial();
            values =
                Mono.using(
                    () ->
                        Entering.of(
                            () -> {
                              try (Transactions.Scope carried = transactions.enter(context)) {
                                return guard.enterAsync(id, trial);
                              }
                            },
                            assembled.of(context)),
                    entering ->
                        entering.mono(
                            admission ->
                                admission.keys().isEmpty()
                                    ? Mono.empty()
                                    : tried(trial, load, again(invocation))),
                    Entering::close);
          }
          return values
              .<Object>map(returns.shape()::wrap)
              .switchIfEmpty(Mono.fromSupplier(returns::absent));
        });
  }

  private static Mono<Object> present(ReturnAdapter returns, Mono<?> returned) {
    return returned.handle(
        (value, sink) -> {
          Object content = returns.shape().unwrap(value);
          if (content != null) {
            sink.next(content);
          }
        });
  }

  @SuppressWarnings("NullAway") // the future of an empty Mono yields null
  private static CompletionStage<@Nullable Object> future(
      Function<MethodInvocation, Mono<Object>> load,
      MethodInvocation invocation,
      ContextView context) {
    return within(load.apply(again(invocation))).contextWrite(context).toFuture();
  }

  /**
   * The place and the trials that a thread works in.
   *
   * @param trials null for none
   */
  private record Around(@Nullable Place place, @Nullable Supplier<Trial.Scope> trials) {

    static Around here() {
      return new Around(Place.current(), Verification.trialsHere());
    }

    boolean isNowhere() {
      return place == null && trials == null;
    }

    /**
     * Those of a subscriber: from its context, its thread, or the thread that made the publisher.
     */
    Around of(ContextView context) {
      if (context.hasKey(Around.class)) {
        return context.get(Around.class);
      }
      Around here = here();
      return here.isNowhere() ? this : here;
    }

    Scope enter() {
      Trial.Scope tried = trials == null ? null : trials.get();
      Place.Scope placed = Place.enter(place);
      return () -> {
        placed.close();
        if (tried != null) {
          tried.close();
        }
      };
    }

    /** A part of a thread's work. */
    interface Scope extends AutoCloseable {

      @Override
      void close();
    }
  }

  /** Passes what this thread works in to the publishers that {@code mono} subscribes to. */
  private static <T> Mono<T> within(Mono<T> mono) {
    Around here = Around.here();
    if (here.isNowhere()) {
      return mono;
    }
    Mono<T> carrying = mono.contextWrite(context -> context.put(Around.class, here));
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> subscriber) {
        try (Around.Scope scope = here.enter()) {
          carrying.subscribe(subscriber);
        }
      }
    };
  }

  private static <T> Flux<T> within(Flux<T> flux) {
    Around here = Around.here();
    if (here.isNowhere()) {
      return flux;
    }
    Flux<T> carrying = flux.contextWrite(context -> context.put(Around.class, here));
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> subscriber) {
        try (Around.Scope scope = here.enter()) {
          carrying.subscribe(subscriber);
        }
      }
    };
  }

  static Object rejected(ReturnAdapter returns) {
    return returns.shape().carrier() == ReturnShape.Carrier.FLUX
        ? rejectedFlux(returns)
        : Mono.fromSupplier(returns::rejected);
  }

  private static Flux<Object> rejectedFlux(ReturnAdapter returns) {
    return Flux.defer(
        () -> {
          returns.rejected();
          return Flux.empty();
        });
  }

  /** Enters at each subscription, for its duration. */
  static Object entered(
      Supplier<? extends CompletableFuture<? extends Admission<?>>> enter,
      ReturnAdapter returns,
      MethodInvocation invocation,
      Entered.Continuation continuation) {
    Around assembled = Around.here();
    Function<Admission<?>, Publisher<?>> go =
        admission ->
            admission.keys().isEmpty()
                ? (Publisher<?>) rejected(returns)
                : (Publisher<?>)
                    required(
                        ReturnAdapter.calling(
                            () -> continuation.proceed(again(invocation), admission.keys())));
    return returns.shape().carrier() == ReturnShape.Carrier.MONO
        ? Mono.deferContextual(
            context ->
                Mono.using(
                    () -> Entering.of(enter, assembled.of(context)),
                    entering -> entering.mono(admission -> Mono.from(go.apply(admission))),
                    Entering::close))
        : Flux.deferContextual(
            context ->
                Flux.using(
                    () -> Entering.of(enter, assembled.of(context)),
                    entering -> entering.flux(go),
                    Entering::close));
  }

  /**
   * An admission that may still wait for its place. It is closed when the subscription ends, or
   * when it comes after that.
   */
  private record Entering(CompletableFuture<? extends Admission<?>> admission)
      implements AutoCloseable {

    static Entering of(
        Supplier<? extends CompletableFuture<? extends Admission<?>>> enter, Around around) {
      try (Around.Scope scope = around.enter()) {
        return new Entering(enter.get());
      }
    }

    <T> Mono<T> mono(Function<? super Admission<?>, ? extends Mono<T>> go) {
      return come()
          .flatMap(
              admission -> {
                try (Place.Scope scope = admission.enter()) {
                  return within(go.apply(admission));
                }
              });
    }

    Flux<Object> flux(Function<? super Admission<?>, ? extends Publisher<?>> go) {
      return come()
          .flatMapMany(
              admission -> {
                try (Place.Scope scope = admission.enter()) {
                  return within(Flux.from(go.apply(admission)));
                }
              });
    }

    private Mono<Admission<?>> come() {
      return uncancelled(admission);
    }

    @Override
    public void close() {
      if (!admission.cancel(false)) {
        var unused = admission.thenAccept(Admission::close);
      }
    }
  }

  /**
   * The publisher of a method that writes, in the write of each subscription: subscribed to once
   * that has begun, and ended after it has. The end of one that is cancelled is not seen.
   */
  static Object writing(
      ReturnShape.Carrier carrier,
      Transactions transactions,
      Supplier<AsyncWrite> begin,
      Supplier<Object> publisher) {
    return carrier == ReturnShape.Carrier.MONO
        ? heard(
                Mono.deferContextual(
                    context ->
                        Mono.usingWhen(
                            beginning(context, transactions, begin),
                            write ->
                                begun(write)
                                    .then(Mono.defer(() -> (Mono<?>) write.made(publisher))),
                            write -> ended(write, End.COMMITTED),
                            (write, failure) -> ended(write, AsyncWrite.ended(failure)),
                            ReactorCalls::cancelled)))
            .singleOrEmpty()
        : heard(
            Flux.deferContextual(
                context ->
                    Flux.usingWhen(
                        beginning(context, transactions, begin),
                        write ->
                            begun(write)
                                .thenMany(Flux.defer(() -> (Flux<?>) write.made(publisher))),
                        write -> ended(write, End.COMMITTED),
                        (write, failure) -> ended(write, AsyncWrite.ended(failure)),
                        ReactorCalls::cancelled)));
  }

  /**
   * A write whose failure is no error if its subscriber has gone by then: Reactor would log each as
   * one that was dropped.
   */
  private static <T> Flux<T> heard(Publisher<T> write) {
    return Flux.defer(
        () -> {
          AtomicBoolean gone = new AtomicBoolean();
          return Flux.from(write)
              .doOnCancel(() -> gone.set(true))
              .onErrorResume(
                  failure -> {
                    if (!gone.get()) {
                      return Flux.error(failure);
                    }
                    LOG.debug("A write has failed whose subscriber has gone", failure);
                    return Flux.empty();
                  });
        });
  }

  /**
   * What {@code begin} has begun. It is there before the subscriber can cancel: a resource that
   * comes later is dropped without its end by one that has cancelled.
   */
  private static <T> Mono<T> beginning(
      ContextView context, Transactions transactions, Supplier<T> begin) {
    try (Transactions.Scope carried = transactions.enter(context)) {
      return Mono.just(begin.get());
    }
  }

  /**
   * Subscribes to a {@code Mono} within the write of keys that come with its result, or with its
   * end if that is empty: they are added before it is passed on.
   */
  static Mono<?> writingDrawn(
      Transactions transactions, Supplier<Drawn> begin, MethodInvocation invocation) {
    return heard(
            Mono.deferContextual(
                context ->
                    Mono.usingWhen(
                        beginning(context, transactions, begin),
                        drawn ->
                            begun(drawn.write)
                                .then(
                                    Mono.<Object>defer(
                                        () ->
                                            drawn.write.made(
                                                () -> (Mono<Object>) publishedAgain(invocation))))
                                .singleOptional()
                                .flatMap(
                                    result ->
                                        uncancelled(drawn.add.apply(result.orElse(null)))
                                            .then(Mono.justOrEmpty(result))),
                        drawn -> ended(drawn.write, End.COMMITTED),
                        (drawn, failure) -> ended(drawn.write, AsyncWrite.ended(failure)),
                        drawn -> cancelled(drawn.write))))
        .singleOrEmpty();
  }

  /**
   * A write whose keys come with its result.
   *
   * @param add adds the keys of a result, null for none
   */
  record Drawn(
      AsyncWrite write, Function<@Nullable Object, CompletableFuture<@Nullable Void>> add) {}

  private static Mono<?> begun(AsyncWrite write) {
    // A write that has begun is waited for even if the subscriber has gone, and then ended.
    return uncancelled(write.begun());
  }

  private static Mono<?> ended(AsyncWrite write, End end) {
    return Mono.fromFuture(write.end(end), true);
  }

  /**
   * The end of a write that was cancelled. A failure of it, such as of an eviction while Redis is
   * away, has no receiver: Reactor would log each.
   */
  private static Mono<?> cancelled(AsyncWrite write) {
    return ended(write, End.UNKNOWN).onErrorComplete();
  }

  /**
   * The result of {@code future}, which continues if the subscriber cancels. A failure that comes
   * after that has no receiver: Reactor would log each as an error that was dropped.
   */
  private static <T> Mono<T> uncancelled(CompletableFuture<? extends @Nullable T> future) {
    return Mono.fromFuture(
            future.<Signal<T>>handle(
                (value, failure) ->
                    failure != null
                        ? Signal.error(ReturnAdapter.cause(failure))
                        : value == null ? Signal.complete() : Signal.next(value)),
            true)
        .dematerialize();
  }

  /** What the method publishes in a subscription of its own. */
  static Object publishedAgain(MethodInvocation invocation) {
    return published(again(invocation));
  }

  private static Object published(MethodInvocation invocation) {
    return required(ReturnAdapter.proceed(invocation));
  }

  private static Object required(@Nullable Object publisher) {
    if (publisher == null) {
      throw new IllegalStateException("A method that returns a publisher returned null");
    }
    return publisher;
  }

  /** An invocation proceeds once; each subscription needs its own. */
  private static MethodInvocation again(MethodInvocation invocation) {
    return ((ProxyMethodInvocation) invocation).invocableClone();
  }
}
