package io.bloomguard.bench.attack;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisServer;

/** The PostgreSQL and the Redis of the shop, the same for all contestants. */
final class Backends implements AutoCloseable {

  private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

  private final ShopDatabase database;
  private final EmbeddedPostgres postgres;
  private final ProcessHandle postmaster;
  private final @Nullable Relay relay;
  private final RedisServer redis;
  private final ProcessHandle redisProcess;
  private final int redisPort;
  private final RedisClient client;
  private final RedisCommands<String, String> commands;

  /**
   * Starts them.
   *
   * @param hotOnly whether the table has no products but the hot ones
   */
  Backends(ShopDatabase database, boolean hotOnly) throws IOException, SQLException {
    this.database = database;
    postgres = EmbeddedPostgres.start();
    postmaster = createTable(hotOnly ? database.rows / KeyMix.HOT : 1);
    long delay = database.delayNanos;
    relay = delay == 0 ? null : new Relay(postgres.getPort(), delay);
    redisPort = freePort();
    redis = ServerPrograms.redis(redisPort).setting("save \"\"").setting("appendonly no").build();
    redis.start();
    client = RedisClient.create(RedisURI.create("127.0.0.1", redisPort));
    commands = client.connect().sync();
    redisProcess = ProcessHandle.of(info("server", "process_id")).orElseThrow();
  }

  /**
   * Creates the products; the parent of the process that did it, which ends with its connection.
   */
  private ProcessHandle createTable(int step) throws SQLException {
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          create table products (
            id %s, name text not null, price numeric not null, added boolean not null default true)
          """
              .formatted(database.idType));
      statement.execute(
          """
          insert into products
            select %s, 'Product ' || n, n / 100.0, false from generate_series(1, %d, %d) n
          """
              .formatted(database.idOfN, database.rows, step));
      statement.execute("alter table products add primary key (id)");
      try (ResultSet process = statement.executeQuery("select pg_backend_pid()")) {
        process.next();
        return ProcessHandle.of(process.getLong(1)).flatMap(ProcessHandle::parent).orElseThrow();
      }
    }
  }

  private long info(String section, String name) {
    return commands
        .info(section)
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1).strip()))
        .findFirst()
        .orElseThrow();
  }

  /**
   * As a contestant finds them: the first products alone, nothing left to write, and an empty
   * Redis.
   */
  void reset() throws SQLException {
    commands.flushall();
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("delete from products where added");
      statement.execute("vacuum analyze products");
      statement.execute("checkpoint");
    }
  }

  void pin(int core, int relayCore) throws IOException, InterruptedException {
    ProcessTime.pin(postmaster, core);
    ProcessTime.pin(redisProcess, core);
    if (relay != null) {
      ProcessTime.pin(relay.handle(), relayCore);
    }
  }

  /** The arguments of a shop that uses them. */
  List<String> arguments() {
    int port = relay == null ? postgres.getPort() : relay.port();
    return List.of(
        // An id is text in the shop, whatever it is in the table.
        "--spring.datasource.url=jdbc:postgresql://127.0.0.1:%d/postgres?stringtype=unspecified"
            .formatted(port),
        "--spring.datasource.username=postgres",
        "--shop.expected-insertions=" + 2L * database.rows,
        "--spring.data.redis.host=127.0.0.1",
        "--spring.data.redis.port=" + redisPort);
  }

  /** Commands that Redis has run, those inside of scripts too. */
  long redisCommands() {
    Matcher calls = CALLS.matcher(commands.info("commandstats"));
    long sum = 0;
    while (calls.find()) {
      if (!calls.group(1).equals("info")) {
        sum += Long.parseLong(calls.group(2));
      }
    }
    return sum;
  }

  /** Bytes that Redis has taken. */
  long redisMemory() {
    return info("memory", "used_memory");
  }

  /** Processor time of both in microseconds. */
  long micros() throws IOException {
    return ProcessTime.microsOfTree(postmaster) + ProcessTime.micros(redisProcess.pid());
  }

  /** Processor time of what stands between shop and PostgreSQL. */
  long relayMicros() throws IOException {
    return relay == null ? 0 : ProcessTime.micros(relay.handle().pid());
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() throws IOException {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    redis.stop();
    if (relay != null) {
      relay.close();
    }
    postgres.close();
  }
}
