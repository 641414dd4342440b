package io.bloomguard.redis;

import io.bloomguard.redis.internal.client.RedisConnections;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisExecProvider;
import redis.embedded.RedisServer;
import redis.embedded.RedisServerBuilder;
import redis.embedded.util.OS;

/** A real Redis on a free port of the loopback interface, with what tests want to do to it. */
public final class EmbeddedRedis implements AutoCloseable {

  /** The path of the server to test in place of the embedded Redis; empty for the latter. */
  public static final String OTHER = System.getProperty("bloomguard.test.redis", "");

  private final int port = freePort();
  private final Path directory = newDirectory();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<String> settings;
  private RedisServer server;
  private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
  private final RedisCommands<byte[], byte[]> commands;

  public EmbeddedRedis() {
    this(List.of());
  }

  /**
   * @param settings lines of its configuration besides the usual ones
   */
  public EmbeddedRedis(List<String> settings) {
    this.settings = settings;
    server = newServer();
    start();
    StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
    commands = connection.sync();
  }

  /** Commands of an operator, or of an accident. */
  public RedisCommands<byte[], byte[]> commands() {
    return commands;
  }

  /** The same, without waiting for their answers. */
  public RedisAsyncCommands<byte[], byte[]> asyncCommands() {
    return commands.getStatefulConnection().async();
  }

  public void start() {
    server.start();
  }

  /** Ends the server; what it held is lost. */
  public void stop() {
    server.stop();
  }

  /** Has the server stand still, with its connections open, until the result is closed. */
  public Halt halt() {
    String process =
        commands
            .info("server")
            .lines()
            .filter(line -> line.startsWith("process_id:"))
            .findFirst()
            .orElseThrow()
            .substring("process_id:".length());
    signal("-STOP", process);
    return () -> signal("-CONT", process);
  }

  private static void signal(String signal, String process) {
    try {
      if (new ProcessBuilder("kill", signal, process).inheritIO().start().waitFor() != 0) {
        throw new IllegalStateException("kill failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** How many commands of that name were called since the statistics were reset. */
  public long calls(String command) {
    String stats = commands.info("commandstats");
    String begin = "cmdstat_" + command + ":calls=";
    int at = stats.indexOf(begin);
    if (at < 0) {
      return 0;
    }
    int from = at + begin.length();
    return Long.parseLong(stats.substring(from, stats.indexOf(',', from)));
  }

  public void restart() {
    server = newServer();
    start();
  }

  /** Starts again with what it held when it was last told to save. */
  public void restartFromDump() {
    stop();
    restart();
  }

  /** The connections of one more process, open and closed with this server. */
  public RedisConnections connections() {
    return connections(Duration.ofSeconds(5));
  }

  public RedisConnections connections(Duration commandTimeout) {
    return connections(commandTimeout, 0);
  }

  /** Of a process that uses another database of the server. */
  public RedisConnections connections(Duration commandTimeout, int database) {
    LettuceConnectionFactory factory = factory(port);
    factory.setDatabase(database);
    RedisConnections connections = new RedisConnections(factory, commandTimeout);
    open.add(connections);
    if (!connections.awaitConnected(Duration.ofSeconds(20))) {
      throw new IllegalStateException("Redis did not start");
    }
    return connections;
  }

  public static LettuceConnectionFactory factory(int port) {
    return new LettuceConnectionFactory("127.0.0.1", port);
  }

  public int port() {
    return port;
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    stop();
  }

  /** The time in which a server stands still. */
  public interface Halt extends AutoCloseable {

    @Override
    void close();
  }

  /** A server that listens to 127.0.0.1 and saves nothing, to be started. */
  public static RedisServerBuilder server(int port) {
    RedisExecProvider provider = RedisExecProvider.defaultProvider();
    for (OS os : OS.values()) {
      provider.override(os, Program.PATH);
    }
    return RedisServer.builder()
        .redisExecProvider(provider)
        .port(port)
        .bind("127.0.0.1")
        .setting("save \"\"");
  }

  /** The program of the server, unpacked once for all tests of this JVM. */
  private static final class Program {

    static final String PATH = OTHER.isEmpty() ? unpacked() : OTHER;

    private static String unpacked() {
      try {
        return RedisExecProvider.defaultProvider().get().getAbsolutePath();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private RedisServer newServer() {
    RedisServerBuilder builder = server(port).setting("dir " + directory).setting("appendonly no");
    settings.forEach(builder::setting);
    return builder.build();
  }

  private static Path newDirectory() {
    try {
      Path directory = Files.createTempDirectory("bloomguard-redis");
      directory.toFile().deleteOnExit();
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A port below those that the system hands out, so that no connection or server of another test
   * takes it while nothing listens to it.
   */
  public static int freePort() {
    for (int attempt = 1; ; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(10_000, 32_768);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        if (attempt == 100) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
