package io.bloomguard.test;

import io.bloomguard.guard.BloomGuards;

/** Assertions about guards, to be imported beside AssertJ's own. */
public final class BloomguardAssertions {

  private BloomguardAssertions() {}

  /**
   * Begins an assertion such as {@code assertThat(guards).rejects("products", 9)}.
   *
   * @param actual the guards of the application under test
   * @return assertions about the answers of its filters
   */
  public static BloomGuardsAssert assertThat(BloomGuards actual) {
    return new BloomGuardsAssert(actual);
  }
}
