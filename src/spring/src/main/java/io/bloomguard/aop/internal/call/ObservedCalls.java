package io.bloomguard.aop.internal.call;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.Mode;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.CacheAttributes;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.RequestShedException;
import java.util.regex.Pattern;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.core.ResolvableType;

/**
 * The calls of methods under {@link Mode#OBSERVE}, and the methods that should be.
 *
 * <p>"Is this name taken?" needs the database's own answer: a filter knows no other spelling that
 * the database holds equal, and a null entry may be older than a row that another caller inserts.
 */
public final class ObservedCalls {

  private static final Pattern ASKS_WHETHER_FREE =
      Pattern.compile(
          "exists.*|(is|are|check|validate|verify|ensure).*(Unique|Taken|Available|Free|InUse|Exists?)"
              + "|(taken|available|unique).*");

  private ObservedCalls() {}

  /** Whether a method seems to ask if a text is free, so that its answer may lead to an insert. */
  public static boolean asksWhetherFree(AnnotatedMethod<BloomGuarded> method, ResolvableType key) {
    Class<?> type = key.resolve(Object.class);
    return method.annotation().mode() == Mode.FILTER
        && (CharSequence.class.isAssignableFrom(type) || type == Object.class)
        && ASKS_WHETHER_FREE.matcher(method.specific().getName()).matches();
  }

  /**
   * Refuses attributes that would have no effect.
   *
   * @param blacklist whether the filter is one
   */
  public static void require(AnnotatedMethod<BloomGuarded> method, boolean blacklist) {
    BloomGuarded annotation = method.annotation();
    method.refuseIf(
        blacklist,
        "has mode = OBSERVE, but filter '{}' is a blacklist, whose keys would pass",
        "Leave mode out, or the annotation",
        annotation.filter());
    method.refuseIf(
        annotation.caching() == Caching.VALUES
            || annotation.caching() == Caching.NULLS
            || CacheAttributes.present(annotation),
        "has mode = OBSERVE, which keeps nothing, and says how entries are kept",
        "Leave caching and the attributes of a cache out");
  }

  /** The calls of a method. The scope of a publisher's keys is that of each subscriber. */
  public static MethodInterceptor of(MethodGuard method, CompiledKey key) {
    Carrier carrier = method.carrier();
    return call -> {
      if (!carrier.publishes()) {
        observe(method.guard(), key, call);
        return call.proceed();
      }
      Object returned = call.proceed();
      return returned == null
          ? null
          : carrier.around(
              method.transactions(),
              context -> {
                observe(method.guard(context), key, call);
                return again -> returned;
              },
              call);
    };
  }

  /** Counts the filter's answer. The caller neither waits for it nor learns of a failure. */
  private static void observe(BloomGuard<Object> guard, CompiledKey key, MethodInvocation call) {
    try {
      Object id = key.extract(call.getArguments(), null);
      if (id != null) {
        var unused =
            key.plural()
                ? guard.checkAllAsync(MultiKeyCalls.withoutNulls(MultiKeyCalls.keys(id)))
                : guard.checkAsync(id);
      }
    } catch (InvalidKeyException | RequestShedException e) {
      // Counted, if it is a key. What the method makes of it is its own affair.
    }
  }
}
