package io.bloomguard.it.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** What is done to processes that the harness started. */
final class Processes {

  private static final Set<Process> STARTED = ConcurrentHashMap.newKeySet();

  static {
    // Nothing outlives a harness that is itself ended.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> STARTED.forEach(Process::destroyForcibly)));
  }

  private Processes() {}

  /** Starts a process whose output goes to the end of a file. */
  static Process start(Path log, List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    STARTED.add(process);
    return process;
  }

  /** As {@code kill -9}; returns once it is gone. */
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

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
