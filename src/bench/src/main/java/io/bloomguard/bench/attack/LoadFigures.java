package io.bloomguard.bench.attack;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * What one load found; a line of numbers between the generator and the benchmark.
 *
 * @param offered requests that were due, inserts not counted; of a flood those of users alone
 * @param answered those that were answered
 * @param nanos from the first request to the last answer
 * @param p50 the median of the latency in nanoseconds, from the moment that a request was due
 * @param lateness the 99th percentile of the nanoseconds by which the generator noticed late that a
 *     request was due
 * @param falseAbsent answers 404 for an id that was there
 * @param errors other wrong answers, as a 503
 * @param inTime right answers to users, not bots, within the bound of a rate that is borne
 */
public record LoadFigures(
    long offered,
    long answered,
    long nanos,
    long p50,
    long p99,
    long p999,
    long lateness,
    long falseAbsent,
    long errors,
    long inTime) {

  /** Answers a second. */
  public double rate() {
    return answered * 1e9 / nanos;
  }

  String line() {
    return LongStream.of(
            offered, answered, nanos, p50, p99, p999, lateness, falseAbsent, errors, inTime)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(" "));
  }

  static LoadFigures parse(String line) {
    long[] n = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    return new LoadFigures(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9]);
  }
}
