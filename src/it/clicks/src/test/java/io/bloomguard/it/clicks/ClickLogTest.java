package io.bloomguard.it.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.support.Form;
import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.ServerProcess;
import io.bloomguard.it.support.Wait;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The recipes of docs/deduplication.md, whatever fails. */
class ClickLogTest {

  /** In the short form too, each run of the counter passes its place often enough to end there. */
  private static final int CLICKS = Form.of(2_000, 5_000);

  private static final int PARTITIONS = 3;

  @TempDir private Path folder;
  private int started;

  /** The log has half the clicks twice, in any order and in several partitions. */
  private static List<String> log() {
    List<String> log = new ArrayList<>();
    IntStream.range(0, CLICKS).forEach(i -> log.add("click-" + i));
    IntStream.range(0, CLICKS / 2).forEach(i -> log.add("click-" + i));
    Collections.shuffle(log, new Random(42));
    return log;
  }

  /** A place at which a process or a task ends, while Redis is there or comes back. */
  private record Run(String place, boolean task) {}

  @ParameterizedTest
  @CsvSource({
    "check, before the check;before the commit;after the commit;between adds;after the batch, ''",
    "claim, before the add;after the add;after the write;after the batch,"
        + " before the add;after the add;after the write"
  })
  void everyClickIsCountedAndNoneTwice(String recipe, String processes, String tasks)
      throws Exception {
    List<Run> runs = new ArrayList<>();
    places(processes).forEach(place -> runs.add(new Run(place, false)));
    places(tasks).forEach(place -> runs.add(new Run(place, true)));
    runs.add(new Run("nowhere", true));
    List<String> log = log();
    try (RedisProcess redis = new RedisProcess("redis", "appendonly yes", "appendfsync always");
        Broker kafka = new Broker();
        ServerProcess server = new ServerProcess("server-" + recipe, settings(redis))) {
      kafka.topic("clicks", PARTITIONS);
      String address = server.address().toString();
      for (int i = 0; i < runs.size(); i++) {
        int from = i * log.size() / runs.size();
        int to = (i + 1) * log.size() / runs.size();
        kafka.send("clicks", PARTITIONS, log.subList(from, to));
        Run run = runs.get(i);
        Process counter = start(recipe, kafka, address, run);
        if (run.task()) {
          restart(redis, counter);
        }
        assertThat(status(counter)).as("%s", run).isEqualTo(run.task() ? 0 : Fault.MET);
      }
    }

    try (Table table = new Table(folder.resolve("table").toString())) {
      assertThat(table.number("select count(*) from clicks")).isEqualTo(CLICKS);
      assertThat(table.number("select count(distinct id) from clicks")).isEqualTo(CLICKS);
    }
  }

  private static List<String> places(String list) {
    return list.isEmpty() ? List.of() : List.of(list.split(";"));
  }

  /** Once the next batch has begun, Redis is killed and comes back with what it has written. */
  private void restart(RedisProcess redis, Process counter) throws Exception {
    Wait.upTo(120, "a batch", () -> !counter.isAlive() || log(started).contains("batch "));
    redis.kill();
    TimeUnit.MILLISECONDS.sleep(500);
    redis.start();
  }

  private String log(int run) throws Exception {
    return Files.readString(Processes.folder().resolve("counter-" + run + ".log"));
  }

  private static int status(Process process) throws Exception {
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }

  private static List<String> settings(RedisProcess redis) {
    List<String> settings = new ArrayList<>(redis.arguments());
    String clicks = "--bloomguard.filters.clicks.";
    settings.add("--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f");
    settings.add(clicks + "backend=redis");
    settings.add(clicks + "expected-insertions=100000");
    settings.add(clicks + "false-positive-probability=0.000001");
    settings.add(clicks + "source.added-only=true");
    return settings;
  }

  private Process start(String recipe, Broker kafka, String server, Run run) throws Exception {
    Path log = Processes.folder().resolve("counter-" + ++started + ".log");
    Files.deleteIfExists(log);
    List<String> command = Processes.jvm("-Xmx600m");
    command.addAll(List.of(System.getProperty("spark.opens").split(" ")));
    command.addAll(List.of("-Dfault=" + run.place(), "-Dfault.task=" + run.task()));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Counter.class.getName(), recipe, kafka.address(), server));
    command.add(folder.resolve("table").toString());
    command.add(folder.resolve("checkpoints").toString());
    return Processes.start(log, command);
  }
}
