package io.bloomguard.race;

import io.bloomguard.filter.TestForm;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/** What interleaving tests ask of Lincheck, where they say nothing else. */
public final class Interleavings {

  /** Of a race that is seeded, any failure will do: to look for the shortest takes long. */
  private static final boolean SHORTEST = !Boolean.getBoolean("race.seeded");

  private Interleavings() {}

  public static StressOptions underLoad() {
    return new StressOptions()
        .iterations(TestForm.of(1, 5))
        .invocationsPerIteration(100)
        .threads(3)
        .actorsPerThread(3)
        .minimizeFailedScenario(SHORTEST);
  }

  public static ModelCheckingOptions inAnyOrder() {
    return new ModelCheckingOptions()
        .iterations(TestForm.of(1, 5))
        .invocationsPerIteration(100)
        .threads(3)
        .minimizeFailedScenario(SHORTEST);
  }
}
