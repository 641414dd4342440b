package io.bloomguard.aop;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.guard.Reject;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * A guarded method that only throws for a key that the filter rejects, and does nothing else
 * before: an entry point may answer for it.
 *
 * @param filter the filter's name
 * @param parameter the index of the parameter that is the key
 * @param caller the method, for the log
 */
public record ThrowingLookup(String filter, int parameter, String caller) {

  /** A method that is none, although it is guarded. */
  public static final class NoneException extends Exception {

    private static final long serialVersionUID = 1L;

    NoneException(String reason) {
      super(reason);
    }
  }

  static @Nullable ThrowingLookup find(
      GuardedMethods methods, Method method, Class<?> type, Supplier<?> bean) throws NoneException {
    AnnotatedMethod<BloomGuarded> found = AnnotatedMethod.find(BloomGuarded.class, method, type);
    if (found == null) {
      return null;
    }
    BloomGuarded annotation = found.annotation();
    if (annotation.onAbsent() != OnAbsent.THROW) {
      throw new NoneException(
          "its answer for an absent key is the handler's own: onAbsent = THROW");
    }
    if (methods.rejects(annotation.filter()) == Reject.PRESENT) {
      throw new NoneException("its filter is a blacklist");
    }
    CompiledKey key = KeyCompiler.compile(found, annotation.key(), false);
    if (key.parameter() < 0 || key.plural()) {
      throw new NoneException("its key is not one parameter as a whole");
    }
    if (!isGuardedAlone(methods, found, bean.get())) {
      throw new NoneException("other advice is around it, or its proxy is not its bean's own");
    }
    return new ThrowingLookup(
        annotation.filter(), key.parameter(), GuardedMethodException.describe(found.specific()));
  }

  /** Whether a call of the method passes nothing but the guard. */
  private static boolean isGuardedAlone(
      GuardedMethods methods, AnnotatedMethod<?> found, Object bean) {
    if (!(bean instanceof Advised advised) || !advised.getTargetSource().isStatic()) {
      return false;
    }
    List<Object> calls =
        DefaultAdvisorChainFactory.INSTANCE.getInterceptorsAndDynamicInterceptionAdvice(
            advised, found.specific(), found.target());
    return calls.contains(methods.guardedCalls())
        && calls.stream()
            .allMatch(
                call ->
                    call == methods.guardedCalls() || call == ExposeInvocationInterceptor.INSTANCE);
  }
}
