package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.UnclearAnswer;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.CollectionUtils;

/**
 * The calls of guarded methods with a collection of keys: only the possibly present keys reach the
 * method. If no key remains, the answer is empty and the method is not called; {@code
 * OnAbsent.THROW} throws only in this case. A call without keys goes to the method.
 */
public final class MultiKeyCalls {

  private static final Set<Class<?>> REPLACEABLE =
      Set.of(List.class, Collection.class, Iterable.class, Set.class);

  private MultiKeyCalls() {}

  /** Whether a parameter of that type can take fewer keys. */
  public static boolean replaceable(Class<?> parameter) {
    return parameter.isArray() || REPLACEABLE.contains(parameter);
  }

  /**
   * Calls that only decide; the method's answer is passed on unchanged, but for gaps in it.
   *
   * @param positions those of the keys in the answers; null for none
   */
  public static MethodInterceptor deciding(
      MethodGuard method, int parameter, Class<?> type, @Nullable KeyPositions positions) {
    Carrier carrier = method.carrier();
    Supplier<? extends @Nullable Object> empty = method.shape().empty();
    KeyPositions declared = positions != null && positions.areDeclared() ? positions : null;
    boolean tries = method.tries();
    return invocation -> {
      Object argument = invocation.getArguments()[parameter];
      // A copy, because its owner may change the collection meanwhile.
      List<?> all = argument == null ? List.of() : new ArrayList<>(keys(argument));
      Collection<?> keys = withoutNulls(all);
      if (keys.isEmpty()) {
        return invocation.proceed();
      }
      return method.deciding(
          guard -> tries ? Ask.toLoadAll(keys).tried() : Ask.toLoadAll(keys),
          () -> method.rejected(declared == null ? empty : () -> declared.gaps(all)),
          invocation,
          (call, pass) -> {
            List<?> admitted = pass.keys();
            List<?> passed = all;
            if (admitted.size() < keys.size()) { // else it gets what its caller has passed
              passed = keys == all ? admitted : withNulls(all, admitted);
              replace((ProxyMethodInvocation) call, parameter, like(type, passed));
            }
            if (pass.isTrial()) {
              Runs runs = new Runs(call);
              return carrier.changed(
                  carrier.told(call, runs),
                  answer -> {
                    method.judgeEach(pass, runs.content(answer, answer));
                    return answer;
                  });
            }
            Object returned = Carrier.proceed(call);
            if (positions == null) {
              return returned;
            }
            List<?> given = passed;
            return carrier.changed(
                returned, answer -> positions.of(answer, all, given, method.guard()));
          });
    };
  }

  /**
   * Calls that cache each entry of the map; the method gets the keys that are not cached. A call
   * with a null among its keys only decides: what the method answers for null is no entry.
   */
  public static MethodInterceptor caching(MethodGuard method, int parameter, Class<?> type) {
    MethodInterceptor deciding = deciding(method, parameter, type, null);
    return invocation -> {
      Object argument = invocation.getArguments()[parameter];
      Collection<?> keys = argument == null ? List.of() : keys(argument);
      if (keys.isEmpty()) {
        return invocation.proceed();
      }
      if (hasNull(keys)) {
        return deciding.invoke(invocation);
      }
      Map<?, ?> values =
          method
              .guard()
              .<Object, Throwable>getAll(
                  new ArrayList<>(keys),
                  missing -> load((ProxyMethodInvocation) invocation, parameter, type, missing));
      return values.isEmpty() ? method.rejected() : values;
    };
  }

  /** The answer of the method; one that is null is refused as that of any batch load. */
  @SuppressWarnings({"unchecked", "NullAway"}) // its return type was checked at startup
  private static Map<Object, Object> load(
      ProxyMethodInvocation invocation, int parameter, Class<?> type, Set<Object> missing)
      throws Throwable {
    ProxyMethodInvocation call = (ProxyMethodInvocation) invocation.invocableClone();
    replace(call, parameter, like(type, List.copyOf(missing)));
    Runs runs = new Runs(call).asked();
    Map<Object, Object> values = (Map<Object, Object>) call.proceed();
    return values == null || runs.returned(values) ? values : new UnclearAnswer.Batch<>(values);
  }

  @SuppressWarnings("NullAway") // arguments may be null, though the signature does not say so
  private static void replace(ProxyMethodInvocation invocation, int parameter, Object keys) {
    @Nullable Object[] arguments = invocation.getArguments().clone();
    arguments[parameter] = keys;
    invocation.setArguments(arguments);
  }

  /** The keys in a collection, another iterable, or an array of objects or primitives. */
  public static Collection<?> keys(Object container) {
    if (container instanceof Collection<?> collection) {
      return collection;
    }
    if (container instanceof Iterable<?> iterable) {
      List<Object> list = new ArrayList<>();
      iterable.forEach(list::add);
      return list;
    }
    return CollectionUtils.arrayToList(container);
  }

  /** A null is no key: only the method knows what it stands for. */
  static Collection<?> withoutNulls(Collection<?> keys) {
    return hasNull(keys) ? keys.stream().filter(Objects::nonNull).toList() : keys;
  }

  private static boolean hasNull(Collection<?> keys) {
    return keys.stream().anyMatch(Objects::isNull); // List.of refuses to be asked for a null
  }

  /** The admitted keys with the nulls between them, as the method would have got them. */
  private static List<?> withNulls(List<?> all, List<?> admitted) {
    Map<Object, Boolean> passed = new IdentityHashMap<>(); // they are instances of those asked for
    admitted.forEach(key -> passed.put(key, true));
    return all.stream().filter(key -> key == null || passed.containsKey(key)).toList();
  }

  /** The elements in a container of a type: an array, a set or a list. */
  static Object like(Class<?> type, List<?> keys) {
    if (type.isArray()) {
      Object array = Array.newInstance(type.getComponentType(), keys.size());
      for (int i = 0; i < keys.size(); i++) {
        Array.set(array, i, keys.get(i));
      }
      return array;
    }
    return type == Set.class ? new LinkedHashSet<>(keys) : new ArrayList<>(keys);
  }
}
