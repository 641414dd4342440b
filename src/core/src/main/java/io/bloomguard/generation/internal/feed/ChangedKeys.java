package io.bloomguard.generation.internal.feed;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.internal.FeedRecord.OwnWrite;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a batch of changes, each once, whatever its spellings: those that rows have now, and
 * those whose rows changed or went.
 *
 * <p>Keys that break the rules are skipped: no caller can ask for them.
 */
final class ChangedKeys {

  private final KeyRules rules;
  private final Map<String, Row> rows = new LinkedHashMap<>();
  private boolean truncated;
  private long refused;
  private @Nullable InvalidKeyException firstRefusal;

  ChangedKeys(KeyRules rules, List<Change> changes) {
    this.rules = rules;
    changes.forEach(this::take);
  }

  private void take(Change change) {
    String by = change.transaction();
    Row before = row(change.before(), by);
    Row after = row(change.after(), by);
    switch (change.kind()) {
      case INSERT, PRESENT -> came(after);
      case UPDATE -> {
        if (change.before() != null && before != after) {
          went(before, by);
          came(after);
        }
      }
      case DELETE -> went(before, by);
      case TRUNCATE -> truncated = true;
    }
  }

  private static void came(@Nullable Row row) {
    if (row != null) {
      row.came = true;
    }
  }

  private static void went(@Nullable Row row, @Nullable String by) {
    if (row != null) {
      row.went = true;
      if (by != null) {
        row.deletions.add(by + ' ' + row.folded);
      }
    }
  }

  /** The row of a key; null for a key that no caller can ask for. */
  private @Nullable Row row(@Nullable Object key, @Nullable String transaction) {
    if (key == null) {
      return null;
    }
    try {
      String canonical = CanonicalKey.of(key);
      rules.require(canonical);
      String folded = rules.fold(canonical);
      Row row = rows.computeIfAbsent(folded, any -> new Row(canonical, folded));
      row.changed(transaction);
      return row;
    } catch (InvalidKeyException e) {
      refused++;
      firstRefusal = firstRefusal == null ? e : firstRefusal;
      return null;
    }
  }

  /**
   * Leaves out the keys all of whose changes are writes of this application.
   *
   * @param own finds those of some writes that are
   */
  void leaveOutOwn(UnaryOperator<Set<OwnWrite>> own) {
    Set<OwnWrite> known = new HashSet<>();
    rows.values().stream()
        .filter(row -> !row.unknown)
        .forEach(row -> row.transactions.forEach(by -> known.addAll(row.writes(by))));
    if (!known.isEmpty()) {
      Set<OwnWrite> ours = own.apply(known);
      rows.values().removeIf(row -> row.isOf(ours));
    }
  }

  /**
   * The keys that rows took, also if one went too: changes of two rows that share a key may come in
   * another order than they were made.
   */
  List<String> entered() {
    return keys(row -> row.came);
  }

  /** All other keys, whose entries alone are dropped. */
  List<String> others() {
    return keys(row -> !row.came);
  }

  /**
   * The keys of rows that went and did not come, but for those whose deletion was told before.
   *
   * @param told the deletions that were told; gets these
   */
  List<String> gone(Set<String> told) {
    return keys(
        row -> row.went && !row.came && (row.deletions.isEmpty() || told.addAll(row.deletions)));
  }

  private List<String> keys(Predicate<Row> which) {
    List<String> keys = new ArrayList<>();
    for (Row row : rows.values()) {
      if (which.test(row)) {
        keys.add(row.key);
      }
    }
    return keys;
  }

  boolean isTruncated() {
    return truncated;
  }

  /** The number of keys that broke the rules, with the first rule; null for none. */
  @Nullable String refusal() {
    return firstRefusal == null
        ? null
        : refused + " keys are refused, the first one thus: " + firstRefusal.getMessage();
  }

  /** What the batch tells of one key. */
  private static final class Row {

    private final String key;
    private final String folded;
    private boolean came;
    private boolean went;

    /** The transactions that changed it. */
    private final Set<String> transactions = new LinkedHashSet<>(2);

    /** Its deletions by transactions that are told. */
    private final Set<String> deletions = new HashSet<>(2);

    /** Whether it changed by an unknown transaction, too. */
    private boolean unknown;

    private Row(String key, String folded) {
      this.key = key;
      this.folded = folded;
    }

    void changed(@Nullable String by) {
      if (by == null) {
        unknown = true;
      } else {
        transactions.add(by);
      }
    }

    /** The writes that may be this change: a key that came is not in the filter by a mere drop. */
    List<OwnWrite> writes(String by) {
      OwnWrite add = new OwnWrite(by, folded, true);
      return came ? List.of(add) : List.of(add, new OwnWrite(by, folded, false));
    }

    boolean isOf(Set<OwnWrite> ours) {
      return !unknown
          && transactions.stream().allMatch(by -> writes(by).stream().anyMatch(ours::contains));
    }
  }
}
