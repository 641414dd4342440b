package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.server.BloomguardServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The server as its own process, on a free port of the loopback. */
final class BenchServer implements AutoCloseable {

  private static final Pattern ADDRESS = Pattern.compile("Look at http://localhost:(\\d+)/");

  private static final List<String> PINNED = List.of("taskset", "-c", "0");

  private final @Nullable Path keys;
  private final Process process;
  private final int port;

  private BenchServer(@Nullable Path keys, Process process, int port) {
    this.keys = keys;
    this.process = process;
    this.port = port;
  }

  /** A server whose filter {@code keys} holds the present keys of a kind. */
  static BenchServer holding(Kind kind, int count) throws IOException {
    Path keys = Files.createTempFile("bloomguard-bench", ".txt");
    try (Writer file = Files.newBufferedWriter(keys)) {
      for (int i = 0; i < count; i++) {
        file.write(kind.key(BenchKeys.present(i)) + "\n");
      }
    }
    List<String> settings =
        List.of(
            "--bloomguard.filters.keys.expected-insertions=" + count,
            "--bloomguard.filters.keys.source.file.path=" + keys,
            "--bloomguard.filters.keys.warm-up.mode=blocking");
    return started(keys, command(classPath(), BloomguardServer.class, settings));
  }

  /**
   * A server with further parts, which its main class adds; where {@code taskset} can do so, on the
   * first processor alone.
   */
  static BenchServer apart(Class<?> main, List<String> settings) throws IOException {
    List<String> command = new ArrayList<>();
    if (canPin()) {
      command.addAll(PINNED);
    }
    command.addAll(command(System.getProperty("java.class.path"), main, settings));
    return started(null, command);
  }

  private static boolean canPin() {
    List<String> nothing = new ArrayList<>(PINNED);
    nothing.add("true");
    try {
      return Runtime.getRuntime().availableProcessors() > 1
          && new ProcessBuilder(nothing).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false; // no taskset
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static BenchServer started(@Nullable Path keys, List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new BenchServer(keys, process, port(process));
  }

  private static List<String> command(String classPath, Class<?> main, List<String> settings) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dbench.short=" + BenchForm.isShort());
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(List.of("--server.address=127.0.0.1", "--server.port=0"));
    command.addAll(settings);
    return command;
  }

  /** Without the benchmarks, whose logging is not the server's. */
  private static String classPath() {
    Path own =
        Path.of(
            URI.create(
                BenchServer.class.getProtectionDomain().getCodeSource().getLocation().toString()));
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !Path.of(entry).toAbsolutePath().equals(own))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /**
   * Reads what the server says until it says where it listens; the rest is thrown away. A server
   * that has not said so in two minutes is ended.
   */
  private static int port(Process process) throws IOException {
    StringBuilder log = new StringBuilder();
    AtomicBoolean listens = new AtomicBoolean();
    CompletableFuture.delayedExecutor(2, TimeUnit.MINUTES)
        .execute(
            () -> {
              if (!listens.get()) {
                process.destroy();
              }
            });
    BufferedReader output = process.inputReader();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      log.append(line).append('\n');
      Matcher address = ADDRESS.matcher(line);
      if (address.find()) {
        listens.set(true);
        Thread drain = new Thread(() -> drain(output), "server output");
        drain.setDaemon(true);
        drain.start();
        return Integer.parseInt(address.group(1));
      }
    }
    throw new IOException("The server ended:\n" + log);
  }

  private static void drain(BufferedReader output) {
    try {
      output.transferTo(Writer.nullWriter());
    } catch (IOException e) {
      // The server has ended.
    }
  }

  int port() {
    return port;
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** The processor time of its process. */
  double cpuNanos() {
    return process.info().totalCpuDuration().orElseThrow().toNanos();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor();
      if (keys != null) {
        Files.delete(keys);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
