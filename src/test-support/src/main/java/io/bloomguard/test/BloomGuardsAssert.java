package io.bloomguard.test;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.util.List;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about the answers of guards.
 *
 * <p>Each asks the filters as {@code BloomGuard.checkAll} does, and is counted as that. A message
 * names the position of a key, not the key.
 */
public final class BloomGuardsAssert extends AbstractAssert<BloomGuardsAssert, BloomGuards> {

  BloomGuardsAssert(BloomGuards actual) {
    super(actual, BloomGuardsAssert.class);
  }

  /**
   * Verifies that {@code filter} rejects each of the keys: it answers ABSENT.
   *
   * @param filter the name of a configured filter
   * @param keys strings, integral numbers, UUIDs or enum constants
   * @return these assertions
   */
  public BloomGuardsAssert rejects(String filter, Object... keys) {
    return answers(filter, "be rejected", answer -> answer == Membership.ABSENT, keys);
  }

  /**
   * Verifies that {@code filter} rejects none of the keys, because it has them or is unsure.
   *
   * @param filter the name of a configured filter
   * @param keys strings, integral numbers, UUIDs or enum constants
   * @return these assertions
   */
  public BloomGuardsAssert admits(String filter, Object... keys) {
    return answers(filter, "be admitted", answer -> answer != Membership.ABSENT, keys);
  }

  /**
   * Verifies that {@code filter} has each of the keys: it answers POSSIBLY_PRESENT.
   *
   * @param filter the name of a configured filter
   * @param keys strings, integral numbers, UUIDs or enum constants
   * @return these assertions
   */
  public BloomGuardsAssert has(String filter, Object... keys) {
    return answers(filter, "be known", answer -> answer == Membership.POSSIBLY_PRESENT, keys);
  }

  private BloomGuardsAssert answers(
      String filter, String expected, Predicate<Membership> isExpected, Object... keys) {
    isNotNull();
    List<Membership> answers = actual.guard(filter).checkAll(List.of(keys));
    for (int i = 0; i < keys.length; i++) {
      if (!isExpected.test(answers.get(i))) {
        failWithMessage(
            "Expecting key %d of %d to %s by filter '%s', but its answer is %s",
            i + 1, keys.length, expected, filter, answers.get(i));
      }
    }
    return this;
  }
}
