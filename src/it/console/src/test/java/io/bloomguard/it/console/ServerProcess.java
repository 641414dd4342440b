package io.bloomguard.it.console;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
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

  private static final Pattern CONSOLE = Pattern.compile("Console at http://localhost:(\\d+)/");
  private static final Pattern MAIN = Pattern.compile("Tomcat started on port (\\d+)");

  private final Process process;
  private final Path log;

  ServerProcess(String name, String... arguments) throws IOException {
    Path logs = Files.createDirectories(Path.of(System.getProperty("it.server-logs")));
    log = logs.resolve(name + ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-jar");
    command.add(System.getProperty("it.server-jar"));
    command.add("--server.address=127.0.0.1");
    command.add("--server.port=0");
    command.addAll(List.of(arguments));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .directory(logs.toFile())
            .start();
  }

  /** The console's page, once the server has said that it is there. */
  URI page() {
    return await()
        .atMost(Duration.ofMinutes(5))
        .until(() -> address(CONSOLE, "/bloomguard/"), found -> found != null);
  }

  /** Posts to the main port, as a client does. */
  void post(String path, String json) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(address(MAIN, path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build();
    int status = HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
    if (status / 100 != 2) {
      throw new IllegalStateException("POST " + path + " is answered " + status);
    }
  }

  /** The first address that the log names so, or null. */
  private URI address(Pattern pattern, String path) throws IOException {
    String output = Files.readString(log);
    Matcher address = pattern.matcher(output);
    if (address.find()) {
      return URI.create("http://127.0.0.1:" + address.group(1) + path);
    }
    if (!process.isAlive()) {
      throw new IllegalStateException("The server ended:\n" + output);
    }
    return null;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (process.waitFor(30, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    throw new IllegalStateException("The server of " + log + " had to be killed");
  }
}
