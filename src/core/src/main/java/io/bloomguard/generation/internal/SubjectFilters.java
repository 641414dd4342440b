package io.bloomguard.generation.internal;

import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.guard.internal.SubjectStore;

/**
 * A store of filters by subject, from the view of operators: totals, and explanations of one
 * subject's keys.
 */
public interface SubjectFilters extends FilterStore, SubjectStore {

  /** {@return the totals of all subjects, from the last count and sample} Never throws. */
  SubjectTotals totals();

  /**
   * Explains the answer for a key in the filter of a subject. Never throws.
   *
   * @param subject the subject, by the rules of {@link io.bloomguard.guard.internal.Subjects}
   * @param key a canonical key
   * @return the explanation of the answer for that key
   */
  KeyExplanation explain(String subject, String key);
}
