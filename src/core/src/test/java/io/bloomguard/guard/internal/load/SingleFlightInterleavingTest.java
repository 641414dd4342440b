package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import io.bloomguard.race.Interleavings;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** At most one flight a key: who does not start one joins the one that was started last. */
@Tag("thorough")
@Tag("long")
class SingleFlightInterleavingTest {

  @Test
  void oneFlightAKeyInAnyOrder() {
    Interleavings.inAnyOrder().actorsPerThread(2).check(Flights.class);
  }

  @Test
  void oneFlightAKeyUnderLoad() {
    Interleavings.underLoad().check(Flights.class);
  }

  @Param(name = "key", gen = IntGen.class, conf = "1:2")
  @Param(name = "flight", gen = IntGen.class, conf = "0:2")
  public static class Flights {

    private final SingleFlight flights = new SingleFlight();
    private final List<Flight<String>> mine =
        List.of(new Flight<>(null), new Flight<>(null), new Flight<>(null));

    /** The flight that was joined, -1 if this one was started. */
    @Operation
    public int joinOrStart(@Param(name = "key") int key, @Param(name = "flight") int flight) {
      Flight<String> joined = flights.joinOrStart("key" + key, mine.get(flight));
      return joined == null ? -1 : mine.indexOf(joined);
    }

    @Operation
    public void end(@Param(name = "key") int key, @Param(name = "flight") int flight) {
      flights.end("key" + key, mine.get(flight));
    }

    @Operation
    public void forget(@Param(name = "key") int key) {
      flights.forget("key" + key);
    }
  }
}
