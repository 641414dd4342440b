package io.bloomguard.bench.attack;

import java.util.List;

/**
 * How long everything takes.
 *
 * @param pinned whether the shop and the generator have a core each, and every contestant its turn
 * @param jvm of the shop
 * @param rushSeconds of the warm-up without a pause, on both cores and once more on one: the
 *     compiler is done after some 250,000 requests
 * @param calmSeconds of the warm-up at the common rate, which leave time to the compiler
 * @param capacitySeconds in which a closed loop shows about what rate is borne
 * @param steps of five per cent in which the highest rate is looked for
 * @param commonRate requests a second that every contestant bears
 */
record AttackForm(
    boolean pinned,
    List<String> jvm,
    double rushSeconds,
    double calmSeconds,
    double capacitySeconds,
    int steps,
    double stepSeconds,
    double highestSeconds,
    int commonRate,
    double commonSeconds) {

  static final AttackForm FULL =
      new AttackForm(
          true,
          List.of("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1"),
          14,
          4,
          2,
          16,
          2,
          6,
          1_000,
          8);

  /** Sees that all runs, in seconds; its figures mean nothing. */
  static final AttackForm SHORT =
      new AttackForm(
          false,
          List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
          0.4,
          0.2,
          0.3,
          1,
          0.5,
          1,
          100,
          1);
}
