package io.bloomguard.test;

import io.bloomguard.guard.BloomGuards;

/** Assertions about guards, to be imported beside AssertJ's own. */
public final class BloomguardAssertions {

  private BloomguardAssertions() {}

  /** Begins an assertion such as {@code assertThat(guards).rejects("products", 9)}. */
  public static BloomGuardsAssert assertThat(BloomGuards actual) {
    return new BloomGuardsAssert(actual);
  }
}
