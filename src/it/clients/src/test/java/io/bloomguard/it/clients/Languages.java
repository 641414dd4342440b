package io.bloomguard.it.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Program;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The languages of the clients. A test is left out without its language or the packages of it, or
 * fails where {@code clients.required} says so.
 */
final class Languages {

  static final Path CLIENTS = Path.of(System.getProperty("it.clients"));

  private static Path typescript;

  private Languages() {}

  static Program program(String name, String debianPackage) {
    return Program.find(name)
        .orElseGet(
            () -> {
              missing(name + " is not on the path (Debian: apt-get install " + debianPackage + ")");
              throw new AssertionError();
            });
  }

  /**
   * A process of a program, yet to be started.
   *
   * @param packages of Debian that bring program and libraries
   * @param shows the arguments with which it ends well where the libraries are there
   */
  static ProcessBuilder process(
      Path program, String packages, List<String> shows, List<String> arguments)
      throws InterruptedException {
    try {
      Process shown = builder(program, shows).start();
      shown.getInputStream().transferTo(OutputStream.nullOutputStream());
      if (shown.waitFor() == 0) {
        return builder(program, arguments);
      }
    } catch (IOException e) {
      // There is no such program.
    }
    missing(
        program + " or a library of it is not there (Debian: apt-get install " + packages + ")");
    throw new AssertionError();
  }

  private static ProcessBuilder builder(Path program, List<String> arguments) throws IOException {
    ProcessBuilder builder = new Program(program).builder(CLIENTS, arguments);
    // Debian's libraries of Go are no modules.
    builder.environment().put("GO111MODULE", "off");
    builder.environment().put("GOPATH", "/usr/share/gocode");
    builder.environment().put("GOCACHE", Processes.folder().resolve("go").toString());
    return builder;
  }

  /** A copy of what is written in TypeScript, compiled. */
  static synchronized Path typescript() throws IOException, InterruptedException {
    if (typescript == null) {
      program("node", "nodejs");
      Path work = Path.of(System.getProperty("it.work"), "typescript").toAbsolutePath();
      copy(CLIENTS.resolve("typescript"), work);
      Program npm = program("npm", "npm");
      Program.Ended installed = npm.run(work, "ci", "--no-audit", "--no-fund");
      if (installed.status() != 0) {
        missing(
            "npm could not install the compiler of TypeScript and the driver of PostgreSQL:\n"
                + installed.output());
      }
      Program.Ended built = npm.run(work, "run", "build");
      assertThat(built.status()).as(built.output()).isZero();
      typescript = work;
    }
    return typescript;
  }

  /** Sources and lock file alone: what was built or installed there is not the commit's. */
  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path name = from.relativize(file);
        if (!name.startsWith("node_modules") && !name.startsWith("build")) {
          Files.createDirectories(to.resolve(name).getParent());
          Files.write(to.resolve(name), Files.readAllBytes(file));
        }
      }
    }
  }

  private static void missing(String what) {
    System.out.println("RESULT left out: " + what);
    if (Boolean.getBoolean("clients.required")) {
      fail(what);
    }
    abort(what);
  }
}
