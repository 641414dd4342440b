package io.bloomguard.it.realinput;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server from the executable jar, as its own process. */
final class ServerProcess implements AutoCloseable {

  private static final Pattern ADDRESS =
      Pattern.compile("Look at http://localhost:(\\d+)/actuator/bloomfilters");

  private final Process process;
  private final Path log;

  /** Starts a server whose output goes to {@code name}.log. */
  ServerProcess(String name, List<String> arguments) throws IOException {
    Path logs = Files.createDirectories(Path.of(System.getProperty("it.server-logs")));
    log = logs.resolve(name + ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-jar");
    command.add(System.getProperty("it.server-jar"));
    command.addAll(arguments);
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .directory(logs.toFile())
            .start();
  }

  /** Waits until the server has said where it listens. */
  FilterClient client() {
    int port = await().atMost(Duration.ofMinutes(2)).until(this::port, found -> found > 0);
    return new FilterClient(URI.create("http://127.0.0.1:" + port));
  }

  private int port() throws IOException {
    String output = Files.readString(log);
    Matcher address = ADDRESS.matcher(output);
    if (address.find()) {
      return Integer.parseInt(address.group(1));
    }
    if (!process.isAlive()) {
      throw new IllegalStateException("The server ended:\n" + output);
    }
    return 0;
  }

  /** Asks the server to end and, if it does not, ends it; true if it did. */
  boolean end() {
    process.destroy();
    try {
      if (process.waitFor(30, TimeUnit.SECONDS)) {
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    return false;
  }

  @Override
  public void close() {
    if (!end()) {
      throw new IllegalStateException("The server of " + log + " had to be killed");
    }
  }
}
