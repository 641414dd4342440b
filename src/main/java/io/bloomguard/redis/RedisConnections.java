package io.bloomguard.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Bloomguard's own connections to the Redis of the application.
 *
 * <p>They go where the application's {@link LettuceConnectionFactory} goes, with its credentials,
 * TLS and socket options, but reject commands at once while disconnected, try again within half a
 * second, and always read from the master: a replica may lack an acknowledged add. Two connections,
 * so that no check waits behind a bulk load.
 *
 * <p>Nothing is opened by the constructor. An absent Redis stops nobody; it is looked for in the
 * background whenever somebody asks.
 */
public final class RedisConnections implements AutoCloseable {

  /** The time limit of what no request waits for: builds, scripts of a rebuild, scans. */
  static final Duration SLOW = Duration.ofSeconds(10);

  /** How long a write may take; much longer than a check, because it cannot be left out. */
  static final Duration WRITE = Duration.ofSeconds(1);

  /** How long a build waits for a first connection. */
  static final Duration CONNECT = Duration.ofSeconds(2);

  private static final Duration RECONNECT = Duration.ofMillis(20);
  private static final Duration RECONNECT_AT_MOST = Duration.ofMillis(500);

  /** Made here, null where they are the application's. */
  private final @Nullable ClientResources resources;

  private final LettuceConnectionFactory own;
  private final RedisLink requests;
  private final RedisLink builds;

  /**
   * @param factory the application's connection factory
   * @param commandTimeout how long a command of a request may take
   * @throws IllegalArgumentException if the factory is not of the Lettuce driver
   */
  public RedisConnections(RedisConnectionFactory factory, Duration commandTimeout) {
    if (!(factory instanceof LettuceConnectionFactory lettuce)) {
      throw new IllegalArgumentException(
          "Bloomguard's redis backend needs the Lettuce driver, but the connection factory is a "
              + factory.getClass().getName()
              + ": remove spring.data.redis.client-type, or set it to lettuce");
    }
    Delay delay = Delay.exponential(RECONNECT, RECONNECT_AT_MOST, 2, TimeUnit.MILLISECONDS);
    ClientResources theirs = lettuce.getClientConfiguration().getClientResources().orElse(null);
    if (theirs == null) {
      this.resources = DefaultClientResources.builder().reconnectDelay(delay).build();
      this.own = copy(lettuce, resources);
    } else {
      // Threads, name resolution and so on stay the application's; and its to shut down.
      this.resources = null;
      this.own = copy(lettuce, theirs.mutate().reconnectDelay(delay).build());
    }
    this.requests = new RedisLink(this::connect, commandTimeout);
    this.builds = new RedisLink(this::connect, SLOW);
  }

  /** The connection of checks, adds and the value cache. */
  RedisLink requests() {
    return requests;
  }

  /** The connection of builds. */
  RedisLink builds() {
    return builds;
  }

  /** Waits until Redis answers, at most as long as given; true if it does. */
  public boolean awaitConnected(Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    return requests.awaitConnected(atMost)
        && builds.awaitConnected(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
  }

  @Override
  public void close() {
    requests.close();
    builds.close();
    own.destroy();
    if (resources != null) {
      resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
  }

  private StatefulConnection<byte[], byte[]> connect() {
    AbstractRedisClient client = own.getRequiredNativeClient();
    if (client instanceof RedisClusterClient cluster) {
      return cluster.connect(ByteArrayCodec.INSTANCE);
    }
    return ((RedisClient) client).connect(ByteArrayCodec.INSTANCE);
  }

  /** The commands that a connection of either kind has. */
  static RedisClusterAsyncCommands<byte[], byte[]> commands(
      StatefulConnection<byte[], byte[]> connection) {
    return connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster
        ? cluster.async()
        : ((StatefulRedisConnection<byte[], byte[]>) connection).async();
  }

  private static LettuceConnectionFactory copy(
      LettuceConnectionFactory factory, ClientResources resources) {
    LettuceClientConfiguration configuration = configuration(factory, resources);
    LettuceConnectionFactory copy;
    if (factory.getClusterConfiguration() != null) {
      copy = new LettuceConnectionFactory(factory.getClusterConfiguration(), configuration);
    } else if (factory.getSentinelConfiguration() != null) {
      copy = new LettuceConnectionFactory(factory.getSentinelConfiguration(), configuration);
    } else if (factory.getSocketConfiguration() != null) {
      copy = new LettuceConnectionFactory(factory.getSocketConfiguration(), configuration);
    } else {
      copy = new LettuceConnectionFactory(factory.getStandaloneConfiguration(), configuration);
    }
    copy.setShareNativeConnection(false);
    copy.setEagerInitialization(false);
    copy.afterPropertiesSet();
    copy.start();
    return copy;
  }

  private static LettuceClientConfiguration configuration(
      LettuceConnectionFactory factory, ClientResources resources) {
    LettuceClientConfiguration theirs = factory.getClientConfiguration();
    LettuceClientConfigurationBuilder ours =
        LettuceClientConfiguration.builder()
            .clientResources(resources)
            .clientOptions(options(factory, theirs))
            .commandTimeout(SLOW)
            .shutdownTimeout(Duration.ofSeconds(1))
            .shutdownQuietPeriod(Duration.ZERO);
    theirs.getClientName().ifPresent(ours::clientName);
    theirs.getRedisCredentialsProviderFactory().ifPresent(ours::redisCredentialsProviderFactory);
    if (theirs.isUseSsl()) {
      var ssl = ours.useSsl().verifyPeer(theirs.getVerifyMode());
      if (theirs.isStartTls()) {
        ssl.startTls();
      }
    }
    return ours.build();
  }

  private static ClientOptions options(
      LettuceConnectionFactory factory, LettuceClientConfiguration theirs) {
    ClientOptions.Builder options =
        theirs
            .getClientOptions()
            .orElseGet(
                () ->
                    factory.getClusterConfiguration() != null
                        ? ClusterClientOptions.create()
                        : ClientOptions.create())
            .mutate();
    return options
        .autoReconnect(true)
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .build();
  }
}
