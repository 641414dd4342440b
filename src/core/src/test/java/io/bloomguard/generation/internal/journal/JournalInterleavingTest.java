package io.bloomguard.generation.internal.journal;

import io.bloomguard.filter.TestForm;
import io.bloomguard.race.Interleavings;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What was appended is read by whoever holds the journal, swept or not. */
@Tag("thorough")
@Tag("long")
class JournalInterleavingTest {

  @Test
  void aHoldMissesNothingInAnyOrder() {
    Interleavings.inAnyOrder()
        .loopBound(1_000) // a hold reads each of 256 segments
        .iterations(TestForm.of(2, 20))
        .invocationsPerIteration(200)
        .threads(2)
        .actorsBefore(0)
        .actorsPerThread(1)
        .actorsAfter(1)
        .check(Appends.class);
  }

  @Test
  void aHoldMissesNothingUnderLoad() {
    Interleavings.underLoad().check(Appends.class);
  }

  @Param(name = "key", gen = IntGen.class, conf = "1:9")
  public static class Appends {

    private static final long RETENTION = 10;

    private final AtomicLong clock = new AtomicLong();
    private final Journal journal =
        new Journal(
            "appends",
            1,
            Duration.ofNanos(RETENTION),
            clock::get,
            JournalMemory.ofAll("all", 1 << 20));
    private final Journal.Hold hold = journal.hold();

    @Operation
    public void append(@Param(name = "key") int key) {
      journal.append(key);
    }

    @Operation
    public void sweep() {
      clock.addAndGet(RETENTION + 1);
      journal.sweep();
    }

    @Operation
    public boolean holds(@Param(name = "key") int key) {
      AtomicBoolean found = new AtomicBoolean();
      hold.forEach(
          (hashes, count) -> {
            for (int i = 0; i < count; i++) {
              if (hashes[i] == key) {
                found.set(true);
              }
            }
          });
      return found.get();
    }
  }
}
