package io.bloomguard.bench;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process that has copies of one filter, each with the connections, threads and heap of a copy in
 * a process of its own; Netty's threads and the JVM are what they share.
 */
final class CopyProcess implements AutoCloseable {

  private static final String READY = "bytes of a copy: ";
  private static final int COLLECTIONS = 4;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Process process;
  private final long bytesOfCopy;

  private CopyProcess(Process process, long bytesOfCopy) {
    this.process = process;
    this.bytesOfCopy = bytesOfCopy;
  }

  /** Starts one, and returns once it has opened its connections; the copies have still to load. */
  static CopyProcess start(int port, String filter, int keys, int copies) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-classpath",
            System.getProperty("java.class.path"),
            CopyProcess.class.getName(),
            Integer.toString(port),
            filter,
            Integer.toString(keys),
            Integer.toString(copies));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      BufferedReader output = process.inputReader();
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(READY)) {
          return new CopyProcess(process, Long.parseLong(line.substring(READY.length())));
        }
      }
      throw new IllegalStateException("The process of the copies has ended");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The heap of a copy besides the first, its connections included. */
  long bytesOfCopy() {
    return bytesOfCopy;
  }

  /** Has it stand still, as a machine without time for it would. */
  void halt() {
    signal("-STOP");
  }

  void resume() {
    signal("-CONT");
  }

  private void signal(String signal) {
    try {
      new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends it, and with it the leases of its copies. */
  @Override
  public void close() {
    ChildProcess.end(process);
  }

  /** Has the copies until its input ends, as it does when the other process does. */
  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[0]);
    int keys = Integer.parseInt(args[2]);
    int copies = Integer.parseInt(args[3]);
    ClientResources resources = DefaultClientResources.create();
    List<RedisConnections> connections = new ArrayList<>();
    List<GenerationStore> stores = new ArrayList<>();
    // The first has what all share: classes, threads, buffers.
    add(resources, port, args[1], keys, connections, stores);
    long before = usedHeap();
    for (int i = 1; i < copies; i++) {
      add(resources, port, args[1], keys, connections, stores);
    }
    System.out.println(READY + (usedHeap() - before) / Math.max(1, copies - 1));
    while (System.in.read() >= 0) {
      // There is nothing to say.
    }
    for (GenerationStore store : stores) {
      store.close();
    }
    connections.forEach(RedisConnections::close);
    resources.shutdown();
    System.exit(0);
  }

  private static void add(
      ClientResources resources,
      int port,
      String filter,
      int keys,
      List<RedisConnections> connections,
      List<GenerationStore> stores) {
    LettuceConnectionFactory factory =
        new LettuceConnectionFactory(
            new RedisStandaloneConfiguration("127.0.0.1", port),
            LettuceClientConfiguration.builder().clientResources(resources).build());
    RedisConnections own = new RedisConnections(factory, TIMEOUT);
    connections.add(own);
    if (!own.awaitConnected(TIMEOUT)) {
      throw new IllegalStateException("There is no Redis on " + port);
    }
    FilterShape shape = Sizing.blocked(keys, BenchRedis.P, 1);
    int before = BenchRedis.registered(own, filter);
    GenerationStore store = BenchRedis.bloomguard(own, filter, shape, BenchRedis.COPY);
    stores.add(store);
    store.status(); // begins to follow
    BenchRedis.awaitRegistered(own, filter, before + 1);
  }

  /** After so many collections that what the start has left is gone. */
  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
