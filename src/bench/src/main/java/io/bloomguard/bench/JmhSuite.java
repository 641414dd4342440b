package io.bloomguard.bench;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** One benchmark class, run by JMH: its methods are the contestants. */
final class JmhSuite {

  private static final String REFERENCE = "bloomguard";
  private static final TimeValue MOMENT = TimeValue.milliseconds(20);

  private final Class<?> benchmarks;
  private final String per;

  JmhSuite(Class<?> benchmarks) {
    this.benchmarks = benchmarks;
    Suite suite = benchmarks.getAnnotation(Suite.class);
    this.per = suite == null ? "" : suite.per();
  }

  /**
   * Runs all benchmarks of the class; in the short form within this process and hardly at all.
   *
   * @throws RunnerException if one of them throws
   */
  List<Map<String, Object>> run() throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(benchmarks.getName() + "."))
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true);
    if (!RedisBloom.isThere()) {
      System.out.println("RedisBloom is skipped: " + RedisBloom.WHY_NOT);
      options.exclude("[.]redisBloom");
    }
    if (BenchForm.isShort()) {
      options
          .forks(0)
          .warmupIterations(0)
          .measurementIterations(1)
          .measurementTime(MOMENT)
          .verbosity(VerboseMode.SILENT);
    }
    return rows(new Runner(options.build()).run());
  }

  /** Contestants in the same circumstances stand together, the one that is compared to first. */
  private List<Map<String, Object>> rows(Collection<RunResult> results) {
    Map<List<Object>, List<RunResult>> races = new LinkedHashMap<>();
    for (RunResult result : results) {
      races.computeIfAbsent(circumstances(result), c -> new ArrayList<>()).add(result);
    }
    List<Map<String, Object>> rows = new ArrayList<>();
    for (List<RunResult> race : races.values()) {
      race.sort(Comparator.comparing(result -> !isReference(result)));
      Double reference = isReference(race.get(0)) ? median(race.get(0)) : null;
      race.forEach(result -> rows.add(row(result, reference)));
    }
    return rows;
  }

  private Map<String, Object> row(RunResult result, Double reference) {
    Map<String, Object> row = new LinkedHashMap<>(parameters(result));
    double keys = per.isEmpty() ? 1 : Double.parseDouble(result.getParams().getParam(per));
    row.put("threads", result.getParams().getThreads());
    row.put("contestant", contestant(result));
    row.put("median", median(result) / keys);
    String unit = result.getPrimaryResult().getScoreUnit();
    row.put("unit", keys == 1 ? unit : unit.replace("/op", "/key"));
    if (reference != null) {
      boolean rate = result.getParams().getMode() == Mode.Throughput;
      double ratio = median(result) / reference;
      row.put("ratio", rate ? 1 / ratio : ratio);
    }
    result
        .getSecondaryResults()
        .forEach((label, secondary) -> allocation(row, label, secondary, keys));
    return row;
  }

  private void allocation(Map<String, Object> row, String label, Result<?> secondary, double keys) {
    if (label.endsWith("gc.alloc.rate.norm") && !Double.isNaN(secondary.getScore())) {
      row.put("bytes", secondary.getStatistics().getPercentile(50) / keys);
    }
  }

  /** The median of all iterations of all forks. */
  private static double median(RunResult result) {
    return result.getPrimaryResult().getStatistics().getPercentile(50);
  }

  private static boolean isReference(RunResult result) {
    return contestant(result).equals(REFERENCE);
  }

  private static String contestant(RunResult result) {
    String method = result.getParams().getBenchmark();
    return method.substring(method.lastIndexOf('.') + 1);
  }

  private static List<Object> circumstances(RunResult result) {
    return List.of(parameters(result), result.getParams().getThreads());
  }

  private static Map<String, String> parameters(RunResult result) {
    BenchmarkParams params = result.getParams();
    Map<String, String> values = new LinkedHashMap<>();
    params.getParamsKeys().forEach(name -> values.put(name, params.getParam(name)));
    return values;
  }
}
