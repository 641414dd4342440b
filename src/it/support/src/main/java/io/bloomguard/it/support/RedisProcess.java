package io.bloomguard.it.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import redis.embedded.RedisExecProvider;

/** One process of Redis, a server or a Sentinel, with a folder of its own. */
public final class RedisProcess implements AutoCloseable {

  /** What a server comes back with. */
  public enum Held {
    NOTHING,
    DUMP
  }

  /** The server of the machine, where it has one: dynamically linked, unlike the embedded one. */
  static final String INSTALLED = "redis-server";

  private static final String OTHER = System.getProperty("bloomguard.test.redis", "");

  private static String executable;

  private final int port = Processes.freePort();
  private final Path folder;
  private final boolean sentinel;
  private final WallClock clock;
  private Process process;

  /**
   * Starts it. A server saves nothing unless it is told to.
   *
   * @param settings lines of its configuration file
   */
  public RedisProcess(String name, String... settings) throws Exception {
    this(name, null, settings);
  }

  /**
   * Starts one with a wall clock of its own.
   *
   * @param clock where it looks at the time; null for the machine's clock
   */
  public RedisProcess(String name, WallClock clock, String... settings) throws Exception {
    this.clock = clock;
    folder = Files.createDirectories(Processes.folder().resolve(name + "-" + port));
    sentinel = List.of(settings).stream().anyMatch(line -> line.startsWith("sentinel "));
    List<String> lines =
        new ArrayList<>(List.of("port " + port, "bind 127.0.0.1", "dir " + folder));
    if (!sentinel) {
      lines.addAll(List.of("save \"\"", "appendonly no"));
    }
    lines.addAll(List.of(settings));
    Files.write(folder.resolve("redis.conf"), lines);
    deleteDump();
    start();
  }

  /**
   * Whether it is the embedded Redis, and not a server that {@code bloomguard.test.redis} names.
   */
  public static boolean isEmbedded() {
    return OTHER.isEmpty();
  }

  private static synchronized String executable() throws IOException {
    if (executable == null) {
      executable =
          isEmbedded() ? RedisExecProvider.defaultProvider().get().getAbsolutePath() : OTHER;
    }
    return executable;
  }

  public int port() {
    return port;
  }

  /** The properties of an application that connects to it. */
  Map<String, Object> properties() {
    return Map.of(
        "spring.data.redis.host",
        "127.0.0.1",
        "spring.data.redis.port",
        port,
        // A machine under test is slow at times, and an answer is what is tested.
        "bloomguard.redis.command-timeout",
        "2s");
  }

  /** The same as arguments of its command line. */
  public List<String> arguments() {
    return properties().entrySet().stream()
        .map(property -> "--" + property.getKey() + "=" + property.getValue())
        .toList();
  }

  /** Starts it again after {@link #kill}, with whatever its configuration and its folder say. */
  public void start() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(clock == null ? executable() : INSTALLED);
    command.add(folder.resolve("redis.conf").toString());
    if (sentinel) {
      command.add("--sentinel");
    }
    process = Processes.start(folder.resolve("redis.log"), clock, command);
    // Not PING: while it was gone, another may have taken its port.
    String own = Long.toString(process.pid());
    Wait.upTo(
        20, "Redis on port " + port, () -> own.equals(info("process_id")) || !process.isAlive());
    if (!process.isAlive()) {
      throw new IOException("Redis on port " + port + " ended while it started; see its log");
    }
  }

  /** Starts it again as a master, and holds it to what it should come back with. */
  public void start(Held held) throws Exception {
    start();
    String role = info("role");
    long loaded = Long.parseLong(info("rdb_last_load_keys_loaded"));
    if (!role.equals("master") || (loaded == 0) != (held == Held.NOTHING)) {
      throw new IOException("Redis came back as " + role + ", with " + loaded + " keys");
    }
  }

  /** Makes a master of a replica, for later starts too. */
  public void promote() throws IOException {
    call("REPLICAOF", "NO", "ONE");
    call("CONFIG", "REWRITE");
  }

  /** The answer to a command, on a connection of its own, so that nothing outlives a fault. */
  public Object call(Object... words) throws IOException {
    try (RespClient client = new RespClient(port)) {
      return client.call(words);
    }
  }

  /** A line of {@code INFO}, without its name. */
  public String info(String name) throws IOException {
    for (String line : ((String) call("INFO")).split("\r\n")) {
      if (line.startsWith(name + ":")) {
        return line.substring(name.length() + 1);
      }
    }
    return "";
  }

  /** Ends it at once, as {@code kill -9} does. */
  public void kill() throws InterruptedException {
    Processes.kill(process);
  }

  public void deleteDump() throws IOException {
    Files.deleteIfExists(folder.resolve("dump.rdb"));
  }

  /** Lets it answer nothing until {@link #resume}. */
  public void suspend() throws Exception {
    Processes.signal(process, "STOP");
  }

  public void resume() throws Exception {
    Processes.signal(process, "CONT");
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() {
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
