package io.bloomguard.data.internal.row;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.FilterRefusal;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.StringUtils;

/**
 * The classes of one mapper whose rows have keys, by what the mapper calls each.
 *
 * @param <R> a row, as the mapper has it
 */
public final class KeyedTypes<R> {

  private final Function<String, @Nullable String> scopes;
  private final Map<Object, Keyed<R>> known = new ConcurrentHashMap<>();

  /**
   * A mapper none of whose classes is known.
   *
   * @param scopes the column of the scope of a filter's keys, null for none
   */
  public KeyedTypes(Function<String, @Nullable String> scopes) {
    this.scopes = scopes;
  }

  /**
   * A class and its keys.
   *
   * @param <R> a row, as the mapper has it
   * @param type the class
   * @param keys its keys; empty if no filter holds any
   */
  public record Keyed<R>(RowType<R> type, List<RowKey<R>> keys) {

    /** {@return whether the annotations of the class are read from {@code from}} */
    boolean isOf(Class<?> from) {
      Class<?> own = type.type();
      return own != null
          && !keys.isEmpty()
          && (from.isAnnotation()
              ? MergedAnnotations.from(own, SearchStrategy.TYPE_HIERARCHY)
                  .isPresent(from.asSubclass(Annotation.class))
              : from.isAssignableFrom(own));
    }

    /** {@return whether a part of a key is the id} */
    public boolean takesId() {
      return keys.stream().anyMatch(RowKey::takesId);
    }

    /** {@return whether a key may change while the row lives} */
    public boolean mayChange() {
      return !keys.stream().allMatch(RowKey::isOfId);
    }
  }

  /**
   * {@return the keys of a class, compiled when it is first asked for}
   *
   * @param mapped what the mapper calls it
   * @param type describes it
   * @throws StartRefusedException for the first annotation that cannot be applied
   */
  public Keyed<R> of(Object mapped, Supplier<RowType<R>> type) {
    Keyed<R> found = known.get(mapped);
    return found != null ? found : known.computeIfAbsent(mapped, each -> compile(type.get()));
  }

  /**
   * {@return the keys of a class that has been compiled; null if it has none}
   *
   * @param mapped what the mapper calls it
   */
  public @Nullable List<RowKey<R>> of(@Nullable String mapped) {
    Keyed<R> found = mapped == null ? null : known.get(mapped);
    return found == null || found.keys().isEmpty() ? null : found.keys();
  }

  /** {@return all classes that have been compiled} */
  public Collection<Keyed<R>> all() {
    return known.values();
  }

  /** Replaces each key of the classes that have been compiled. */
  public void replaceKeys(UnaryOperator<RowKey<R>> replacement) {
    known.replaceAll(
        (mapped, keyed) ->
            new Keyed<>(keyed.type(), keyed.keys().stream().map(replacement).toList()));
  }

  /**
   * Asks the guards whether their filters can hold the keys.
   *
   * @param guards the guards
   * @param removes whether the deletion of a row takes its id out of a filter
   * @throws StartRefusedException for the first that cannot be applied
   */
  public void verify(EntryGuards guards, Predicate<String> removes) {
    for (Keyed<R> keyed : all()) {
      for (RowKey<R> key : keyed.keys()) {
        FilterRefusal refusal =
            FilterRefusal.of(
                guards, key.filter(), key.describe(keyed.type(), removes.test(key.filter())));
        if (refusal != null) {
          throw keyed.type().refusal(refusal.problem(), refusal.action());
        }
      }
    }
  }

  /**
   * {@return whether the annotations that {@code type} declares are those of rows}
   *
   * @param type a class of any kind
   */
  public boolean maps(Class<?> type) {
    return all().stream().anyMatch(keyed -> keyed.isOf(type));
  }

  /** The filter and the attribute that an annotation names. */
  private record Named(String filter, String attribute) {}

  private Keyed<R> compile(RowType<R> type) {
    Set<Named> found = new LinkedHashSet<>();
    Class<?> own = type.type();
    if (own != null) {
      annotations(own).forEach(key -> found.add(new Named(key.filter(), key.attribute())));
    }
    for (Class<?> c = own; c != null && c != Object.class; c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        annotations(field).forEach(key -> found.add(attribute(type, field.getName(), key)));
      }
      for (Method method : c.getDeclaredMethods()) {
        annotations(method).forEach(key -> found.add(attribute(type, property(method), key)));
      }
    }
    return new Keyed<>(
        type,
        found.stream()
            .map(named -> RowKey.of(type, named.filter(), named.attribute(), scopes))
            .toList());
  }

  private Named attribute(RowType<R> type, String name, BloomKey key) {
    if (!key.attribute().isEmpty()) {
      throw type.refusal(
          "names the attribute '" + key.attribute() + "' while it stands on '" + name + "'",
          "Leave attribute out there, or move the annotation to the class");
    }
    return new Named(key.filter(), name);
  }

  /** The property that a getter reads; the method's own name if it is not a getter. */
  private static String property(Method method) {
    return StringUtils.uncapitalizeAsProperty(
        method.getName().replaceFirst("^(get|is)(?=[^a-z])", ""));
  }

  private static Stream<BloomKey> annotations(AnnotatedElement element) {
    return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(BloomKey.class)
        .map(annotation -> annotation.synthesize());
  }
}
