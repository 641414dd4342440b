package io.bloomguard.classic.internal.subject;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** A Redis for a test class, two processes that share it, and a filter name for each test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("redis")
abstract class SubjectTestBase {

  /** Sparse: what was never added is as good as never present. */
  static final FilterShape SHAPE = Sizing.blocked(1000, 1e-6, 2);

  static final HashSecret SECRET = HashSecret.parse("00112233445566778899aabbccddeeff");
  static final Duration TTL = Duration.ofDays(7);
  static final long PAST = 1_000_000;

  private static final AtomicInteger NAMES = new AtomicInteger();

  EmbeddedRedis redis;
  RedisConnections first;
  RedisConnections second;
  String filter = "";

  @BeforeAll
  void start() {
    redis = new EmbeddedRedis();
    first = redis.connections();
    second = redis.connections();
  }

  @AfterAll
  void stop() throws Exception {
    redis.close();
  }

  @BeforeEach
  void name() {
    filter = "seen-" + NAMES.incrementAndGet();
  }

  SubjectSettings settings() {
    return settings(1_000_000, 1L << 30, false);
  }

  SubjectSettings settings(long maxSubjects, long maxBytes, boolean absentWhereMissing) {
    return settings(SHAPE, TTL, maxSubjects, maxBytes, absentWhereMissing);
  }

  SubjectSettings settings(
      FilterShape shape,
      Duration ttl,
      long maxSubjects,
      long maxBytes,
      boolean absentWhereMissing) {
    return new SubjectSettings(
        filter,
        shape,
        KeyHash.SIPHASH_1_3,
        KeyFolding.EXACT,
        "bloomguard",
        ttl,
        maxSubjects,
        maxBytes,
        absentWhereMissing,
        Duration.ofMinutes(10),
        TestGenerations.journal(filter));
  }

  /** A process that has told of itself as often as it takes to be believed. */
  Process process(RedisConnections connections, SubjectSettings settings) {
    connections.awaitConnected(Duration.ofMinutes(1));
    Process process = new Process(connections, settings);
    process.store.serveEmpty(settings.shape());
    process.store.heartbeat();
    return process;
  }

  Process process() {
    return process(first, settings());
  }

  /** The keys in Redis of the test's filter. */
  final class Process {

    final SubjectGenerations store;
    private final SubjectForm form;

    Process(RedisConnections connections, SubjectSettings settings) {
      this.store = new SubjectGenerations(settings, connections, SECRET, Duration.ZERO);
      this.form = settings.form(SECRET);
    }

    byte[] image(String subject) {
      return form.image(store.subject(subject));
    }

    byte[] member(String subject) {
      return SubjectForm.member(store.subject(subject));
    }

    byte[] index() {
      return form.index();
    }

    byte[] writers() {
      return form.writers();
    }

    byte[] head() {
      return form.head();
    }

    /** As if the subject's time were over. */
    void end(String subject) {
      redis.commands().zadd(index(), PAST, member(subject));
      redis.commands().pexpireat(image(subject), PAST);
    }

    /** What an application does every second. */
    void tick() {
      store.heartbeat();
      store.maintain();
    }

    boolean isReady() {
      return store.status().state() == FilterState.READY;
    }
  }
}
