package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.redis.internal.client.RedisConnections;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A server with the module, which the system property {@value #ADDRESS} names. */
public final class BloomModule implements AutoCloseable {

  public static final String ADDRESS = "bloomguard.test.redisbloom";

  private final String host;
  private final int port;
  private final RedisClient client;
  private final RedisConnections connections;
  private final RedisCommands<String, String> commands;

  private BloomModule(String host, int port) {
    this.host = host;
    this.port = port;
    this.client = RedisClient.create(RedisURI.create(host, port));
    // Where a reply is 0 or 1, RESP3 has booleans.
    client.setOptions(ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
    this.commands = client.connect().sync();
    this.connections =
        new RedisConnections(new LettuceConnectionFactory(host, port), Duration.ofSeconds(5));
    if (!connections.awaitConnected(Duration.ofSeconds(20))) {
      throw new IllegalStateException("No Redis at " + host + ":" + port);
    }
  }

  /** The server; skips the test where there is none. */
  public static BloomModule open() {
    String address = System.getProperty(ADDRESS, "");
    Assumptions.assumeFalse(
        address.isEmpty(),
        "needs a server with RedisBloom or valkey-bloom: -D" + ADDRESS + "=host:port");
    int colon = address.lastIndexOf(':');
    return new BloomModule(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  public String host() {
    return host;
  }

  public int port() {
    return port;
  }

  public RedisConnections connections() {
    return connections;
  }

  /** Commands of another client, or of an accident. */
  public RedisCommands<String, String> commands() {
    return commands;
  }

  /** A command of the module. */
  public List<Object> bf(String command, Object... arguments) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    for (Object argument : arguments) {
      args.add(argument.toString());
    }
    return commands.dispatch(new Keyword(command), new NestedMultiOutput<>(StringCodec.UTF8), args);
  }

  @Override
  public void close() {
    connections.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private record Keyword(String name) implements ProtocolKeyword {

    @Override
    public byte[] getBytes() {
      return name.getBytes(UTF_8);
    }
  }
}
