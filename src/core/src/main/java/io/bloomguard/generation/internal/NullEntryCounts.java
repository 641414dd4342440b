package io.bloomguard.generation.internal;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The null entries of a filter's false positives that this process stored, since its start. */
public final class NullEntryCounts {

  private final LongAdder fresh = new LongAdder();
  private final LongAdder repeated = new LongAdder();

  /**
   * Counts a null entry.
   *
   * @param again whether its key had one in the same generation; null for one that does not count
   */
  public void add(@Nullable Boolean again) {
    if (again != null) {
      (again ? repeated : fresh).increment();
    }
  }

  /** The number of those whose keys had one before, or had none. */
  public long of(boolean again) {
    return (again ? repeated : fresh).sum();
  }
}
