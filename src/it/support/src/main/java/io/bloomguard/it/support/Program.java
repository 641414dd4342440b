package io.bloomguard.it.support;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A program of this machine that Maven does not bring.
 *
 * @param file its executable
 */
public record Program(Path file) {

  /** The program of that name on the path. */
  public static Optional<Program> find(String name) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst()
        .map(Program::new);
  }

  /** Runs it to its end. */
  public Ended run(Path directory, String... arguments) throws IOException, InterruptedException {
    Process process = builder(directory, List.of(arguments)).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }

  /** A process of it, yet to be started, whose errors are among its output. */
  public ProcessBuilder builder(Path directory, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(file.toString());
    command.addAll(arguments);
    return new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
  }

  /** What a program left. */
  public record Ended(int status, String output) {}
}
