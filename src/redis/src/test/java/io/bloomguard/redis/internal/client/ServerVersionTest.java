package io.bloomguard.redis.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.redis.EmbeddedRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("redis")
class ServerVersionTest {

  private static final Path DOCUMENT = Path.of("docs/redis-servers.md");

  @ParameterizedTest
  @CsvSource({
    "redis_version=8.6.3, redis, 8.6.3",
    "redis_version=7.2.4;server_name=valkey;valkey_version=9.1.2, valkey, 9.1.2",
    "redis_version=7.2.4;redict_version=7.3.6, redict, 7.3.6",
    "redis_version=7.4.0;dragonfly_version=df-v1.27.1, dragonfly, df-v1.27.1",
    "redis_version=4.0.0;version=2.10.0;kvrocks_version=2.10.0, kvrocks, 2.10.0",
    "redis_version=6.3.4;features=cluster_mget, keydb, 6.3.4",
    "redis_version=1.2.3;server_name=other, other, 1.2.3",
    "run_id=0, redis, unknown"
  })
  void isWhatTheServerTells(String fields, String name, String version) {
    Map<String, String> info =
        Arrays.stream(fields.split(";"))
            .map(field -> field.split("="))
            .collect(Collectors.toMap(field -> field[0], field -> field[1]));
    assertThat(ServerVersion.of(info)).isEqualTo(new ServerVersion(name, version));
  }

  @ParameterizedTest
  @CsvSource({
    "redis, 7.0.99, true",
    "redis, 7.0, true",
    "redis, 7.10.1, false",
    "redis, 8.6.4, true",
    "valkey, 9.1.0, true",
    "valkey, 9.10.0, false",
    "redis, 7, false",
    "valkey, 7.0.15, false",
    "redis, unknown, false"
  })
  void isCertifiedByNameAndMinorVersion(String name, String version, boolean certified) {
    assertThat(new ServerVersion(name, version).certified()).isEqualTo(certified);
  }

  @Test
  void ofAnOpenConnectionIsKnownWithoutAFurtherCommand() throws Exception {
    try (EmbeddedRedis redis = new EmbeddedRedis()) {
      RedisConnections connections = redis.connections();
      redis.commands().configResetstat();
      assertThat(connections.versions()).hasSize(1);
      assertThat(redis.commands().info("commandstats")).doesNotContain("cmdstat_info");
      assertThat(redis.commands().info("server"))
          .contains("_version:" + connections.versions().iterator().next().version() + "\r\n");
    }
  }

  @Test
  void theDocumentHasTheCertifiedServersAndNoOther() throws Exception {
    List<String> documented =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.startsWith("| ") && line.contains("| certified |"))
            .map(line -> line.split("\\|"))
            .map(cells -> cells[1].strip().toLowerCase(Locale.ROOT) + " " + minor(cells[2].strip()))
            .toList();
    assertThat(documented).containsExactlyElementsOf(ServerVersion.CERTIFIED);
  }

  private static String minor(String version) {
    return version.substring(0, version.lastIndexOf('.'));
  }
}
