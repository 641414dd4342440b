package io.bloomguard.bench.attack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The processor time of processes, as Linux counts it: user and system, in hundredths of a second.
 */
public final class ProcessTime {

  private static final long MICROS_A_TICK = 10_000;

  // Fields of /proc/PID/stat, counted from the one behind the command's name.
  private static final int USER = 11;
  private static final int CHILDREN_SYSTEM = 14;

  private ProcessTime() {}

  /** Microseconds of a process with all its threads, and of its children that have ended. */
  public static long micros(long pid) throws IOException {
    String stat;
    try {
      stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    } catch (NoSuchFileException e) {
      return 0;
    }
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    long ticks = 0;
    for (int i = USER; i <= CHILDREN_SYSTEM; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return ticks * MICROS_A_TICK;
  }

  /** The same of a process and of its children that run. */
  static long microsOfTree(ProcessHandle process) throws IOException {
    long micros = micros(process.pid());
    for (ProcessHandle child : process.children().toList()) {
      micros += micros(child.pid());
    }
    return micros;
  }

  /** Ties a process with all its threads to one core; later threads and processes inherit that. */
  public static void pin(ProcessHandle process, int core) throws IOException, InterruptedException {
    Process taskset =
        new ProcessBuilder(
                "taskset", "-a", "-c", "-p", Integer.toString(core), Long.toString(process.pid()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!taskset.waitFor(10, TimeUnit.SECONDS) || taskset.exitValue() != 0) {
      throw new IOException("taskset failed");
    }
    for (ProcessHandle child : process.children().toList()) {
      pin(child, core);
    }
  }
}
