package io.bloomguard.aop;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.EntryGuard;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.ValueLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The calls of guarded methods with one key. */
final class SingleKeyCalls {

  /** A blacklist has no trials. */
  private static final Consumer<Trial> NO_TRIAL = trial -> {};

  private SingleKeyCalls() {}

  static Call of(
      EntryGuard<Object> guard,
      CompiledKey key,
      ReturnAdapter returns,
      boolean caching,
      Transactions transactions) {
    return switch (returns.shape().carrier()) {
      case DIRECT -> direct(guard, key, returns, caching);
      case STAGE -> stage(guard, key, returns, caching);
      case MONO -> ReactorCalls.mono(guard, key, returns, caching, transactions);
      case FLUX -> ReactorCalls.flux(guard, key, returns, caching, transactions);
    };
  }

  /** The calls under a blacklist: the method's answer is passed on unchanged. */
  static Call underBlacklist(EntryGuard<Object> guard, CompiledKey key, ReturnAdapter returns) {
    Entered.Continuation proceed = (call, admitted) -> call.proceed();
    return switch (returns.shape().carrier()) {
      case DIRECT ->
          invocation ->
              guard.admit(key(guard, key, invocation)) ? invocation.proceed() : returns.rejected();
      case STAGE ->
          invocation ->
              Entered.stage(
                  guard.enterAsync(key(guard, key, invocation), NO_TRIAL),
                  returns,
                  invocation,
                  proceed);
      case MONO, FLUX ->
          invocation ->
              ReactorCalls.entered(
                  () -> guard.enterAsync(key(guard, key, invocation), NO_TRIAL),
                  returns,
                  invocation,
                  proceed);
    };
  }

  private static Call direct(
      EntryGuard<Object> guard, CompiledKey key, ReturnAdapter returns, boolean caching) {
    return invocation -> {
      ValueLoader<Object, Throwable> load = () -> returns.shape().unwrap(invocation.proceed());
      Object id = key(guard, key, invocation);
      return returns.of(caching ? guard.get(id, load) : guard.call(id, load));
    };
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the caller gets the future
  private static Call stage(
      EntryGuard<Object> guard, CompiledKey key, ReturnAdapter returns, boolean caching) {
    return invocation -> {
      Object id = key(guard, key, invocation);
      if (caching) {
        return returns.stage(guard.getAsync(id, () -> load(invocation, returns)));
      }
      CallTrial trial = returns.trial();
      return Entered.stage(
          guard.enterAsync(id, trial),
          returns,
          invocation,
          (call, admitted) -> returns.stage(load(call, returns, trial)));
    };
  }

  private static CompletionStage<@Nullable Object> load(
      MethodInvocation invocation, ReturnAdapter returns, CallTrial trial) {
    try {
      return load(invocation, returns)
          .whenComplete(
              (value, failure) -> {
                if (failure == null) {
                  trial.answered(value);
                } else {
                  trial.failed(failure);
                }
              });
    } catch (Throwable e) {
      trial.failed(e);
      throw e;
    }
  }

  private static CompletionStage<@Nullable Object> load(
      MethodInvocation invocation, ReturnAdapter returns) {
    CompletionStage<?> returned = (CompletionStage<?>) ReturnAdapter.proceed(invocation);
    return returned == null
        ? CompletableFuture.completedFuture(null)
        : returned.thenApply(returns.shape()::unwrap);
  }

  /**
   * The key of a call.
   *
   * @throws InvalidKeyException naming the method, if the key is null; the guard has counted it
   */
  @SuppressWarnings("NullAway") // the guard refuses a null key; one that is turned off takes it
  static Object key(EntryGuard<?> guard, CompiledKey key, MethodInvocation invocation) {
    Object id = key.extract(invocation.getArguments(), null);
    if (id == null) {
      try {
        guard.admit(id);
      } catch (InvalidKeyException e) {
        throw new InvalidKeyException(
            GuardedMethodException.describe(invocation.getMethod())
                + ": the key \""
                + key.names()
                + "\" is null");
      }
    }
    return id;
  }
}
