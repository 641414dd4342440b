package io.bloomguard.it.monitoring;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server from the executable jar, with its demo catalogue. */
final class ServerProcess implements AutoCloseable {

  private static final Pattern ADDRESS =
      Pattern.compile("Look at http://localhost:(\\d+)/actuator/bloomfilters");

  private final Process process;
  private final Path log;
  private final URI address;

  ServerProcess(Path work, List<String> arguments) throws IOException {
    log = work.resolve("server.log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-jar");
    command.add(System.getProperty("it.server-jar"));
    command.add("--server.port=0");
    command.add("--server.address=127.0.0.1");
    command.addAll(arguments);
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .directory(work.toFile())
            .start();
    try {
      int port = await().atMost(Duration.ofMinutes(4)).until(this::port, found -> found > 0);
      address = URI.create("http://127.0.0.1:" + port);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private int port() throws IOException {
    String output = Files.readString(log);
    Matcher found = ADDRESS.matcher(output);
    if (found.find()) {
      return Integer.parseInt(found.group(1));
    }
    if (!process.isAlive()) {
      throw new IllegalStateException("The server ended:\n" + output);
    }
    return 0;
  }

  URI address() {
    return address;
  }

  @Override
  public void close() {
    Program.end(process);
  }
}
