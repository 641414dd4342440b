package io.bloomguard.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Runs the benchmarks and writes what they found: the whole of {@code mvn -Pbench verify}.
 *
 * <p>{@code -Dbench.only=<regex>} runs the classes whose simple name it finds a match in and keeps
 * what is known of the others. {@code -Dbench.short=true} sees that everything runs, and leaves the
 * kept results alone.
 */
public final class BenchmarkRun {

  private static final List<FigureTable> TABLES =
      List.of(new AccuracyTable(), new ContainerCostTable());

  private BenchmarkRun() {}

  public static void main(String[] args) throws Exception {
    if (BenchForm.isShort()) {
      // Another run beside this one spoils figures, of which there are none here.
      System.setProperty("jmh.ignoreLock", "true");
    }
    Pattern only = Pattern.compile(System.getProperty("bench.only", "."));
    Path directory = Path.of(BenchForm.isShort() ? "target/benchmarks" : "docs/benchmarks");
    Results results = Results.in(directory);
    for (FigureTable table : TABLES) {
      if (only.matcher(table.getClass().getSimpleName()).find()) {
        keep(results, table.getClass(), table.rows());
      }
    }
    for (Class<?> benchmarks : benchmarks()) {
      if (only.matcher(benchmarks.getSimpleName()).find()) {
        keep(results, benchmarks, new JmhSuite(benchmarks).run());
      }
    }
  }

  private static void keep(Results results, Class<?> suite, List<Map<String, Object>> rows)
      throws IOException {
    SuiteResult result =
        new SuiteResult(
            suite.getSimpleName(),
            "mvn -Pbench verify -Dbench.only=" + suite.getSimpleName(),
            Machine.here(),
            rows);
    // After each one, so that a run that is stopped has not run for nothing.
    results.keep(result);
    if (BenchForm.isShort()) {
      System.out.println(result.name() + ": " + rows.size() + " runs");
    } else {
      System.out.printf("%n%s%n%n%s", result.name(), TextTable.of(result));
    }
  }

  private static List<Class<?>> benchmarks() throws ClassNotFoundException, RunnerException {
    TreeSet<String> names = new TreeSet<>();
    for (BenchmarkListEntry entry : BenchmarkList.defaultList().getAll(null, List.of())) {
      names.add(entry.getUserClassQName());
    }
    List<Class<?>> classes = new ArrayList<>();
    for (String name : names) {
      classes.add(Class.forName(name));
    }
    return classes;
  }
}
