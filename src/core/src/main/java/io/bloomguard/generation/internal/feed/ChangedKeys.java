package io.bloomguard.generation.internal.feed;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.Change;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
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
    switch (change.kind()) {
      case INSERT, PRESENT -> entered(change.after());
      case UPDATE -> updated(change.before(), change.after());
      case DELETE -> gone(change.before());
      case TRUNCATE -> truncated = true;
    }
  }

  private void updated(@Nullable Object before, @Nullable Object after) {
    Row row = row(after);
    if (before == null || row(before) == row) {
      return;
    }
    gone(before);
    entered(after);
  }

  private void entered(@Nullable Object key) {
    Row row = row(key);
    if (row != null) {
      row.came = true;
    }
  }

  private void gone(@Nullable Object key) {
    Row row = row(key);
    if (row != null) {
      row.went = true;
    }
  }

  /** The row of a key; null for a key that no caller can ask for. */
  private @Nullable Row row(@Nullable Object key) {
    if (key == null) {
      return null;
    }
    try {
      String canonical = CanonicalKey.of(key);
      rules.require(canonical);
      return rows.computeIfAbsent(rules.fold(canonical), any -> new Row(canonical));
    } catch (InvalidKeyException e) {
      refused++;
      firstRefusal = firstRefusal == null ? e : firstRefusal;
      return null;
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

  /** The keys of rows that went and did not come. */
  List<String> gone() {
    return keys(row -> row.went && !row.came);
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
    private boolean came;
    private boolean went;

    private Row(String key) {
      this.key = key;
    }
  }
}
