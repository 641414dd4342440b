package io.bloomguard.redis.internal.client;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One open connection to one Redis server, whose name is known before the first command.
 *
 * <p>It does not reconnect: every answer over it comes from that server, unchanged since its name
 * was read. The name is its run id and its replication id. The former changes with each start, the
 * latter with each promotion of a replica and with every other event that may replace a data set.
 *
 * @param commands of that connection
 * @param server the server's name, {@link #ANY} for more than one
 * @param version the server's software; null for a connection to more than one server
 * @param evictsAnything whether the server may evict keys that never expire: the filter's, for one
 * @param evictsExpiring whether the server may evict keys that expire, before they do
 */
public record RedisSession(
    StatefulConnection<byte[], byte[]> connection,
    RedisClusterAsyncCommands<byte[], byte[]> commands,
    String server,
    @Nullable ServerVersion version,
    boolean evictsAnything,
    boolean evictsExpiring) {

  /** The name of any server, for commands that are spread over a cluster. */
  public static final String ANY = "";

  /** The round trips of {@link #isStillItself}. */
  static final int LOOKS = 2;

  /** A connection whose commands find their servers by their keys; it reconnects by itself. */
  public static RedisSession spread(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    return new RedisSession(connection, connection.async(), ANY, null, false, false);
  }

  /**
   * A connection to one master.
   *
   * @throws RedisUnavailableException if the server is no master, or does not report its name in
   *     time
   */
  public static RedisSession to(
      StatefulRedisConnection<byte[], byte[]> connection, Duration timeout) {
    try {
      Map<String, String> server = info(connection.async(), "server", timeout);
      String name = name(server, info(connection.async(), "replication", timeout));
      Map<String, String> memory = info(connection.async(), "memory", timeout);
      String policy = memory.getOrDefault("maxmemory_policy", "");
      boolean bounded = !memory.getOrDefault("maxmemory", "0").equals("0");
      boolean anything = bounded && policy.startsWith("allkeys-");
      boolean expiring = anything || bounded && policy.startsWith("volatile-");
      ServerVersion version = ServerVersion.of(server);
      return new RedisSession(connection, connection.async(), name, version, anything, expiring);
    } catch (RuntimeException e) {
      connection.closeAsync();
      throw e;
    }
  }

  public boolean isOpen() {
    return connection.isOpen();
  }

  /** Reports the connection's end; at once if that is in the past. */
  public void onEnd(Runnable listener) {
    connection.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            listener.run();
          }
        });
    if (!isOpen()) {
      listener.run();
    }
  }

  /** Whether the server is still the same master. */
  public boolean isStillItself(Duration timeout) {
    return server.equals(ANY)
        || server.equals(
            name(info(commands, "server", timeout), info(commands, "replication", timeout)));
  }

  public <T> CompletableFuture<T> send(
      ProtocolKeyword command,
      CommandOutput<byte[], byte[], T> output,
      CommandArgs<byte[], byte[]> args) {
    return call(c -> c.dispatch(command, output, args));
  }

  public <T> CompletableFuture<T> call(
      Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> call) {
    try {
      return call.apply(commands).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Begins to close the connection. */
  public CompletableFuture<Void> end() {
    return connection.closeAsync();
  }

  private static String name(Map<String, String> server, Map<String, String> replication) {
    String role = replication.getOrDefault("role", "");
    if (!role.equals("master")) {
      throw new RedisUnavailableException("The server is not a master, but a " + role, null);
    }
    String runId = server.get("run_id");
    String replicationId = replication.get("master_replid");
    if (runId == null || replicationId == null) {
      throw new RedisUnavailableException("INFO names neither run_id nor master_replid", null);
    }
    return runId + "/" + replicationId;
  }

  private static Map<String, String> info(
      RedisClusterAsyncCommands<byte[], byte[]> commands, String section, Duration timeout) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE).add(section);
    String text =
        Replies.await(
            commands.dispatch(CommandType.INFO, new StatusOutput<>(ByteArrayCodec.INSTANCE), args),
            timeout);
    Map<String, String> fields = new HashMap<>();
    for (String line : String.valueOf(text).split("\r\n")) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    return fields;
  }
}
