package io.bloomguard.bench.attack;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The shop of one contestant, a process with the class path of its module. */
final class ShopProcess implements AutoCloseable {

  private static final Path MODULES = Path.of("target", "it", "contestants");
  private static final Duration READY_WITHIN = Duration.ofSeconds(300);
  private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(20);

  /** What the page names, of the jars on a class path. */
  private static final Pattern VERSION =
      Pattern.compile("(spring-boot|jetcache-core|redisson)-(\\d[^/\\\\]*)\\.jar");

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(ANSWERS_WITHIN).build();
  private final Path log;
  private final int port;
  private final String classPath;
  private final Process process;

  ShopProcess(ShopContestant contestant, List<String> jvm, List<String> arguments)
      throws IOException, InterruptedException {
    Path target = MODULES.resolve(contestant.module()).resolve("target");
    Path file = target.resolve("class-path.txt");
    if (!Files.exists(file)) {
      throw new IllegalStateException("There is no " + file + ": run without -Dinvoker.skip");
    }
    classPath =
        target.resolve(contestant.module() + "-1.jar")
            + File.pathSeparator
            + Files.readString(file);
    port = Backends.freePort();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.addAll(List.of("-cp", classPath, "io.bloomguard.it.contestants.Shop"));
    command.add("--server.port=" + port);
    command.add("--spring.profiles.active=" + contestant.profiles());
    command.addAll(arguments);
    log = Files.createDirectories(Path.of("target", "attack")).resolve(logName(contestant));
    process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    // Does not outlive a benchmark that is stopped.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
  }

  private static String logName(ShopContestant contestant) {
    return contestant.name().replaceAll("\\W+", "-") + ".log";
  }

  /** Returns once it answers. */
  void awaitReady() throws IOException, InterruptedException {
    long began = System.nanoTime();
    while (true) {
      if (!process.isAlive() || System.nanoTime() - began > READY_WITHIN.toNanos()) {
        throw new IOException("The shop did not start: see " + log);
      }
      try {
        queries();
        return;
      } catch (IOException e) {
        Thread.sleep(100);
      }
    }
  }

  /** How often it has asked the database for a product. */
  long queries() throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/queries"))
            .timeout(ANSWERS_WITHIN)
            .build();
    return Long.parseLong(http.send(request, BodyHandlers.ofString()).body());
  }

  int port() {
    return port;
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  long micros() throws IOException {
    return ProcessTime.micros(process.pid());
  }

  /** Spring Boot's version, and that of the contestant's library. */
  String versions() {
    TreeMap<String, String> versions = new TreeMap<>();
    for (String jar : classPath.split(File.pathSeparator)) {
      Matcher version = VERSION.matcher(Path.of(jar).getFileName().toString());
      if (version.matches()) {
        versions.put(version.group(1).replace("-core", ""), version.group(2));
      }
    }
    return versions.entrySet().stream()
        .map(version -> version.getKey() + " " + version.getValue())
        .collect(Collectors.joining(", "));
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }
}
