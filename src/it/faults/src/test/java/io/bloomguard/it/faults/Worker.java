package io.bloomguard.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Wait;
import io.bloomguard.it.support.WallClock;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** One shop in a JVM of its own, which may be killed, stopped and started again. */
final class Worker implements AutoCloseable {

  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(60)).build();

  private final String name;
  private final String application;
  private final String classPath;
  private final List<String> arguments;
  private volatile List<String> settings = List.of();
  private final WallClock clock;
  private final AtomicLong numbers = new AtomicLong();
  private volatile Process process;
  private volatile Connection connection;

  /**
   * A worker that {@link #start} starts.
   *
   * @param overrides folders whose classes and scripts stand before the library's
   * @param clock its wall clock; null for the machine's
   */
  Worker(String name, List<Path> overrides, List<String> arguments, WallClock clock) {
    this("shop.ShopApplication", name, overrides, arguments, clock);
  }

  /**
   * @param application its class, in a package below the harness' own
   */
  Worker(
      String application,
      String name,
      List<Path> overrides,
      List<String> arguments,
      WallClock clock) {
    this.application = application;
    this.clock = clock;
    this.name = name;
    List<String> folders = new ArrayList<>();
    overrides.forEach(folder -> folders.add(folder.toString()));
    folders.add(System.getProperty("java.class.path"));
    this.classPath = String.join(File.pathSeparator, folders);
    this.arguments = List.copyOf(arguments);
  }

  /** What it is told besides its arguments from the next start on, and nothing of it before. */
  void settings(List<String> lines) {
    settings = List.copyOf(lines);
  }

  List<String> settings() {
    return settings;
  }

  String name() {
    return name;
  }

  /** Its wall clock, where the faults put clocks; else null. */
  WallClock clock() {
    return clock;
  }

  /** Starts the process; it is there once {@link #awaitStarted} returns. */
  void start() throws IOException {
    ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    door.setSoTimeout((int) TimeUnit.SECONDS.toMillis(180));
    List<String> command = Processes.jvm("-Xmx160m", "-Xshare:auto", "-cp", classPath);
    command.add("io.bloomguard.it.faults." + application);
    command.addAll(arguments);
    command.addAll(settings);
    command.add("--faults.harness=" + door.getLocalPort());
    command.add("--faults.shop=" + name);
    Path log = Processes.folder().resolve(name + ".log");
    process = Processes.start(log, clock, command);
    connection = new Connection(door);
  }

  void awaitStarted() throws Exception {
    Wait.upTo(180, name, () -> connection.opened.isDone() || !process.isAlive());
    if (!connection.opened.isDone()) {
      throw new IOException(name + " ended while it started; see its log");
    }
  }

  /**
   * Sends a command.
   *
   * @return its answer; fails when the process ends
   */
  CompletableFuture<String> send(String command) {
    return connection.send(numbers.incrementAndGet(), command);
  }

  /** Sends a command and waits for its answer. */
  String ask(String command) throws IOException, InterruptedException {
    return ask(command, Duration.ofSeconds(15));
  }

  String ask(String command, Duration atMost) throws IOException, InterruptedException {
    try {
      return send(command).get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(name + " did not answer", e);
    }
  }

  /** Asks for a rebuild over HTTP; the status of the answer. */
  CompletableFuture<Integer> requestRebuild(String filter) {
    return act(filter, "rebuild");
  }

  /** Asks for the end of a rebuild over HTTP; the status of the answer. */
  CompletableFuture<Integer> cancelRebuild(String filter) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(endpoint(filter) + "/rebuild"))
            .timeout(Duration.ofSeconds(90))
            .DELETE()
            .build();
    return HTTP.sendAsync(request, BodyHandlers.discarding()).thenApply(HttpResponse::statusCode);
  }

  /** Asks for an action over HTTP; the status of the answer. */
  CompletableFuture<Integer> act(String filter, String action) {
    HttpRequest request =
        HttpRequest.newBuilder(endpoint(filter))
            .timeout(Duration.ofSeconds(90))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"action\":\"" + action + "\"}"))
            .build();
    return HTTP.sendAsync(request, BodyHandlers.discarding()).thenApply(HttpResponse::statusCode);
  }

  /** What the endpoint says of a filter, as JSON. */
  String status(String filter) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(endpoint(filter)).timeout(Duration.ofSeconds(10)).build();
    return HTTP.send(request, BodyHandlers.ofString()).body();
  }

  private URI endpoint(String filter) {
    return URI.create(
        "http://127.0.0.1:" + connection.opened.join() + "/actuator/bloomfilters/" + filter);
  }

  void kill() throws InterruptedException {
    Processes.kill(process);
    connection.end(new IOException(name + " was killed"));
  }

  void stop() throws Exception {
    Processes.signal(process, "STOP");
  }

  void resume() throws Exception {
    Processes.signal(process, "CONT");
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void restart() throws Exception {
    kill();
    start();
    awaitStarted();
  }

  @Override
  public void close() throws InterruptedException {
    if (process != null) {
      kill();
    }
  }

  /** The line to one process; what waits on it fails with it. */
  private static final class Connection {

    /** The port of its web server. */
    final CompletableFuture<Integer> opened = new CompletableFuture<>();

    private final Map<Long, CompletableFuture<String>> waiting = new ConcurrentHashMap<>();
    private volatile PrintWriter out;
    private volatile IOException ended;

    Connection(ServerSocket door) {
      Thread thread = new Thread(() -> read(door), "worker-answers");
      thread.setDaemon(true);
      thread.start();
    }

    CompletableFuture<String> send(long number, String command) {
      PrintWriter to = out;
      if (to == null || ended != null) {
        return CompletableFuture.failedFuture(new IOException("not there"));
      }
      CompletableFuture<String> answer = new CompletableFuture<>();
      waiting.put(number, answer);
      synchronized (this) {
        to.println(number + " " + command);
      }
      if (ended != null) {
        answer.completeExceptionally(ended);
      }
      return answer;
    }

    private void read(ServerSocket door) {
      try (door;
          Socket socket = door.accept();
          BufferedReader in =
              new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
        socket.setTcpNoDelay(true);
        out = new PrintWriter(socket.getOutputStream(), true, UTF_8);
        opened.complete(Integer.valueOf(in.readLine().substring("hello ".length())));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          int space = line.indexOf(' ');
          CompletableFuture<String> answer = waiting.remove(Long.valueOf(line.substring(0, space)));
          if (answer != null) {
            answer.complete(line.substring(space + 1));
          }
        }
        end(new IOException("the process closed its connection"));
      } catch (IOException | RuntimeException e) {
        end(new IOException("the process is gone", e));
      }
    }

    void end(IOException why) {
      ended = why;
      opened.completeExceptionally(why);
      waiting.values().forEach(answer -> answer.completeExceptionally(why));
      waiting.clear();
    }
  }
}
