package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.KeyWrites;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The evictions of one call of a {@code @BloomEvict} method: each key of a filter once, even if
 * several annotations name it, since a key has one row.
 *
 * @param filters those of each filter, by its name
 */
record Evictions(Map<String, OfFilter> filters) implements AutoCloseable {

  private static final KeyWrites.Removal KEPT = gone -> {};

  /** Begins the evictions, before the rows are deleted. */
  static Evictions begin(List<WrittenKey> keys) {
    Map<String, OfFilter> begun = new LinkedHashMap<>();
    keys.forEach(key -> begun.computeIfAbsent(key.filter(), name -> OfFilter.begin(key.writes())));
    return new Evictions(begun);
  }

  /** These evictions with the scope of one call, or of one subscriber. */
  Evictions scoped(@Nullable Object context) {
    Map<String, OfFilter> scoped = new LinkedHashMap<>(filters);
    scoped.replaceAll((name, filter) -> filter.scoped(context));
    return new Evictions(scoped);
  }

  /**
   * Notes keys whose rows are deleted.
   *
   * @param after whether the keys that are read after the method are meant
   */
  void note(
      List<WrittenKey> keys, boolean after, Function<WrittenKey, ? extends Collection<?>> read) {
    keys.stream()
        .filter(key -> key.after() == after)
        .forEach(
            key -> Objects.requireNonNull(filters.get(key.filter())).keys.addAll(read.apply(key)));
  }

  /**
   * Evicts all, in one step for each filter.
   *
   * @param remove whether to remove them from the filters as well as the caches
   */
  void run(boolean remove) {
    for (OfFilter filter : filters.values()) {
      filter.writes.evictAll(filter.keys, remove ? filter.removal : KEPT);
    }
  }

  /** Ends the time in which equal keys are removed once. */
  @Override
  public void close() {
    filters.values().forEach(filter -> filter.removal.close());
  }

  /** Drops the entries of all once a statement that may be under way must have ended. */
  void runLater() {
    for (OfFilter filter : filters.values()) {
      if (!filter.keys.isEmpty()) {
        filter.writes.beginWrites(List.of(), filter.keys).end(Transactions.End.UNKNOWN);
      }
    }
  }

  record OfFilter(KeyWrites writes, KeyWrites.Removal removal, Set<Object> keys) {

    static OfFilter begin(KeyWrites writes) {
      return new OfFilter(writes, writes.beginRemoval(), new LinkedHashSet<>());
    }

    OfFilter scoped(@Nullable Object context) {
      return new OfFilter(writes, removal, new LinkedHashSet<>(writes.scoped(keys, context)));
    }
  }
}
