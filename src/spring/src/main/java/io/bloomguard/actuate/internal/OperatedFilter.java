package io.bloomguard.actuate.internal;

import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.Enforcement.Proof;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.GuardedFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One filter from both its sides, as an operator sees it.
 *
 * @param filter how it is filled
 * @param guarded how it is asked
 * @param cache the value cache of the filter's name, made where it is not there yet
 */
public record OperatedFilter(
    ManagedFilter filter, GuardedFilter guarded, Supplier<ValueCache> cache) {

  /**
   * Why it takes force to arm the filter: it rejects keys of which it is known that they exist.
   * Null if none is known.
   */
  public @Nullable String armRefusal() {
    Proof proof = filter.store().enforcement().proof();
    boolean repaired =
        filter.hasSource()
            ? proof.equals(Proof.NONE) || filter.status().generation() > proof.generation()
            : guarded.verification().hasProvenKeys();
    return repaired ? null : "It has rejected keys that exist, and still lacks them: " + remedy();
  }

  private String remedy() {
    return (filter.hasSource() ? "a rebuild has to come first" : "add the keys, then arm")
        + "; force to arm all the same";
  }

  /**
   * {@return the changes that an operator should make to the filter, in whole sentences; empty for
   * none}
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(filter.warnings());
    if (guarded.verification().isDisarmed()) {
      warnings.add("It is disarmed: it rejects nothing until it is rebuilt or armed");
    } else if (armRefusal() != null) {
      warnings.add(
          "It was armed again, not rebuilt, and still lacks keys that exist and that it has"
              + " rejected: "
              + (filter.hasSource() ? "rebuild it" : "add the keys"));
    }
    return warnings;
  }

  /** {@return the filter's name} */
  public String name() {
    return filter.name();
  }
}
