package io.bloomguard.guard.internal.load;

import io.bloomguard.filter.TestForm;
import java.util.List;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No place is lost or held twice, and the longest waiter comes next, in any order of steps. */
@Tag("thorough")
@Tag("long")
class PlaceQueueInterleavingTest {

  @Test
  void inAnyOrder() {
    new ModelCheckingOptions()
        .iterations(TestForm.of(1, 5))
        .invocationsPerIteration(100)
        .threads(3)
        .actorsPerThread(3)
        .check(TwoPlaces.class);
  }

  @Test
  void underLoad() {
    new StressOptions()
        .iterations(TestForm.of(1, 5))
        .invocationsPerIteration(100)
        .threads(3)
        .actorsPerThread(4)
        .check(TwoPlaces.class);
  }

  @Param(name = "caller", gen = IntGen.class, conf = "0:3")
  public static class TwoPlaces {

    private final PlaceQueue places = new PlaceQueue(2, () -> {});
    private final List<PlaceQueue.Waiter> callers =
        Stream.generate(TwoPlaces::caller).limit(4).toList();

    private static PlaceQueue.Waiter caller() {
      return new PlaceQueue.Waiter() {
        @Override
        public boolean granted(PlaceQueue queue) {
          // Who comes next shows in who can still leave.
          return true;
        }
      };
    }

    @Operation
    public boolean tryTake() {
      return places.tryTake();
    }

    @Operation
    public boolean join(@Param(name = "caller") int caller) {
      return places.join(callers.get(caller));
    }

    /** Waits no longer: whether it did. */
    @Operation
    public boolean leave(@Param(name = "caller") int caller) {
      return places.leave(callers.get(caller));
    }

    @Operation
    public void giveBack() {
      places.giveBack();
    }

    @Operation
    public void close() {
      places.close();
    }
  }
}
