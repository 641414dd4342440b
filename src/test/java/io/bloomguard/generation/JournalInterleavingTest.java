package io.bloomguard.generation;

import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** What is read from a mark on is what was appended, in one order for all, trimmed or not. */
class JournalInterleavingTest {

  @Test
  void aMarkMissesNothingInAnyOrder() {
    new ModelCheckingOptions()
        .iterations(5)
        .invocationsPerIteration(100)
        .threads(3)
        .actorsPerThread(2)
        .check(Appends.class);
  }

  @Test
  void aMarkMissesNothingUnderLoad() {
    new StressOptions()
        .iterations(5)
        .invocationsPerIteration(100)
        .threads(3)
        .actorsPerThread(3)
        .check(Appends.class);
  }

  @Param(name = "key", gen = IntGen.class, conf = "1:9")
  public static class Appends {

    private static final long RETENTION = 10;

    private final Journal journal = new Journal(RETENTION);
    private final Journal.Mark mark = journal.mark(0);

    @Operation
    public void append(@Param(name = "key") int key) {
      journal.append(Integer.toString(key), 0);
    }

    @Operation
    public void trim() {
      journal.trim(RETENTION + 1);
    }

    @Operation
    public List<String> sinceTheMark() {
      List<String> keys = new ArrayList<>();
      mark.forEach(keys::add);
      return keys;
    }
  }
}
