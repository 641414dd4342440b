package io.bloomguard.bench;

import io.bloomguard.bench.attack.ServerPrograms;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Runs the benchmarks and writes what they found: the whole of {@code mvn -Pbench verify}.
 *
 * <p>{@code -Dbench.only=<regex>} runs the classes whose simple name it finds a match in and keeps
 * what is known of the others; where it finds none, the page is written from what is known. One
 * that throws fails the build, after the rest has run. {@code -Dbench.short=true} sees that
 * everything runs, and leaves the kept results alone.
 */
public final class BenchmarkRun {

  private static final List<Supplier<FigureTable>> TABLES =
      List.of(
          AttackTable::new,
          FarAttackTable::new,
          BotFloodTable::new,
          AccuracyTable::new,
          ContainerCostTable::new,
          RejectedRequestTable::new,
          GatewayTable::new,
          AsyncCheckTable::new,
          CopyWaitTable::new,
          IdleCopyTable::new,
          WakeUpTable::new,
          ChangesTable::new,
          SubjectTable::new,
          WalkTable::new,
          ClassicRateTable::new,
          ClassicSystemsTable::new);

  /** Of the short form, whose tables mostly wait for processes; what measures runs alone. */
  private static final int AT_ONCE = 3;

  private final Pattern only = Pattern.compile(System.getProperty("bench.only", "."));
  private final KeptResults results =
      KeptResults.in(Path.of(BenchForm.isShort() ? "target/benchmarks" : "docs/benchmarks"));
  private final Collection<String> failed = new ConcurrentLinkedQueue<>();

  private BenchmarkRun() {}

  public static void main(String[] args) throws Exception {
    if (BenchForm.isShort()) {
      // Another run beside this one spoils figures, of which there are none here.
      System.setProperty("jmh.ignoreLock", "true");
    }
    ServerPrograms.unpack();
    BenchmarkRun run = new BenchmarkRun();
    run.all();
    if (!run.failed.isEmpty()) {
      System.err.println("Failed: " + String.join(", ", run.failed));
    }
    // A benchmark that failed may have left threads behind, which must not keep this process.
    System.exit(run.failed.isEmpty() ? 0 : 1);
  }

  private void all() throws Exception {
    List<Callable<Void>> tasks = new ArrayList<>();
    for (Supplier<FigureTable> table : TABLES) {
      tasks.add(
          () -> {
            FigureTable figures = table.get();
            return run(figures.getClass(), figures::rows);
          });
    }
    tasks.add(
        () -> {
          for (Class<?> benchmarks : benchmarks()) {
            run(benchmarks, new JmhSuite(benchmarks)::run);
          }
          return null;
        });
    ExecutorService threads = Executors.newFixedThreadPool(BenchForm.size(1, AT_ONCE));
    try {
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
    } finally {
      threads.shutdownNow();
    }
    results.write();
    if (!BenchForm.isShort()) {
      results
          .of(AttackTable.class)
          .ifPresent(
              near ->
                  results.of(FarAttackTable.class).ifPresent(far -> ReadmeTable.write(near, far)));
    }
  }

  /** Runs one of them, if it is to be run; one that fails does not keep the others from theirs. */
  private Void run(Class<?> suite, Callable<List<Map<String, Object>>> figures) {
    String name = suite.getSimpleName();
    if (!only.matcher(name).find()) {
      return null;
    }
    long began = System.nanoTime();
    try {
      List<Map<String, Object>> rows = figures.call();
      SuiteResult result =
          new SuiteResult(name, "mvn -Pbench verify -Dbench.only=" + name, Machine.here(), rows);
      // After each one, so that a run that is stopped has not run for nothing.
      synchronized (results) {
        results.keep(result);
      }
      System.out.printf(
          "%n%s: %d rows in %d s%n",
          name, rows.size(), (System.nanoTime() - began) / 1_000_000_000);
      if (!BenchForm.isShort()) {
        System.out.println(TextTable.of(result));
      }
    } catch (Exception | LinkageError e) {
      failed.add(name);
      e.printStackTrace();
    }
    return null;
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
