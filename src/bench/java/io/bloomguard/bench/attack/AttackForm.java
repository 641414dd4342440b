package io.bloomguard.bench.attack;

import java.util.List;

/**
 * How long everything takes.
 *
 * @param pinned whether the shop and the generator have a core each, and every contestant its turn
 * @param jvm of the shop
 * @param steps of five per cent in which the highest rate is looked for
 * @param commonRate requests a second that every contestant bears
 */
record AttackForm(
    boolean pinned,
    List<String> jvm,
    double warmUpSeconds,
    int steps,
    double stepSeconds,
    double highestSeconds,
    int commonRate,
    double commonSeconds) {

  static final AttackForm FULL =
      new AttackForm(
          true, List.of("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC"), 14, 16, 2.5, 8, 1_000, 10);

  /** Sees that all runs, in seconds; its figures mean nothing. */
  static final AttackForm SHORT =
      new AttackForm(
          false,
          List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
          0.5,
          1,
          0.5,
          1,
          100,
          1);
}
