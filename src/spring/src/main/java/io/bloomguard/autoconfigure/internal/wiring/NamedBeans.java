package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.guard.StartRefusedException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The beans of one type, each under a name of its own, by which settings choose them. */
final class NamedBeans<T> {

  private final Class<T> type;
  private final Map<String, T> beans;

  /**
   * @throws StartRefusedException if two of them have one name
   */
  NamedBeans(Class<T> type, Collection<T> all, Function<T, String> name) {
    this.type = type;
    this.beans = new TreeMap<>();
    for (T bean : all) {
      T twin = beans.put(name.apply(bean), bean);
      if (twin != null) {
        throw new StartRefusedException(
            "Two beans are the backend '%s': %s and %s"
                .formatted(name.apply(bean), twin.getClass().getName(), bean.getClass().getName()),
            "Give one of them another name.");
      }
    }
  }

  @Nullable T find(String name) {
    return beans.get(name);
  }

  Set<String> names() {
    return Collections.unmodifiableSet(beans.keySet());
  }

  /**
   * Refuses a name that no bean has.
   *
   * @param property that has the name
   * @param others names that stand for no bean alone
   */
  void requireKnown(String property, String name, List<String> others) {
    Set<String> known = new LinkedHashSet<>(others);
    beans.keySet().stream().filter(each -> !each.contains(", ")).forEach(known::add);
    if (!known.contains(name)) {
      throw new StartRefusedException(
          property + " is '" + name + "', but must be one of " + known,
          "Set it to one of them, or add a bean of the type %s with that name."
              .formatted(type.getName()));
    }
  }
}
