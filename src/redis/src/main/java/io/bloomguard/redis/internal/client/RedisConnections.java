package io.bloomguard.redis.internal.client;

import io.bloomguard.guard.internal.verify.Manual;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Bloomguard's own connections to the Redis of the application.
 *
 * <p>They lead to the servers of the application's {@link LettuceConnectionFactory}, with its
 * credentials, TLS and socket options (of a static list, to the master among them), but reject
 * commands at once while disconnected, try again within half a second, and always read from the
 * master: a replica may lack an acknowledged add. There are two connections to each master, so that
 * no check waits behind a bulk load.
 *
 * <p>Commands of a filter go over connections that never change their server. In a cluster that is
 * one for each slot that holds a partition, and another one, which finds its servers by itself, for
 * the value cache.
 *
 * <p>The constructor opens nothing. An absent Redis stops no caller; each call looks for it in the
 * background.
 */
public final class RedisConnections implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(RedisConnections.class);

  /** The time limit of work that no request waits for: builds, scripts of a rebuild, scans. */
  public static final Duration SLOW = Duration.ofSeconds(10);

  /** The time limit of a write; much longer than a check's, because a write cannot be left out. */
  public static final Duration WRITE = Duration.ofSeconds(1);

  /** The longest wait of a build for a first connection. */
  public static final Duration CONNECT = Duration.ofSeconds(2);

  /**
   * The longest time for connections to close, and for attempts to connect to end, before their
   * client is shut down.
   */
  private static final Duration CLOSE = Duration.ofSeconds(2);

  /**
   * The interval at which a cluster's topology is read, besides after a command that says it
   * changed.
   */
  private static final Duration TOPOLOGY = Duration.ofSeconds(5);

  private static final Duration RECONNECT = Duration.ofMillis(20);
  private static final Duration RECONNECT_AT_MOST = Duration.ofMillis(500);

  private static final List<Class<? extends RedisConfiguration>> KNOWN =
      List.of(
          RedisStandaloneConfiguration.class,
          RedisSentinelConfiguration.class,
          RedisClusterConfiguration.class,
          RedisSocketConfiguration.class,
          RedisStaticMasterReplicaConfiguration.class);

  /** Made here; null if they are the application's. */
  private final @Nullable ClientResources resources;

  /** One for each server that may be the master; one alone finds it by Sentinel or in a cluster. */
  private final List<LettuceConnectionFactory> own;

  private final Duration commandTimeout;
  private final @Nullable SlotMasters masters;
  private final Links requests;
  private final Links builds;
  private final WakeUps wakeUps = new WakeUps(this::listen);
  private final LettuceConnectionFactory application;
  private final ClientResources used;

  /** Whether the log has the server that is not certified; the health has every one. */
  private final AtomicBoolean told;

  /** One for each server that a filter's settings name. */
  private final Map<String, RedisConnections> servers = new ConcurrentHashMap<>();

  /**
   * @param factory the application's connection factory
   * @param commandTimeout the time limit of a request's command
   * @throws IllegalArgumentException if the factory is not of the Lettuce driver, or does not tell
   *     its servers
   */
  public RedisConnections(RedisConnectionFactory factory, Duration commandTimeout) {
    if (!(factory instanceof LettuceConnectionFactory lettuce)) {
      throw new IllegalArgumentException(
          "Bloomguard's redis backend needs the Lettuce driver, but the connection factory is a "
              + factory.getClass().getName()
              + ": remove spring.data.redis.client-type, or set it to lettuce");
    }
    RedisConfiguration servers = configured(lettuce);
    Delay delay = Delay.exponential(RECONNECT, RECONNECT_AT_MOST, 2, TimeUnit.MILLISECONDS);
    ClientResources theirs = lettuce.getClientConfiguration().getClientResources().orElse(null);
    if (theirs == null) {
      this.resources = DefaultClientResources.builder().reconnectDelay(delay).build();
      used = resources;
    } else {
      // Threads, name resolution and so on stay the application's, which shuts them down.
      this.resources = null;
      used = theirs.mutate().reconnectDelay(delay).build();
    }
    this.application = lettuce;
    this.own = copies(servers, lettuce, used);
    this.commandTimeout = commandTimeout;
    this.told = new AtomicBoolean();
    this.masters =
        own.get(0).getRequiredNativeClient() instanceof RedisClusterClient cluster
            ? new SlotMasters(cluster, used, options(lettuce.getClientConfiguration()))
            : null;
    this.requests = new Links(commandTimeout);
    this.builds = new Links(SLOW);
  }

  /**
   * Creates the connections to another server, with the application's credentials, TLS and
   * resources.
   */
  private RedisConnections(RedisConnections of, String host, int port) {
    this.resources = null;
    this.used = of.used;
    this.application = of.application;
    this.own =
        List.of(
            started(
                new LettuceConnectionFactory(
                    standalone(application, host, port), configuration(application, used, false))));
    this.commandTimeout = of.commandTimeout;
    this.told = of.told;
    this.masters = null;
    this.requests = new Links(commandTimeout);
    this.builds = new Links(SLOW);
  }

  /**
   * The connections to one server besides the application's own, the same for the same address;
   * closed together with these.
   */
  public RedisConnections to(String host, int port) {
    return servers.computeIfAbsent(
        host + ":" + port, address -> new RedisConnections(this, host, port));
  }

  /** The connection of the value cache, for keys of any slot. */
  public RedisLink requests() {
    return requests.any;
  }

  /** The connection for work that no request waits for, for keys of any slot. */
  public RedisLink builds() {
    return builds.any;
  }

  /** The connection of checks and adds to the master of a key. */
  public RedisLink requests(byte[] key) {
    return requests.to(key);
  }

  /** The connection of builds to the master of a key. */
  public RedisLink builds(byte[] key) {
    return builds.to(key);
  }

  /** The links with one time limit: to any server, and to the master of each slot in use. */
  private final class Links {

    private final Duration timeout;
    private final RedisLink any;
    private final Map<Integer, RedisLink> bySlot = new ConcurrentHashMap<>();

    Links(Duration timeout) {
      this.timeout = timeout;
      this.any = new RedisLink(RedisConnections.this::connect, timeout);
    }

    RedisLink to(byte[] key) {
      SlotMasters known = masters;
      return known == null
          ? any
          : bySlot.computeIfAbsent(
              SlotHash.getSlot(key),
              slot -> new RedisLink(() -> known(known.connect(slot)), timeout));
    }
  }

  private Stream<RedisLink> links() {
    return Stream.of(requests, builds)
        .flatMap(links -> Stream.concat(Stream.of(links.any), links.bySlot.values().stream()));
  }

  /** The channels on which scripts wake copies. */
  public WakeUps wakeUps() {
    return wakeUps;
  }

  /** The software of the servers that are connected now, each version once. */
  public Set<ServerVersion> versions() {
    Stream<ServerVersion> own = links().map(RedisLink::version).filter(Objects::nonNull);
    return Stream.concat(own, servers.values().stream().flatMap(to -> to.versions().stream()))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /**
   * Tries to connect once, so that the first requests of a starting application find a connection.
   * If Redis is absent, this returns once that is known, after two seconds at most.
   */
  public void tryToConnect() {
    requests.any.tryToConnect(CONNECT);
  }

  /** Waits until Redis answers, at most for the given time; true if it does. */
  public boolean awaitConnected(Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    return requests.any.awaitConnected(atMost)
        && builds.any.awaitConnected(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
  }

  /** A client that is shut down before its connections are closed logs a warning for each. */
  @Override
  public void close() {
    servers.values().forEach(RedisConnections::close);
    wakeUps.close();
    CompletableFuture<Void> closed =
        CompletableFuture.allOf(links().map(RedisLink::close).toArray(CompletableFuture[]::new));
    try {
      Replies.await(closed, CLOSE);
    } catch (RedisUnavailableException e) {
      log.debug("The connections were not closed in time", e);
    }
    if (masters != null) {
      masters.close();
    }
    own.forEach(LettuceConnectionFactory::destroy);
    if (resources != null) {
      resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
  }

  /** Of several servers the one that is the master at this moment. */
  private RedisSession connect() {
    RuntimeException failure = null;
    for (LettuceConnectionFactory server : own) {
      try {
        return connect(server.getRequiredNativeClient());
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    throw failure == null ? new RedisUnavailableException("No server is named", null) : failure;
  }

  /** Of several servers the first that answers: each passes on what is published at the master. */
  private StatefulRedisPubSubConnection<byte[], byte[]> listen() {
    RuntimeException failure = new RedisUnavailableException("No server is named", null);
    for (LettuceConnectionFactory server : own) {
      try {
        AbstractRedisClient client = server.getRequiredNativeClient();
        return client instanceof RedisClusterClient cluster
            ? cluster.connectPubSub(ByteArrayCodec.INSTANCE)
            : ((RedisClient) client).connectPubSub(ByteArrayCodec.INSTANCE);
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    throw failure;
  }

  private RedisSession connect(AbstractRedisClient client) {
    return client instanceof RedisClusterClient cluster
        ? RedisSession.spread(cluster.connect(ByteArrayCodec.INSTANCE))
        : known(RedisSession.to(((RedisClient) client).connect(ByteArrayCodec.INSTANCE), CONNECT));
  }

  private RedisSession known(RedisSession opened) {
    ServerVersion server = opened.version();
    if (server != null && !server.certified() && told.compareAndSet(false, true)) {
      log.info(
          "The server is {} {}, which is not certified: Bloomguard uses it, but its tests were not"
              + " run on this version: {}",
          server.name(),
          server.version(),
          Manual.page("redis-servers.md"));
    }
    return opened;
  }

  private static List<LettuceConnectionFactory> copies(
      RedisConfiguration theirs, LettuceConnectionFactory factory, ClientResources resources) {
    boolean cluster = theirs instanceof RedisClusterConfiguration;
    LettuceClientConfiguration ours = configuration(factory, resources, cluster);
    List<? extends RedisConfiguration> servers =
        theirs instanceof RedisStaticMasterReplicaConfiguration several
            ? several.getNodes().stream()
                .map(node -> standalone(factory, node.getHostName(), node.getPort()))
                .toList()
            : List.of(theirs);
    return servers.stream()
        .map(server -> started(new LettuceConnectionFactory(server, ours)))
        .toList();
  }

  private static LettuceConnectionFactory started(LettuceConnectionFactory copy) {
    copy.setShareNativeConnection(false);
    copy.setEagerInitialization(false);
    copy.afterPropertiesSet();
    copy.start();
    return copy;
  }

  /** Another server, reached with the application's settings. */
  private static RedisStandaloneConfiguration standalone(
      LettuceConnectionFactory factory, String host, int port) {
    RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(host, port);
    RedisConfiguration theirs = configured(factory);
    if (theirs instanceof RedisConfiguration.WithAuthentication login) {
      server.setUsername(login.getUsername());
      server.setPassword(login.getPassword());
    }
    if (theirs instanceof RedisConfiguration.WithDatabaseIndex choice) {
      server.setDatabase(choice.getDatabase());
    }
    return server;
  }

  /**
   * The servers of a factory. Its getters do not tell a static list of master and replicas, for
   * which they answer {@code localhost:6379}; only its field does.
   */
  private static RedisConfiguration configured(LettuceConnectionFactory factory) {
    Field field =
        ReflectionUtils.findField(
            LettuceConnectionFactory.class, "configuration", RedisConfiguration.class);
    if (field == null) {
      throw untold("whose servers are kept in another way by this version of Spring Data Redis");
    }
    ReflectionUtils.makeAccessible(field);
    Object theirs = ReflectionUtils.getField(field, factory);
    if (theirs instanceof RedisConfiguration servers
        && KNOWN.stream().anyMatch(known -> known.isInstance(servers))) {
      return servers;
    }
    throw untold("configured by a " + (theirs == null ? "null" : theirs.getClass().getTypeName()));
  }

  private static IllegalArgumentException untold(String reason) {
    return new IllegalArgumentException(
        "The application's Redis connection factory is a LettuceConnectionFactory "
            + reason
            + ", which does not tell its servers");
  }

  private static LettuceClientConfiguration configuration(
      LettuceConnectionFactory factory, ClientResources resources, boolean cluster) {
    LettuceClientConfiguration theirs = factory.getClientConfiguration();
    return configuration(theirs, resources, cluster ? clusterOptions(theirs) : options(theirs));
  }

  private static LettuceClientConfiguration configuration(
      LettuceClientConfiguration theirs, ClientResources resources, ClientOptions options) {
    LettuceClientConfigurationBuilder ours =
        LettuceClientConfiguration.builder()
            .clientResources(resources)
            .clientOptions(options)
            // For the handshake: every other wait has a limit of its own.
            .commandTimeout(CONNECT)
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

  /** The options for one server: a new connection is a new server until it has told its name. */
  private static ClientOptions options(LettuceClientConfiguration theirs) {
    ClientOptions base = theirs.getClientOptions().orElseGet(ClientOptions::create);
    return common(base.mutate(), base).autoReconnect(false).build();
  }

  private static ClusterClientOptions clusterOptions(LettuceClientConfiguration theirs) {
    ClusterClientOptions base =
        ClusterClientOptions.builder(theirs.getClientOptions().orElseGet(ClientOptions::create))
            .build();
    ClusterClientOptions.Builder options = base.mutate();
    common(options, base);
    ClusterTopologyRefreshOptions refresh = base.getTopologyRefreshOptions();
    if (!refresh.isPeriodicRefreshEnabled() && refresh.getAdaptiveRefreshTriggers().isEmpty()) {
      options.topologyRefreshOptions(
          ClusterTopologyRefreshOptions.builder()
              .enableAllAdaptiveRefreshTriggers()
              .enablePeriodicRefresh(TOPOLOGY)
              .build());
    }
    return options.autoReconnect(true).build();
  }

  private static ClientOptions.Builder common(ClientOptions.Builder options, ClientOptions base) {
    return options
        .socketOptions(base.getSocketOptions().mutate().connectTimeout(CONNECT).build())
        .timeoutOptions(TimeoutOptions.create())
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS);
  }
}
