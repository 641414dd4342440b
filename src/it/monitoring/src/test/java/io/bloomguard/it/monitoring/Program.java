package io.bloomguard.it.monitoring;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A program of this machine that Maven does not bring. */
final class Program {

  private final Path file;

  private Program(Path file) {
    this.file = file;
  }

  /**
   * The program of that name on the path. Without it the test is left out, or fails where {@code
   * monitoring.required} says so.
   */
  static Program require(String name, String debianPackage) {
    Optional<Path> found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .map(directory -> Path.of(directory, name))
            .filter(Files::isExecutable)
            .findFirst();
    if (found.isEmpty()) {
      missing(name + " is not on the path (Debian: apt-get install " + debianPackage + ")");
    }
    return new Program(found.orElseThrow());
  }

  /** Says what is missing, and leaves the test out or fails it. */
  static void missing(String what) {
    System.out.println("RESULT left out: " + what);
    if (Boolean.getBoolean("monitoring.required")) {
      fail(what);
    }
    abort(what);
  }

  Ended run(Path directory, String... arguments) throws IOException, InterruptedException {
    Process process = start(directory, List.of(arguments)).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }

  ProcessBuilder start(Path directory, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(file.toString());
    command.addAll(arguments);
    return new ProcessBuilder(command).directory(directory.toFile());
  }

  /** Ends a process in order. */
  static void end(Process process) {
    process.destroy();
    try {
      if (process.waitFor(30, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    throw new IllegalStateException("Had to be killed: " + process.info().command());
  }

  record Ended(int status, String output) {}
}
