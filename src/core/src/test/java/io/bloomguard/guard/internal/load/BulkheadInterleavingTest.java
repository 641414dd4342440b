package io.bloomguard.guard.internal.load;

import io.bloomguard.race.Interleavings;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No place is lost or held twice, and the longest waiter comes next, in any order of steps. */
@Tag("thorough")
@Tag("long")
class BulkheadInterleavingTest {

  @Test
  void inAnyOrder() {
    Interleavings.inAnyOrder().actorsPerThread(3).check(TwoPlaces.class);
  }

  @Test
  void underLoad() {
    Interleavings.underLoad().actorsPerThread(4).check(TwoPlaces.class);
  }

  /** Two places, one of which is held, and three callers: two of them work in it. */
  public static class TwoPlaces {

    private final LoadThreads none = new LoadThreads(1, 1);
    private final Bulkhead bulkhead = new Bulkhead(2, 10, none);
    private final Place outer = bulkhead.enter(null, 0, false).join();
    private final Caller beside = new Caller(null);
    private final Caller within = new Caller(outer);
    private final Caller alsoWithin = new Caller(outer);

    @Operation(nonParallelGroup = "beside")
    public boolean besideEnters() {
      return beside.enters();
    }

    @Operation(nonParallelGroup = "beside")
    public boolean besideIsIn() {
      return beside.isIn();
    }

    @Operation(nonParallelGroup = "beside")
    public boolean besideLeaves() {
      return beside.leaves();
    }

    @Operation(nonParallelGroup = "within")
    public boolean withinEnters() {
      return within.enters();
    }

    @Operation(nonParallelGroup = "within")
    public boolean withinLeaves() {
      return within.leaves();
    }

    @Operation(nonParallelGroup = "alsoWithin")
    public boolean alsoWithinEnters() {
      return alsoWithin.enters();
    }

    @Operation(nonParallelGroup = "alsoWithin")
    public boolean alsoWithinIsIn() {
      return alsoWithin.isIn();
    }

    @Operation(nonParallelGroup = "alsoWithin")
    public boolean alsoWithinLeaves() {
      return alsoWithin.leaves();
    }

    @Operation
    public void outerCloses() {
      outer.close();
    }

    /** One that waits in no thread. */
    private final class Caller {

      private final @Nullable Place around;
      private @Nullable CompletableFuture<Place> entering;

      Caller(@Nullable Place around) {
        this.around = around;
      }

      boolean enters() {
        if (entering == null) {
          entering = bulkhead.queue(around, Long.MAX_VALUE, Runnable::run);
        }
        return isIn();
      }

      boolean isIn() {
        return entering != null && entering.isDone();
      }

      /** Gives its place back, or waits no longer: whether it did wait. */
      boolean leaves() {
        if (entering == null) {
          return false;
        }
        CompletableFuture<Place> mine = Objects.requireNonNull(entering);
        entering = null;
        boolean waited = mine.cancel(false);
        if (!waited) {
          mine.join().close();
        }
        return waited;
      }
    }
  }
}
