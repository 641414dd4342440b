package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.KeyScope;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/** Makes the scopes of keys that filters' properties name. */
final class KeyScopes {

  private KeyScopes() {}

  /**
   * The scope of the keys of {@code filter}, null where none is configured.
   *
   * @throws StartRefusedException if what it names is not there
   */
  static @Nullable KeyScope of(
      ListableBeanFactory beans, String filter, FilterProperties properties) {
    String name = properties.keys().scope();
    if (name.isBlank()) {
      return null;
    }
    boolean known = beans.containsBean(name);
    boolean ofThread = known && beans.isTypeMatch(name, Supplier.class);
    boolean ofContext = known && beans.isTypeMatch(name, Function.class);
    if (!ofThread && !ofContext) {
      throw ChosenBean.unknown(
          beans,
          "bloomguard.filters." + filter + ".keys.scope",
          name,
          Supplier.class,
          "Declare such a bean, or a Function of Reactor's ContextView, or correct the name.");
    }
    // Late, because the bean may itself use what is guarded.
    Supplier<Object> bean =
        beans.isSingleton(name)
            ? SingletonSupplier.of(() -> beans.getBean(name))
            : () -> beans.getBean(name);
    return new KeyScope(
        name,
        ofThread ? () -> ((Supplier<?>) bean.get()).get() : null,
        ofContext ? context -> apply(bean.get(), context) : null,
        properties.source().firstColumn());
  }

  @SuppressWarnings("unchecked") // a bean of another function fails the call
  private static Object apply(Object bean, Object context) {
    return ((Function<Object, Object>) bean).apply(context);
  }
}
