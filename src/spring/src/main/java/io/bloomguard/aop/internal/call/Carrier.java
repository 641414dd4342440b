package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Pass;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * The container in which a method's answer comes. It determines how a call is guarded, and when it
 * has ended: as the method returns, its future completes or its publisher ends.
 */
public abstract sealed class Carrier permits DirectCarrier, AsyncCarrier {

  /** Continues with the keys that go on, at least one. */
  @FunctionalInterface
  interface Continuation {

    @Nullable Object proceed(MethodInvocation call, Pass<?> pass) throws Throwable;
  }

  /** The carrier that a return type is. */
  public static Carrier of(Class<?> raw) {
    if (raw == CompletableFuture.class || raw == CompletionStage.class) {
      return StageCarrier.STAGE;
    }
    // By name, since Reactor may be absent.
    return switch (raw.getName()) {
      case "reactor.core.publisher.Mono" -> PublisherCarrier.MONO;
      case "reactor.core.publisher.Flux" -> PublisherCarrier.FLUX;
      default -> DirectCarrier.DIRECT;
    };
  }

  /** Whether the method runs once for each subscription. */
  public boolean publishes() {
    return false;
  }

  /** Whether it has any number of values. */
  public boolean isMany() {
    return false;
  }

  /** A method's answer, each subscriber of which is observed first, by its context. */
  @Nullable Object observed(@Nullable Object returned, Consumer<Object> subscriber) {
    throw new UnsupportedOperationException("The answer has no subscribers");
  }

  /** The calls of a method with one key. */
  public abstract Call single(MethodGuard method, CompiledKey key, boolean caching);

  /** Those under a blacklist, which pass the method's answer on unchanged. */
  public abstract Call underBlacklist(MethodGuard method, CompiledKey key);

  /** The keys of a call that go on, waited for as its answers are. */
  abstract CompletableFuture<? extends Pass<?>> ask(EntryGuard<Object> guard, Ask<?> ask);

  /**
   * The answer of a call that only decides; its pass is open until the answer has ended.
   *
   * @param rejected makes the content of the answer if no key goes on
   */
  final @Nullable Object deciding(
      MethodGuard method,
      Function<EntryGuard<Object>, Ask<?>> ask,
      Supplier<? extends @Nullable Object> rejected,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    return around(
        method.transactions(),
        context -> {
          EntryGuard<Object> guard = method.guard(context);
          CompletableFuture<? extends Pass<?>> pass = ask(guard, ask.apply(guard));
          if (pass.isCompletedExceptionally()) {
            DirectCarrier.await(pass); // a caller learns at once of what is known at once
          }
          return new DecidedRun(pass, this, method.returns(), rejected, continuation);
        },
        invocation);
  }

  /** The answer with a content that is there. */
  abstract @Nullable Object of(Supplier<? extends @Nullable Object> content);

  /**
   * A method's answer with another content.
   *
   * @param change makes it of the method's own, which is null if there is none
   */
  abstract @Nullable Object changed(
      @Nullable Object returned, UnaryOperator<@Nullable Object> change);

  /**
   * The answer of a method within the work of the guard around it.
   *
   * @param begin begins the work, for a publisher that of each subscription, whose context it gets;
   *     others get null
   */
  abstract @Nullable Object around(
      Transactions transactions,
      Function<@Nullable Object, ? extends Around> begin,
      MethodInvocation call)
      throws Throwable;

  /**
   * Proceeds, perhaps after the call has returned or on another thread: AspectJ's aspects look for
   * the invocation that the thread is in.
   */
  static @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
    return ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
  }

  /** An invocation proceeds once; each subscription needs its own. */
  static MethodInvocation again(MethodInvocation invocation) {
    return ((ProxyMethodInvocation) invocation).invocableClone();
  }
}
