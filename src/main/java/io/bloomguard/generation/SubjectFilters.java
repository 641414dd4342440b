package io.bloomguard.generation;

import io.bloomguard.guard.SubjectStore;

/** A store of filters by subject as operators see it: in sum, but for one subject's key. */
public interface SubjectFilters extends FilterStore, SubjectStore {

  /** All subjects together, as they were last counted and sampled. Never throws. */
  SubjectTotals totals();

  /** As {@link #explain(String)}, in the filter of a subject. Never throws. */
  KeyExplanation explain(String subject, String key);
}
