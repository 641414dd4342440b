package io.bloomguard.classic.internal.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.lettuce.core.AclSetuserArgs;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connections to servers that a filter names, with what is set for the application's own. */
@Tag("redis")
class ServersTest {

  private static final byte[] KEY = {'k'};

  @Test
  void userPasswordAndDatabaseAreThoseOfTheApplication() throws Exception {
    try (EmbeddedRedis own = new EmbeddedRedis();
        EmbeddedRedis other = new EmbeddedRedis()) {
      for (EmbeddedRedis redis : new EmbeddedRedis[] {own, other}) {
        redis
            .commands()
            .aclSetuser(
                "shop", AclSetuserArgs.Builder.on().addPassword("s3cret").allKeys().allCommands());
        redis.commands().configSet("requirepass", "unknown");
      }
      RedisStandaloneConfiguration settings =
          new RedisStandaloneConfiguration("127.0.0.1", own.port());
      settings.setUsername("shop");
      settings.setPassword("s3cret");
      settings.setDatabase(3);
      LettuceConnectionFactory factory = new LettuceConnectionFactory(settings);
      try (RedisConnections connections = new RedisConnections(factory, Duration.ofSeconds(5))) {
        RedisConnections server = connections.to("127.0.0.1", other.port());
        assertThat(connections.to("127.0.0.1", other.port())).isSameAs(server);
        assertThat(server.awaitConnected(Duration.ofSeconds(20))).isTrue();
        assertThat(connections.awaitConnected(Duration.ofSeconds(20))).isTrue();
        RedisLink link = server.requests(KEY);
        link.await(link.call(commands -> commands.set(KEY, KEY)));
        assertThat(other.commands().dbsize()).as("database 0").isZero();
        other.commands().select(3);
        assertThat(other.commands().get(KEY)).isEqualTo(KEY);
        assertThat(own.commands().dbsize()).isZero();
      }
    }
  }
}
