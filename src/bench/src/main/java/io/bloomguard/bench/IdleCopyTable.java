package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.Membership;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** The price of copies while no key is added: commands, bytes, heap. */
@Suite(
    order = 46,
    title = "A copy without work",
    brief =
        """
        For each copy and second, of a filter of a million keys to which none is added. In the last row it answers 1,000 checks a second for absent keys.
        """,
    columns = {"copies", "scripts", "commands", "bytesIn", "bytesOut", "redisMicros"},
    text =
        """
        Copies of a filter of a million keys at 1 %, with leases of a second, while no key is added. All figures are for each copy and second. `scripts` are
        the commands that it sends, `commands` those inside of them too. `bytesIn` and `bytesOut` are of Redis' connections to the copies,
        `replicationBytes` what a replica gets, `fileBytes` what the append-only file grows by. `redisMicros` is Redis' processor time. `heapBytes` is what a copy takes of
        the heap, its connections included, `imageBytes` the bits.

        In the last row the copy answers 1,000 checks a second for absent keys; `commandsPerRejected` are all commands over the keys that it rejected.
        """)
final class IdleCopyTable implements FigureTable {

  private static final int KEYS = BenchForm.size(1_000_000, 2_000);
  private static final int[] COPIES = BenchForm.isShort() ? new int[] {2} : new int[] {1, 10, 50};
  private static final long MILLIS = BenchForm.size(6_000, 100);
  private static final String COMMANDS =
      "cmdstat_(?!info|ping|psync|replconf|config|hello|client|select)[^:]+:calls=([0-9]+)";

  private final FilterShape shape = Sizing.blocked(KEYS, BenchRedis.P, 1);
  private final List<Map<String, Object>> rows = new ArrayList<>();

  @Override
  public List<Map<String, Object>> rows() {
    try {
      Path directory = Files.createTempDirectory("bloomguard-bench");
      try (BenchRedis redis = BenchRedis.durable(directory)) {
        rows(redis);
      }
      delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  private void rows(BenchRedis redis) {
    GenerationStore filled = redis.bloomguard("products", shape);
    BenchRedis.fill(filled, shape, KEYS);
    for (int copies : COPIES) {
      try (CopyProcess process = CopyProcess.start(redis.port(), "products", KEYS, copies)) {
        BenchRedis.awaitRegistered(redis.connections(), "products", copies);
        Map<String, Object> row =
            row(redis, copies, () -> LockSupport.parkNanos(MILLIS * 1_000_000));
        if (copies > 1) {
          row.put("heapBytes", process.bytesOfCopy());
          row.put("imageBytes", shape.sizeBytes());
        }
      }
    }
    rejecting(redis);
    filled.close();
  }

  private void rejecting(BenchRedis redis) {
    GenerationStore store =
        BenchRedis.bloomguard(redis.connections(), "products", shape, BenchRedis.COPY);
    store.status();
    BenchRedis.awaitRegistered(redis.connections(), "products", 1);
    long[] rejected = new long[1];
    Map<String, Object> row =
        row(
            redis,
            1,
            () -> {
              long began = System.nanoTime();
              for (long i = 0; i < MILLIS; i++) {
                if (store.check(Kind.IDS.key(BenchKeys.absent(i))) == Membership.ABSENT) {
                  rejected[0]++;
                }
                LockSupport.parkNanos(began + (i + 1) * 1_000_000 - System.nanoTime());
              }
            });
    row.put("commandsPerRejected", (double) row.get("commands") * MILLIS / 1e3 / rejected[0]);
    store.close();
  }

  private Map<String, Object> row(BenchRedis redis, int copies, Runnable meanwhile) {
    String[] names = {
      "scripts", "commands", "bytesIn", "bytesOut", "replicationBytes", "fileBytes", "redisMicros"
    };
    String before = redis.info();
    long began = System.nanoTime();
    meanwhile.run();
    double[] grown = figures(redis.info());
    double seconds = (System.nanoTime() - began) / 1e9;
    double[] from = figures(before);
    for (int i = 0; i < grown.length; i++) {
      grown[i] -= from[i];
    }
    grown[3] -= before.length(); // the answer to that question
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("copies", copies);
    for (int i = 0; i < names.length; i++) {
      row.put(names[i], grown[i] / seconds / copies);
    }
    rows.add(row);
    System.out.println(row);
    return row;
  }

  private static double[] figures(String info) {
    return new double[] {
      BenchRedis.sum(info, "cmdstat_evalsha:calls=([0-9]+)"),
      BenchRedis.sum(info, COMMANDS),
      BenchRedis.sum(info, "total_net_input_bytes:([0-9]+)")
          - BenchRedis.sum(info, "total_net_repl_input_bytes:([0-9]+)"),
      BenchRedis.sum(info, "total_net_output_bytes:([0-9]+)")
          - BenchRedis.sum(info, "total_net_repl_output_bytes:([0-9]+)"),
      BenchRedis.sum(info, "master_repl_offset:([0-9]+)"),
      BenchRedis.sum(info, "aof_current_size:([0-9]+)"),
      1e6 * BenchRedis.sum(info, "used_cpu_(?:sys|user):([0-9.]+)")
    };
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      files.sorted((one, other) -> other.compareTo(one)).forEach(file -> file.toFile().delete());
    }
  }
}
