package io.bloomguard.guard.internal;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import java.util.Set;

/** The guards that code of the application calls. */
record ApplicationGuards(EntryGuards entries) implements BloomGuards {

  @Override
  public Set<String> filters() {
    return entries.filters();
  }

  @Override
  public BloomGuard<Object> guard(String filter) {
    return entries.guard(filter);
  }

  @Override
  public <V> BloomGuard<V> guard(String filter, Class<V> type) {
    return entries.guard(filter, type);
  }

  @Override
  public BloomGuard<Object> guard(String filter, String subject) {
    return entries.guard(filter, subject);
  }
}
