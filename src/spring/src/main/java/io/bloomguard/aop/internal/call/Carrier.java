package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Pass;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
public abstract sealed class Carrier permits DirectCarrier, StageCarrier, PublisherCarrier {

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

  /** The answer with a content that is there. */
  abstract @Nullable Object of(Supplier<? extends @Nullable Object> content);

  /**
   * A method's answer with another content.
   *
   * @param change makes it of the method's own, which is null if there is none
   */
  abstract @Nullable Object changed(
      @Nullable Object returned, UnaryOperator<@Nullable Object> change);

  /** The answer of the method itself, which tells of its runs; null only for a value. */
  abstract @Nullable Object told(MethodInvocation call, Runs runs) throws Throwable;

  /**
   * The content of what was {@linkplain #told told}.
   *
   * @param context that of the subscriber to a publisher; null for others
   */
  abstract CompletionStage<? extends @Nullable Object> value(
      @Nullable Object told, @Nullable Object context);

  /** The method's own answer, which ends the trial if there is one. */
  @Nullable Object answered(MethodInvocation call, MethodGuard method, Pass<?> pass)
      throws Throwable {
    if (!pass.isTrial()) {
      return changed(proceed(call), value -> method.answer(method.shape().unwrap(value)));
    }
    Runs runs = new Runs(call);
    return changed(
        told(call, runs),
        value -> {
          Object content = runs.content(value, method.shape().unwrap(value));
          method.judge(pass, content, null);
          return method.answer(content);
        });
  }

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

  /** Calls in code that cannot declare checked exceptions; they are thrown unwrapped. */
  static <T> @Nullable T unchecked(ValueLoader<T, Throwable> call) {
    try {
      return call.load();
    } catch (Throwable e) {
      throw sneaky(e);
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // erased: throws e itself
  private static <X extends Throwable> RuntimeException sneaky(Throwable e) throws X {
    throw (X) e;
  }
}
