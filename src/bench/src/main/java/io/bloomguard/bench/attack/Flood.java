package io.bloomguard.bench.attack;

import java.util.Arrays;

/**
 * A flood of bots in the traffic of users, by seconds.
 *
 * @param rate requests a second, of which {@link KeyMix} gives 89 in a hundred to the bots
 * @param seconds that it takes
 * @param botsFrom the second at which the bots come
 * @param botsTo the second at which they leave
 * @param interval between figures
 */
record Flood(int rate, int seconds, int botsFrom, int botsTo, int interval) {

  static final String ORDER = "flood";

  static final Flood FULL = new Flood(11_110, 300, 30, 270, 5);

  /** Sees that all runs, in seconds; its figures mean nothing. */
  static final Flood SHORT = new Flood(100, 3, 1, 2, 1);

  /** Whether the bots are there when the n-th request is due. */
  boolean hasBots(long n) {
    return n >= (long) rate * botsFrom && n < (long) rate * botsTo;
  }

  /** What the generator reads. */
  String order() {
    return "%s %d %d %d %d %d".formatted(ORDER, rate, seconds, botsFrom, botsTo, interval);
  }

  static Flood parse(String[] order) {
    int[] n = Arrays.stream(order).skip(1).mapToInt(Integer::parseInt).toArray();
    return new Flood(n[0], n[1], n[2], n[3], n[4]);
  }
}
