package io.bloomguard.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.bench.attack.ServerPrograms;
import io.bloomguard.classic.internal.subject.SubjectGenerations;
import io.bloomguard.classic.internal.subject.SubjectSettings;
import io.bloomguard.classic.internal.window.WindowFilter;
import io.bloomguard.classic.internal.window.WindowGenerations;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.Window;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.generation.RedisFilter;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.store.RedisGenerationStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisServer;
import redis.embedded.RedisServerBuilder;

/** A Redis of its own on the loopback interface, and the clients of all contestants. */
final class BenchRedis implements AutoCloseable {

  private static final LongAdder ANSWERS = new LongAdder();
  private static final LongAdder UNKNOWN = new LongAdder();

  static final double P = 0.01;

  /** What every key begins with, also on a server that others use. */
  static final String PREFIX = "bloomguard-bench";

  /** Bits of a key in the filters that set them one by one: the best number at 1 %. */
  static final int K = 7;

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int ATTEMPTS = 50;

  /** The default of the library. */
  private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(20);

  /** A copy as every process has one by default. */
  static final ReplicaSettings COPY = new ReplicaSettings(64 << 20, Duration.ofSeconds(1));

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final int BATCH = 1024;

  private final @Nullable RedisServer server;
  private @Nullable RedisServer replica;
  private final RedisConnections connections;
  private final RedisClient lettuce;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final RedissonClient redisson;

  private final AtomicInteger names = new AtomicInteger();

  BenchRedis() throws IOException {
    this(started("appendonly no"));
  }

  private BenchRedis(RedisServer server) {
    this(server, "127.0.0.1", server.ports().get(0));
  }

  private BenchRedis(@Nullable RedisServer server, String host, int port) {
    this.server = server;
    connections = new RedisConnections(new LettuceConnectionFactory(host, port), TIMEOUT);
    if (!connections.awaitConnected(READY_WITHIN)) {
      throw new IllegalStateException("There is no Redis at " + host + ":" + port);
    }
    lettuce = RedisClient.create(RedisURI.create(host, port));
    connection = lettuce.connect(ByteArrayCodec.INSTANCE);
    Config config = new Config();
    config.useSingleServer().setAddress("redis://" + host + ":" + port);
    config.setCodec(StringCodec.INSTANCE);
    redisson = Redisson.create(config);
  }

  /** The server that has RedisBloom, which others may use. */
  static BenchRedis withModule() {
    RedisURI address = RedisURI.create("redis://" + RedisBloom.ADDRESS);
    return new BenchRedis(null, address.getHost(), address.getPort());
  }

  /** One that keeps an append-only file in a directory, and has a replica. */
  static BenchRedis durable(Path directory) throws IOException {
    RedisServer server = started("dir " + directory, "appendonly yes");
    int port = server.ports().get(0);
    RedisServer replica = started("dir " + directory, "replicaof 127.0.0.1 " + port);
    // A server that gets its first replica has another name from then on.
    try (RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port))) {
      RedisCommands<String, String> commands = client.connect().sync();
      long began = System.nanoTime();
      while (!commands.info("replication").contains("state=online")) {
        if (System.nanoTime() - began > READY_WITHIN.toNanos()) {
          throw new IllegalStateException("The replica does not connect");
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
    BenchRedis durable = new BenchRedis(server);
    durable.replica = replica;
    return durable;
  }

  private static RedisServer started(String... settings) throws IOException {
    RedisServerBuilder builder = ServerPrograms.redis(freePort()).setting("save \"\"");
    List.of(settings).forEach(builder::setting);
    RedisServer server = builder.build();
    server.start();
    return server;
  }

  /** A name that nothing here has yet, of a filter or a key. */
  String nextName() {
    return PREFIX + "-" + names.incrementAndGet();
  }

  /** The connection of what is done command by command. */
  StatefulRedisConnection<byte[], byte[]> connection() {
    return connection;
  }

  int port() {
    return server == null ? 0 : server.ports().get(0);
  }

  /** What Redis tells of itself. */
  String info() {
    return connection.sync().info("all");
  }

  /** The sum of a statistic in that, of every line whose beginning matches. */
  static double sum(String info, String lines) {
    Matcher found = Pattern.compile("(?m)^" + lines).matcher(info);
    double sum = 0;
    while (found.find()) {
      sum += Double.parseDouble(found.group(1));
    }
    return sum;
  }

  /** The connections of an application. */
  RedisConnections connections() {
    return connections;
  }

  /** Our filter, as an application has it, still empty. */
  GenerationStore bloomguard(String name, FilterShape shape) {
    return bloomguard(connections, name, shape, null);
  }

  /**
   * The same over other connections.
   *
   * @param copy the settings of the process' copy, null for none
   */
  static GenerationStore bloomguard(
      RedisConnections connections,
      String name,
      FilterShape shape,
      @Nullable ReplicaSettings copy) {
    return new RedisGenerationStore(
        new RedisFilter(
            name,
            shape,
            connections,
            PREFIX,
            Duration.ofMinutes(10),
            Peers.journal(name),
            copy,
            true),
        SECRET,
        List.of(),
        KeyHash.SIPHASH_1_3,
        KeyFolding.EXACT);
  }

  /** The number of the copies of a filter that are in the register. */
  static int registered(RedisConnections connections, String filter) {
    byte[] head = new PartitionKeys(PREFIX, filter, 0, false).current().head();
    List<byte[]> fields =
        Replies.await(connections.builds().call(c -> c.hkeys(head)), READY_WITHIN);
    return (int)
        fields.stream().filter(field -> new String(field, UTF_8).startsWith("copy:")).count();
  }

  /** Waits until so many copies of a filter are in the register. */
  static void awaitRegistered(RedisConnections connections, String filter, int copies) {
    long began = System.nanoTime();
    while (registered(connections, filter) != copies) {
      if (System.nanoTime() - began > READY_WITHIN.toNanos()) {
        throw new IllegalStateException(
            registered(connections, filter) + " copies are registered, not " + copies);
      }
      LockSupport.parkNanos(2_000_000);
    }
  }

  /**
   * A window that is believed; no generation yet.
   *
   * @param shape of a generation
   * @param rotateAtFill the fill ratio past which the next generation begins
   */
  WindowGenerations window(FilterShape shape, Window window, double rotateAtFill) {
    WindowGenerations store =
        new WindowGenerations(
            new WindowFilter(
                nextName(),
                shape,
                window,
                KeyHash.SIPHASH_1_3.hasher(SECRET),
                connections,
                PREFIX,
                Duration.ZERO,
                rotateAtFill));
    awaitReady(store);
    return store;
  }

  private static void awaitReady(FilterStore store) {
    long began = System.nanoTime();
    while (store.status().state() != FilterState.READY) {
      if (System.nanoTime() - began > READY_WITHIN.toNanos()) {
        throw new IllegalStateException("The filter is " + store.status().state());
      }
      store.heartbeat();
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Filters by subject that are believed; none yet. */
  SubjectGenerations subjects(FilterShape shape, int subjects) {
    SubjectSettings settings =
        new SubjectSettings(
            "subjects",
            shape,
            KeyHash.SIPHASH_1_3,
            KeyFolding.EXACT,
            PREFIX,
            Duration.ofDays(1),
            subjects,
            Long.MAX_VALUE,
            false,
            // Nothing is lost here: a second of adds takes less heap than all of them.
            Duration.ofSeconds(1),
            Peers.journal("subjects"));
    SubjectGenerations store =
        new SubjectGenerations(settings, connections, SECRET, SubjectGenerations.GRACE);
    store.serveEmpty(shape);
    awaitReady(store);
    return store;
  }

  /** Redisson's filter; still empty. */
  RBloomFilter<String> redisson(String name, int n) {
    RBloomFilter<String> filter = redisson.getBloomFilter(name);
    filter.tryInit(n, P);
    return filter;
  }

  /** Builds a generation of the first n present ids. */
  static void fill(GenerationStore store, FilterShape shape, int n) {
    try (GenerationStore.Build build = store.beginBuild(shape)) {
      String[] batch = new String[BATCH];
      for (int from = 0; from < n; from += BATCH) {
        int count = Math.min(BATCH, n - from);
        for (int i = 0; i < count; i++) {
          batch[i] = Kind.IDS.key(BenchKeys.present(from + i));
        }
        build.addAll(batch, count);
      }
      build.publish();
    }
  }

  /** The bits of a key in a filter of so many, by the double hashing of the usual write-ups. */
  static long[] bits(String key, long size) {
    long hash = Peers.HASH.hashCharsToLong(key);
    int first = (int) hash;
    int second = (int) (hash >>> 32);
    return LongStream.range(0, K)
        .map(i -> Integer.toUnsignedLong(first + (int) i * second) % size)
        .toArray();
  }

  /** What is in the filter is never absent; what a busy machine makes unknown is counted. */
  static Membership[] expectPresent(Membership... answers) {
    if (count(Membership.ABSENT, answers) > 0) {
      throw new IllegalStateException("A key of the filter was denied");
    }
    return answers;
  }

  /** How many answers are that one; what a busy machine makes unknown is counted. */
  static int count(Membership which, Membership... answers) {
    ANSWERS.add(answers.length);
    int count = 0;
    for (Membership answer : answers) {
      if (answer == which) {
        count++;
      }
      if (answer == Membership.UNKNOWN) {
        UNKNOWN.increment();
      }
    }
    return count;
  }

  /** Adds keys, again where a busy machine has not answered in time. */
  static void add(MembershipStore store, List<String> keys) {
    for (int attempt = 1; ; attempt++) {
      try {
        store.addEach(keys);
        return;
      } catch (AddFailedException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /** An answer that is not one may come too fast; a few, of a cold start, change no median. */
  private static void requireAnswers() {
    if (!BenchForm.isShort() && UNKNOWN.sum() * 100 > ANSWERS.sum()) {
      throw new IllegalStateException(
          UNKNOWN.sum() + " of " + ANSWERS.sum() + " checks were not answered");
    }
  }

  long usedMemory() {
    return connection
        .sync()
        .info("memory")
        .lines()
        .filter(line -> line.startsWith("used_memory:"))
        .mapToLong(line -> Long.parseLong(line.substring(12).strip()))
        .findFirst()
        .orElseThrow();
  }

  /** The length of a string, or what another key takes. */
  long bytes(String key) {
    return bytes(key.getBytes(UTF_8));
  }

  private long bytes(byte[] key) {
    RedisCommands<byte[], byte[]> commands = connection.sync();
    return commands.type(key).equals("string") ? commands.strlen(key) : commands.memoryUsage(key);
  }

  private List<byte[]> keys(String pattern) {
    return connection.sync().keys(PREFIX + pattern);
  }

  @Override
  public void close() throws IOException {
    if (server == null) {
      keys("*").forEach(connection.sync()::unlink);
    }
    redisson.shutdown();
    lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    connections.close();
    if (replica != null) {
      replica.stop();
    }
    if (server != null) {
      server.stop();
    }
    requireAnswers();
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
