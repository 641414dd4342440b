package io.bloomguard.it.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server from the executable jar that {@code it.server-jar} names, as its own process. */
public final class ServerProcess implements AutoCloseable {

  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
  private static final Pattern READY = Pattern.compile("Look at http://localhost:(\\d+)/");

  private final Process process;
  private final Path log;

  /** Starts a server with 256 MB of heap; it is there once it is asked for an address. */
  public ServerProcess(String name, List<String> arguments) throws IOException {
    this(Processes.folder().resolve(name + ".log"), List.of("-Xmx256m"), Map.of(), arguments);
  }

  /**
   * The same, started in the folder of its log.
   *
   * @param options of the JVM
   * @param environment variables besides those of this process
   */
  public ServerProcess(
      Path log, List<String> options, Map<String, String> environment, List<String> arguments)
      throws IOException {
    this.log = log;
    List<String> command = Processes.jvm(options.toArray(String[]::new));
    command.addAll(List.of("-jar", System.getProperty("it.server-jar")));
    command.addAll(List.of("--server.address=127.0.0.1", "--server.port=0"));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(log.getParent().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    process = Processes.start(builder);
  }

  /** The address for callers, once the server is ready. */
  public URI address() {
    int management = managementPort();
    Matcher port = PORT.matcher(output());
    while (port.find()) {
      if (Integer.parseInt(port.group(1)) != management) {
        return address(Integer.parseInt(port.group(1)));
      }
    }
    return address(management);
  }

  /** The address of its actuator and of its console, which may be that for callers. */
  public URI management() {
    return address(managementPort());
  }

  private int managementPort() {
    try {
      Wait.upTo(120, log.toString(), () -> !process.isAlive() || READY.matcher(output()).find());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    String output = output();
    Matcher ready = READY.matcher(output);
    if (!ready.find()) {
      throw new IllegalStateException("The server ended:\n" + output);
    }
    return Integer.parseInt(ready.group(1));
  }

  private String output() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URI address(int port) {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Ends it at once, as {@code kill -9} does. */
  public void kill() throws InterruptedException {
    Processes.kill(process);
  }

  /** Asks the server to end and, if it does not, kills it; true if it ended by itself. */
  public boolean end() {
    return Processes.end(process);
  }

  @Override
  public void close() {
    if (!end()) {
      throw new IllegalStateException("The server of " + log + " had to be killed");
    }
  }
}
