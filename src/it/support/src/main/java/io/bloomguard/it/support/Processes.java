package io.bloomguard.it.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The processes that tests have started; none outlives the tests. */
public final class Processes {

  private static final Set<Process> STARTED = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> STARTED.forEach(Process::destroyForcibly)));
  }

  private Processes() {}

  /** The folder for their files: {@code target/processes} of the project. */
  public static Path folder() throws IOException {
    return Files.createDirectories(Path.of("target", "processes").toAbsolutePath());
  }

  /** The program that starts a JVM like this one. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /**
   * The beginning of the command line of a JVM that lives as long as a test. A second compiler, and
   * the verification of what a compiler wrote, would take more than they give.
   */
  public static List<String> jvm(String... options) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(java(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
    command.addAll(List.of(options));
    return command;
  }

  /** Starts a process that runs in the folder of its log, to whose end its output goes. */
  public static Process start(Path log, List<String> command) throws IOException {
    return start(log, null, command);
  }

  /**
   * The same with a wall clock of its own.
   *
   * @param clock where it looks at the time; null for the machine's clock
   */
  public static Process start(Path log, WallClock clock, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(log.getParent().toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    if (clock != null) {
      builder.environment().putAll(clock.environment());
    }
    return start(builder);
  }

  public static Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    STARTED.add(process);
    return process;
  }

  /** Asks a process to end and, after 30 seconds, kills it; true if it ended by itself. */
  public static boolean end(Process process) {
    process.destroy();
    return awaitEnd(process);
  }

  /** Gives a process 30 seconds to end, and kills it then; true if it ended by itself. */
  static boolean awaitEnd(Process process) {
    try {
      if (process.waitFor(30, TimeUnit.SECONDS)) {
        STARTED.remove(process);
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    return false;
  }

  /** As {@code kill -9}; returns once it has ended. */
  public static void kill(Process process) throws InterruptedException {
    process.destroyForcibly();
    if (process.waitFor(10, TimeUnit.SECONDS)) {
      STARTED.remove(process);
    }
  }

  /** Sends {@code STOP} or {@code CONT}. */
  public static void signal(Process process, String signal)
      throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
    if (!kill.waitFor(5, TimeUnit.SECONDS) || kill.exitValue() != 0) {
      throw new IOException("kill -" + signal + " failed");
    }
  }

  /**
   * A port below those that the system hands out, so that no connection or server of another test
   * takes it while nothing listens to it.
   */
  public static int freePort() {
    for (int attempt = 1; ; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(10_000, 32_768);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        if (attempt == 100) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
