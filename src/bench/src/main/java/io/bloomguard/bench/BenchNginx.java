package io.bloomguard.bench;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An nginx of this machine, with one configuration. */
final class BenchNginx implements AutoCloseable {

  private static final Path ALONE = Path.of("src/it/gateway/src/test/resources/nginx-alone.conf");
  private static final long READY_WITHIN = TimeUnit.SECONDS.toNanos(20);

  private final Process process;

  /** Returns once it listens to the port. */
  BenchNginx(Path program, String name, String configuration, int port)
      throws IOException, InterruptedException {
    Path folder = Files.createDirectories(Path.of("target", "gateway", name).toAbsolutePath());
    Files.writeString(folder.resolve("nginx.conf"), configuration);
    Path alone =
        Files.writeString(
            folder.resolve("all.conf"),
            Files.readString(ALONE).replace("FOLDER", folder.toString()));
    process =
        new ProcessBuilder(program.toString(), "-e", "stderr", "-c", alone.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    // Does not outlive a benchmark that is stopped.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    awaitPort(port, folder);
  }

  /** The program, if it is on the path. */
  static Optional<Path> program() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(directory -> Path.of(directory, "nginx"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private void awaitPort(int port, Path folder) throws IOException, InterruptedException {
    long began = System.nanoTime();
    while (process.isAlive() && System.nanoTime() - began < READY_WITHIN) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException e) {
        Thread.sleep(10);
      }
    }
    throw new IOException("nginx did not start; see " + folder);
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  @Override
  public void close() {
    process.destroy();
  }
}
