package io.bloomguard.guard.internal;

import io.bloomguard.filter.internal.CanonicalKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The scope of a filter's keys, such as the tenant: the first part of each key, which the callers
 * of guarded and writing methods leave out.
 *
 * @param bean the name of the bean that tells it, for messages
 * @param ofThread reads that of the calling thread; null if the bean knows only contexts
 * @param ofContext reads that of a subscriber's context; null if the bean knows only threads
 * @param column the first column of the filter's source, empty if it is not known
 */
public record KeyScope(
    String bean,
    @Nullable Supplier<?> ofThread,
    @Nullable Function<Object, ?> ofContext,
    String column) {

  /** The context of calls that have no scope, whatever their thread says. */
  public static final Object NONE = new Object();

  private static final String TENANT = "tenant";

  /**
   * A key with the scope of its row.
   *
   * @param scope the canonical text of the scope
   * @param key the rest of the key
   */
  public record Scoped(String scope, Object key) {

    /**
     * A key with the scope of its row.
     *
     * @param scope text or a number
     * @param key the rest of the key
     */
    public static Scoped of(Object scope, Object key) {
      return new Scoped(CanonicalKey.of(scope), key);
    }

    /** {@return the key as a key of parts, the first of which is the scope} */
    public List<?> parts() {
      return KeyScope.parts(scope, key);
    }
  }

  /**
   * {@return a key as a key of parts}
   *
   * @param scope its first part
   * @param key the rest: a value, or a list of parts
   */
  public static List<?> parts(Object scope, @Nullable Object key) {
    if (!(key instanceof List<?> rest)) {
      return Arrays.asList(scope, key);
    }
    List<Object> parts = new ArrayList<>(rest.size() + 1);
    parts.add(scope);
    parts.addAll(rest);
    return parts;
  }

  /**
   * {@return the scope of a call, null while it has none}
   *
   * @param context that of a subscriber, or {@link #NONE}; null for that of the calling thread
   */
  @SuppressWarnings("ReferenceEquality") // a marker
  public @Nullable Object read(@Nullable Object context) {
    if (context == NONE) {
      return null;
    }
    if (context != null && ofContext != null) {
      return ofContext.apply(context);
    }
    return ofThread == null ? null : ofThread.get();
  }

  /**
   * {@return keys with the scope under which their rows are written: that of the row, if the key
   * has it, otherwise that of the call}
   *
   * @param keys keys, some of which may be {@link Scoped}
   * @param context that of a subscriber; null for that of the calling thread
   * @throws IllegalStateException if a key has no scope, and neither has the call
   */
  public List<?> written(Collection<?> keys, @Nullable Object context) {
    List<Object> scoped = new ArrayList<>(keys.size());
    Object own = null;
    for (Object key : keys) {
      if (key instanceof Scoped) {
        scoped.add(key);
        continue;
      }
      own = own == null ? read(context) : own;
      if (own == null) {
        throw new IllegalStateException(
            ("The write is refused: the scope of its keys, which the bean '%s' tells,"
                    + " is null here. Set it before the write, or write rows that have it in"
                    + " an attribute")
                .formatted(bean));
      }
      scoped.add(Scoped.of(own, key));
    }
    return scoped;
  }

  /**
   * {@return the property in which a row has the scope of its keys; null for none}: the one of the
   * source's first column, otherwise {@code tenantId} or {@code tenant}, otherwise the only one
   * with "tenant" in its name. An association is none.
   *
   * @param column the first column of the filter's source, empty if it is not known
   * @param properties the names of the row's properties
   * @param simple whether a property is a value that can be a part of a key
   */
  public static @Nullable String property(
      String column, Collection<String> properties, Predicate<String> simple) {
    for (String own : List.of(plain(column), TENANT + "id", TENANT)) {
      for (String name : properties) {
        if (plain(name).equals(own) && simple.test(name)) {
          return name;
        }
      }
    }
    List<String> named =
        properties.stream()
            .filter(name -> plain(name).contains(TENANT) && simple.test(name))
            .distinct()
            .toList();
    return named.size() == 1 ? named.get(0) : null;
  }

  /**
   * {@return whether a name is that of the source's first column}
   *
   * @param column the first column of the filter's source, empty if it is not known
   * @param name the name of a property or parameter
   */
  public static boolean isColumn(String column, String name) {
    return plain(name).equals(plain(column));
  }

  private static String plain(String name) {
    return name.replace("_", "").toLowerCase(Locale.ROOT);
  }
}
