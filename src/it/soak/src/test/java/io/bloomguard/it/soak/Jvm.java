package io.bloomguard.it.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import com.sun.tools.attach.VirtualMachine;
import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** One process with Bloomguard: asked over HTTP, and looked into over JMX. */
final class Jvm implements AutoCloseable {

  /** Longer than anything that a call may wait for: nothing waits without an end. */
  static final Duration LONGEST_CALL = Duration.ofSeconds(30);

  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

  /** Threads of the JVM and of our own look into it. */
  private static final Pattern FOREIGN =
      Pattern.compile("RMI .*|JMX .*|Attach Listener|Signal Dispatcher|Finalizer|Common-Cleaner");

  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(LONGEST_CALL)
          .build();

  private final String name;
  private final Process process;
  private final Path log;
  private int port;
  private JMXConnector connector;
  private ThreadMXBean threads;
  private MemoryMXBean memory;
  private UnixOperatingSystemMXBean system;

  /** Starts a process; it is there once {@link #awaitStarted} returns. */
  Jvm(String name, List<String> command) throws IOException {
    this.name = name;
    log = Processes.folder().resolve(name + ".log");
    Files.deleteIfExists(log);
    List<String> all = Processes.jvm("-XX:+ExitOnOutOfMemoryError", "-Xshare:auto");
    all.addAll(command);
    process = Processes.start(log, all);
  }

  void awaitStarted() throws Exception {
    Wait.upTo(180, name, () -> !process.isAlive() || PORT.matcher(log()).find());
    Matcher started = PORT.matcher(log());
    if (!started.find()) {
      throw new IOException(name + " ended while it started; see " + log);
    }
    port = Integer.parseInt(started.group(1));
    VirtualMachine machine = VirtualMachine.attach(Long.toString(process.pid()));
    try {
      connector =
          JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
    } finally {
      machine.detach();
    }
    threads = bean(ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
    memory = bean(ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
    system = bean(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME, UnixOperatingSystemMXBean.class);
  }

  private <T> T bean(String objectName, Class<T> type) throws IOException {
    return ManagementFactory.newPlatformMXBeanProxy(
        connector.getMBeanServerConnection(), objectName, type);
  }

  private String log() throws IOException {
    return Files.readString(log);
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  ThreadMXBean threads() {
    return threads;
  }

  /** The live threads by name, without its numbers. */
  Map<String, Integer> threadsByName() {
    Map<String, Integer> names = new TreeMap<>();
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && !FOREIGN.matcher(thread.getThreadName()).matches()) {
        names.merge(thread.getThreadName().replaceAll("\\d+", "#"), 1, Integer::sum);
      }
    }
    return names;
  }

  /** Bytes that are alive. */
  long heap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      memory.gc();
      least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  long files() {
    return system.getOpenFileDescriptorCount();
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return HTTP.send(request(path).GET().build(), BodyHandlers.ofString());
  }

  CompletableFuture<HttpResponse<String>> getLater(String path) {
    return HTTP.sendAsync(request(path).GET().build(), BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
    return HTTP.send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build(),
        BodyHandlers.ofString());
  }

  HttpResponse<String> delete(String path) throws IOException, InterruptedException {
    return HTTP.send(request(path).DELETE().build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(LONGEST_CALL);
  }

  @Override
  public void close() throws Exception {
    if (connector != null) {
      try {
        connector.close();
      } catch (IOException e) {
        // It has ended.
      }
    }
    Processes.kill(process);
  }
}
