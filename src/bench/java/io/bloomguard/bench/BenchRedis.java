package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.journal.JournalMemory;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.RedisFilter;
import io.bloomguard.redis.RedisSecret;
import io.bloomguard.redis.SharedGenerations;
import io.bloomguard.redis.client.RedisConnections;
import io.bloomguard.redis.subject.HashedSubjects;
import io.bloomguard.redis.subject.SubjectGenerations;
import io.bloomguard.redis.subject.SubjectSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisServer;

/** A Redis of its own on the loopback interface, and the clients of all contestants. */
final class BenchRedis implements AutoCloseable {

  private static final LongAdder ANSWERS = new LongAdder();
  private static final LongAdder UNKNOWN = new LongAdder();

  static final double P = 0.01;

  /** Bits of a key in the filters that set them one by one: the best number at 1 %. */
  static final int K = 7;

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** The default of the library. */
  private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(20);

  private static final RedisSecret SECRET =
      RedisSecret.configured(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));
  private static final int BATCH = 1024;

  private final RedisServer server;
  private final RedisConnections connections;
  private final RedisClient lettuce;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final RedissonClient redisson;

  BenchRedis() throws IOException {
    int port = freePort();
    server =
        RedisServer.builder()
            .port(port)
            .bind("127.0.0.1")
            .setting("save \"\"")
            .setting("appendonly no")
            .build();
    server.start();
    connections = new RedisConnections(new LettuceConnectionFactory("127.0.0.1", port), TIMEOUT);
    if (!connections.awaitConnected(TIMEOUT)) {
      throw new IllegalStateException("Redis did not start");
    }
    lettuce = RedisClient.create(RedisURI.create("127.0.0.1", port));
    connection = lettuce.connect(ByteArrayCodec.INSTANCE);
    Config config = new Config();
    config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
    config.setCodec(StringCodec.INSTANCE);
    redisson = Redisson.create(config);
  }

  /** The connection of what is done command by command. */
  StatefulRedisConnection<byte[], byte[]> connection() {
    return connection;
  }

  /** The connections of an application. */
  RedisConnections connections() {
    return connections;
  }

  /** Our filter, as an application has it; still empty. */
  GenerationStore bloomguard(String name, FilterShape shape) {
    return new SharedGenerations(
        new RedisFilter(name, shape, connections, "bloomguard", Duration.ofMinutes(10), null),
        SECRET,
        List.of(),
        KeyHash.SIPHASH_1_3,
        KeyFolding.EXACT);
  }

  /** Filters by subject that are believed; none yet. */
  SubjectGenerations subjects(FilterShape shape, int subjects) {
    SubjectSettings settings =
        new SubjectSettings(
            "subjects",
            shape,
            KeyHash.SIPHASH_1_3,
            KeyFolding.EXACT,
            "bloomguard",
            Duration.ofDays(1),
            subjects,
            Long.MAX_VALUE,
            false,
            // Nothing is lost here: a second of adds takes less heap than all of them.
            Duration.ofSeconds(1),
            JournalMemory.ofOne("subjects"));
    HashedSubjects hashed = new HashedSubjects(settings, connections, SECRET.value(), SECRET::keep);
    SubjectGenerations store = new SubjectGenerations(settings, connections, () -> hashed);
    store.serveEmpty(shape);
    while (store.status().state() != FilterState.READY) {
      store.giveSignOfLife();
    }
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
    ANSWERS.add(answers.length);
    for (Membership answer : answers) {
      if (answer == Membership.ABSENT) {
        throw new IllegalStateException("A key of the filter was denied");
      }
      if (answer == Membership.UNKNOWN) {
        UNKNOWN.increment();
      }
    }
    return answers;
  }

  /** An answer that is not one may come too fast; a few, of a cold start, change no median. */
  private static void requireAnswers() {
    if (!BenchForm.isShort() && UNKNOWN.sum() * 100 > ANSWERS.sum()) {
      throw new IllegalStateException(
          UNKNOWN.sum() + " of " + ANSWERS.sum() + " checks were not answered");
    }
  }

  @Override
  public void close() throws IOException {
    redisson.shutdown();
    lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    connections.close();
    server.stop();
    requireAnswers();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
