package io.bloomguard.guard.internal.writes;

import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.PendingAdds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writes of one unit of work, such as a transaction. They are gathered key by key, begun in one
 * step for each filter, and open until the unit has ended.
 *
 * <p>A key whose write is open is not gathered again. The keys are kept until the end, when their
 * entries are dropped, so their number is bounded. Belongs to one thread at a time.
 */
public final class GatheredWrites {

  /** The most keys that a transaction may write. */
  public static final int MAX_KEYS = 1_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(GatheredWrites.class);

  private final Supplier<? extends EntryGuards> guards;
  private final Consumer<PendingAdds> settle;
  private final PendingAdds adds = new PendingAdds();
  private final Map<String, Keys> filters = new LinkedHashMap<>();
  private final List<KeyWrites.Write> open = new ArrayList<>();
  private final int maxKeys;
  private int kept;
  private boolean full;

  /**
   * @param guards the guards, called when the first write begins
   * @param settle called after adds: waits for the copies that may lack them, or has that done
   *     before the unit's rows become visible
   * @param maxKeys the most keys that are kept at once
   */
  public GatheredWrites(
      Supplier<? extends EntryGuards> guards, Consumer<PendingAdds> settle, int maxKeys) {
    this.guards = guards;
    this.settle = settle;
    this.maxKeys = maxKeys;
  }

  /**
   * Gathers a key that a row gets; null for none.
   *
   * @throws AddFailedException if the bound on keys is reached, as in every method that gathers a
   *     key
   */
  public void add(String filter, @Nullable Object key) {
    gather(filter, key, Keys::add);
  }

  /** Gathers a key that a row has, unless it was gathered before in any way. */
  public void addUnlessKnown(String filter, @Nullable Object key) {
    gather(filter, key, (keys, known) -> !keys.isKnown(known) && keys.add(known));
  }

  /** Gathers a key whose row is changed or deleted; null for none. */
  public void change(String filter, @Nullable Object key) {
    gather(filter, key, Keys::change);
  }

  /** Gathers the effect of a row's change on one of its keys; null for no key, before or after. */
  public void update(String filter, @Nullable Object before, @Nullable Object after) {
    if (after != null && !after.equals(before)) {
      add(filter, after);
    }
    change(filter, before);
  }

  /**
   * Notes that the row of a key whose change has begun was deleted: the key leaves the filter once
   * the unit has committed, unless the unit adds it again. Only for keys that have one row each.
   */
  public void gone(String filter, @Nullable Object key) {
    gather(filter, key, Keys::gone);
  }

  /** Passes a key, with the scope that its row has now, to those of its filter. */
  private void gather(String filter, @Nullable Object key, BiPredicate<Keys, Object> isOneMore) {
    if (key == null) {
      return;
    }
    Keys keys = filters.computeIfAbsent(filter, name -> new Keys(guards.get().scope(name)));
    KeyScope scope = keys.scope;
    Object scoped = scope == null ? key : scope.written(List.of(key), null).get(0);
    if (!isOneMore.test(keys, scoped) || ++kept <= maxKeys) {
      return;
    }
    if (!full) {
      full = true;
      LOG.warn("A transaction fails, because it has written more than {} keys", maxKeys);
    }
    throw new AddFailedException(
        "A transaction has written more than "
            + maxKeys
            + " keys of entities. Write in several transactions",
        null);
  }

  /** The number of gathered keys whose write has not begun. */
  public int gathered() {
    return filters.values().stream().mapToInt(keys -> keys.gathered.size()).sum();
  }

  /** Forgets the gathered keys whose write has not begun. */
  public void forget() {
    kept -= gathered();
    filters.values().forEach(keys -> keys.gathered.clear());
  }

  /**
   * Begins the write of all gathered keys.
   *
   * @throws AddFailedException if an add could not be stored; writes that have begun stay open
   */
  public void begin() {
    try {
      filters.forEach(this::begin);
    } finally {
      settle.accept(adds);
    }
  }

  private void begin(String filter, Keys keys) {
    if (keys.gathered.size() > 0) {
      KeyWrites known = keys.writes;
      KeyWrites writes = known == null ? guards.get().writes(filter, filter, "@BloomKey") : known;
      open.add(writes.beginWrites(keys.gathered.added, keys.gathered.changed, adds::add));
      keys.begun(writes);
    }
  }

  /** Adds the keys of all writes again that have been open for too long. */
  public void renew() {
    try {
      open.forEach(KeyWrites.Write::renew);
    } finally {
      settle.accept(adds);
    }
  }

  /** Waits for all adds that were not waited for. */
  public void await() {
    adds.await();
  }

  /**
   * Ends all writes. Never throws.
   *
   * @param end the end of the unit of work, as far as it is known
   */
  public void end(End end) {
    filters.values().forEach(keys -> keys.end(end));
    filters.clear();
    adds.forget();
    kept = 0;
    full = false;
    List<KeyWrites.Write> ended = List.copyOf(open);
    open.clear();
    for (KeyWrites.Write write : ended) {
      try {
        write.end(end);
      } catch (RuntimeException e) {
        // The barrier ends by itself, and the other steps at the end must still run.
        LOG.warn("A write could not be ended: {}", e.getClass().getName());
      }
    }
  }

  /** Keys that rows get, and keys whose rows are changed or deleted. */
  private record Rows(Set<Object> added, Set<Object> changed) {

    Rows() {
      this(new LinkedHashSet<>(), new LinkedHashSet<>());
    }

    boolean has(Object key) {
      return added.contains(key) || changed.contains(key);
    }

    int size() {
      return added.size() + changed.size();
    }

    void clear() {
      added.clear();
      changed.clear();
    }
  }

  /** The keys of one filter. */
  private static final class Keys {

    private final @Nullable KeyScope scope;
    private final Rows gathered = new Rows();
    private final Rows begun = new Rows();
    private final Set<Object> gone = new LinkedHashSet<>();
    private KeyWrites.@Nullable Removal removal;

    /** Those of the filter, once a write of this unit has begun. */
    private @Nullable KeyWrites writes;

    Keys(@Nullable KeyScope scope) {
      this.scope = scope;
    }

    boolean isKnown(Object key) {
      return begun.has(key) || gathered.has(key);
    }

    boolean add(Object key) {
      gone.remove(key);
      return !begun.added.contains(key) && gathered.added.add(key);
    }

    boolean change(Object key) {
      return !begun.has(key) && gathered.changed.add(key);
    }

    boolean gone(Object key) {
      if (begun.has(key)) {
        gone.add(key);
      }
      return false;
    }

    void begun(KeyWrites filter) {
      if (removal == null) {
        writes = filter;
        removal = filter.beginRemovalOfRows();
      }
      begun.added.addAll(gathered.added);
      begun.changed.addAll(gathered.changed);
      gathered.clear();
    }

    void end(End end) {
      KeyWrites.Removal begunRemoval = removal;
      if (begunRemoval != null) {
        if (end == End.COMMITTED && !gone.isEmpty()) {
          begunRemoval.gone(List.copyOf(gone));
        }
        begunRemoval.close();
      }
    }
  }
}
