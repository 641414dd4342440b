package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.ReplicaProperties;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.CacheBackend;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.redis.internal.cache.RedisValueCache;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.ServerVersion;
import io.bloomguard.redis.internal.generation.RedisFilter;
import io.bloomguard.redis.internal.store.RedisGenerationStore;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Everything of ours in Redis. Connects when the first filter or cache is made, so never without
 * need.
 */
final class RedisBackend implements FilterBackend, CacheBackend, ApplicationRedis, AutoCloseable {

  /** For cache entries of filters whose bits any reader of Redis can ask. */
  private static final HashSecret PUBLIC = HashSecret.parse("0".repeat(2 * HashSecret.BYTES));

  /** The heap that copies may take in sum which no setting asks for. */
  private static final long HEAP_OF_COPIES = Runtime.getRuntime().maxMemory() / 4;

  private static final long LEAST_ROOM = 1 << 20;
  private static final Logger log = LoggerFactory.getLogger(RedisBackend.class);

  private final RedisConnectionChoice choice;
  private final OwnSettings filters;
  private final BloomguardProperties.Redis settings;
  private final @Nullable HashSecret secret;
  private final List<HashSecret> otherSecrets;
  private final ReentrantLock opening = new ReentrantLock();
  private final AtomicLong copied = new AtomicLong();
  private @Nullable RedisConnections connections;

  RedisBackend(RedisConnectionChoice choice, BloomguardProperties properties, OwnSettings filters) {
    this.choice = choice;
    this.filters = filters;
    this.settings = properties.redis();
    this.secret = properties.secret();
    this.otherSecrets = properties.otherSecrets();
  }

  @Override
  public String name() {
    return Backend.REDIS;
  }

  @Override
  public String keyPrefix() {
    return settings.keyPrefix();
  }

  @Override
  public String rules() {
    return """
    layout not blocked|counting: , which the backend 'redis' does not have; it has: blocked, counting
    > Use layout 'blocked', or backend 'local'.
    """;
  }

  @Override
  public FilterShape shape(String filter, FilterShape sized) {
    return ApplicationRedis.sized(sized);
  }

  @Override
  public FilterStore store(StoreOrder order) {
    RedisConnections to = connections();
    HashSecret keyed = secret(order.filter());
    return new RedisGenerationStore(
            new RedisFilter(
                order.filter(),
                order.shape(),
                to,
                settings.keyPrefix(),
                order.journalRetention(),
                filters.journal(order),
                replica(order),
                filters.of(order.filter()).rebuild().keepPrevious()),
            keyed,
            otherSecrets,
            order.hash(),
            order.folding())
        .with(filters.claims(order.filter()));
  }

  /**
   * The settings of a process' copy; null for none. A copy that no setting asks for takes its place
   * in a share of the heap that all of them have together.
   */
  private @Nullable ReplicaSettings replica(StoreOrder order) {
    Layout layout = order.shape().layout();
    ReplicaProperties wanted = filters.of(order.filter()).replica();
    if (wanted.refused() || !layout.inBlocks() || layout.removes()) {
      return null;
    }
    long most = wanted.maxSize().toBytes();
    if (wanted.required()) {
      return wanted.settings(most);
    }
    // Twice its size: the filter may grow, and is held twice for a moment when it is loaded again.
    long room = Math.min(most, Math.max(LEAST_ROOM, 2 * order.shape().sizeBytes()));
    if (room < order.shape().sizeBytes() || copied.get() + room > HEAP_OF_COPIES) {
      log.info(
          "Filter '{}': there is no copy in this process, because it does not fit into"
              + " replica.max-size and a quarter of the heap for all copies; checks go to Redis",
          order.filter());
      return null;
    }
    copied.addAndGet(room);
    log.info(
        "Filter '{}': this process keeps a copy of it, in {} bytes at most", order.filter(), room);
    return wanted.settings(room);
  }

  /**
   * The values of every filter in Redis. Where no filter needs the secret, the entries are named by
   * digests without one: a reader of Redis learns no more of a key from them than from the bits.
   */
  @Override
  public ValueCache cache(String name, CacheSettings lifetimes, @Nullable ValueCodec codec) {
    ValueCodec json = Objects.requireNonNull(codec, "values in Redis are bytes");
    return new RedisValueCache(
        name,
        lifetimes,
        new KeyDigest(secret == null ? PUBLIC : secret),
        connections(),
        settings.keyPrefix(),
        json);
  }

  @Override
  public HashSecret secret(String filter) {
    if (secret == null) {
      throw new StartRefusedException(
          ("bloomguard.hash-secret is not set, but '%s' is in Redis, where keys are hashed under a"
                  + " secret that all processes have in common")
              .formatted(filter),
          "Set it in every process, and keep it like a password:\n\n    bloomguard.hash-secret=%s\n"
              .formatted(HashSecret.random().toHex()));
    }
    return secret;
  }

  @Override
  public RedisConnections connections() {
    opening.lock();
    try {
      if (connections == null) {
        connections = connect(choice.choose());
        connections.tryToConnect();
        choice.requireSame(connections);
      }
      return connections;
    } finally {
      opening.unlock();
    }
  }

  private RedisConnections connect(LettuceConnectionFactory factory) {
    try {
      return new RedisConnections(factory, settings.commandTimeout());
    } catch (IllegalArgumentException e) {
      throw new StartRefusedException(
          e.getMessage() + "",
          "Name another LettuceConnectionFactory in bloomguard.redis.connection-factory, whose"
              + " configuration is one of Spring Data Redis' own: standalone, static master and"
              + " replicas, Sentinel, cluster or socket.");
    }
  }

  /** The software of the servers in use, each version once; none while nothing is connected. */
  Set<ServerVersion> versions() {
    opening.lock();
    try {
      return connections == null ? Set.of() : connections.versions();
    } finally {
      opening.unlock();
    }
  }

  @Override
  public void close() {
    opening.lock();
    try {
      if (connections != null) {
        connections.close();
      }
      choice.close();
    } finally {
      opening.unlock();
    }
  }
}
