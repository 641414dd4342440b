package io.bloomguard.it.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import redis.embedded.RedisExecProvider;

/** One process of Redis, a server or a Sentinel, with a folder of its own. */
final class RedisNode implements AutoCloseable {

  /** What a server comes back with. */
  enum Held {
    NOTHING,
    DUMP
  }

  private static String executable;

  private final int port = Processes.freePort();
  private final Path folder;
  private final List<String> settings;
  private Process process;

  /**
   * Starts it.
   *
   * @param settings lines of its configuration file
   */
  RedisNode(String name, String... settings) throws Exception {
    folder = Files.createDirectories(Parts.folder().resolve(name + "-" + port));
    this.settings = List.of(settings);
    List<String> lines = new ArrayList<>(List.of("port " + port, "bind 127.0.0.1"));
    lines.add("dir " + folder);
    lines.addAll(this.settings);
    Files.write(folder.resolve("redis.conf"), lines);
    start();
  }

  private static synchronized String executable() throws IOException {
    if (executable == null) {
      executable = RedisExecProvider.defaultProvider().get().getAbsolutePath();
    }
    return executable;
  }

  int port() {
    return port;
  }

  /** Starts it again after {@link #kill}, with whatever its configuration and its folder say. */
  void start() throws Exception {
    List<String> command =
        new ArrayList<>(List.of(executable(), folder.resolve("redis.conf").toString()));
    if (settings.stream().anyMatch(line -> line.startsWith("sentinel "))) {
      command.add("--sentinel");
    }
    process = Processes.start(folder.resolve("redis.log"), command);
    // Not PING: while it was gone, another may have taken its port.
    String own = Long.toString(process.pid());
    Wait.upTo(
        20, "Redis on port " + port, () -> own.equals(info("process_id")) || !process.isAlive());
    if (!process.isAlive()) {
      throw new IOException("Redis on port " + port + " ended while it started; see its log");
    }
  }

  /** Starts it again as a master, and holds it to what it should come back with. */
  void start(Held held) throws Exception {
    start();
    String role = info("role");
    long loaded = Long.parseLong(info("rdb_last_load_keys_loaded"));
    if (!role.equals("master") || (loaded == 0) != (held == Held.NOTHING)) {
      throw new IOException("Redis came back as " + role + ", with " + loaded + " keys");
    }
  }

  /** Makes a master of a replica, for later starts too. */
  void promote() throws IOException {
    call("REPLICAOF", "NO", "ONE");
    call("CONFIG", "REWRITE");
  }

  /** What a command answers; on a connection of its own, so that nothing outlives a fault. */
  Object call(Object... words) throws IOException {
    try (RespClient client = new RespClient(port)) {
      return client.call(words);
    }
  }

  /** A line of {@code INFO}, without its name. */
  String info(String name) throws IOException {
    for (String line : ((String) call("INFO")).split("\r\n")) {
      if (line.startsWith(name + ":")) {
        return line.substring(name.length() + 1);
      }
    }
    return "";
  }

  void kill() throws Exception {
    Processes.kill(process);
  }

  void deleteDump() throws IOException {
    Files.deleteIfExists(folder.resolve("dump.rdb"));
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

  @Override
  public void close() throws Exception {
    kill();
  }
}
