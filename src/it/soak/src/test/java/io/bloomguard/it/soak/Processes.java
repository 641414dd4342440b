package io.bloomguard.it.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The processes that the soak has started; none outlives it. */
final class Processes {

  private static final Set<Process> STARTED = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> STARTED.forEach(Process::destroyForcibly)));
  }

  private Processes() {}

  /** Where they keep their files. */
  static Path folder() throws IOException {
    return Files.createDirectories(
        Path.of(System.getProperty("soak.folder", "target/soak")).toAbsolutePath());
  }

  /** Starts a process whose output goes to the end of a file. */
  static Process start(Path log, List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .directory(folder().toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    STARTED.add(process);
    return process;
  }

  /** As {@code kill -9}; returns once it has ended. */
  static void kill(Process process) throws InterruptedException {
    process.destroyForcibly();
    if (process.waitFor(10, TimeUnit.SECONDS)) {
      STARTED.remove(process);
    }
  }

  /** Sends {@code STOP} or {@code CONT}. */
  static void signal(Process process, String signal) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
    if (!kill.waitFor(5, TimeUnit.SECONDS) || kill.exitValue() != 0) {
      throw new IOException("kill -" + signal + " failed");
    }
  }
}
