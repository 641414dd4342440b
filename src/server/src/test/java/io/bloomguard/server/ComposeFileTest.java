package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.security.autoconfigure.SecurityProperties;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.yaml.snakeyaml.Yaml;

/** The file compose.yaml, as far as it can be judged without an engine that runs it. */
class ComposeFileTest {

  private final Map<String, Object> file = read();
  private final Map<String, Object> services = map(file, "services");

  @Test
  void itHasTheServerAndWhatItNeeds() {
    assertThat(file).containsOnlyKeys("services", "configs");
    assertThat(services).containsOnlyKeys("redis", "postgres", "kafka", "connect", "bloomguard");
    assertThat(map(service("bloomguard"), "depends_on"))
        .containsOnlyKeys("redis", "postgres")
        .allSatisfy(
            (name, how) -> assertThat(how).isEqualTo(Map.of("condition", "service_healthy")));
    assertThat(service("bloomguard")).containsEntry("build", ".");
    assertThat(Path.of("Dockerfile")).exists();
  }

  @Test
  void itHasAConnectorWithWhatItReadsAndWrites() {
    assertThat(service("postgres").get("command")).asString().contains("wal_level=logical");
    assertThat(service("connect").get("depends_on")).asString().contains("kafka", "postgres");
    Object kafka = map(service("kafka"), "environment").get("KAFKA_ADVERTISED_LISTENERS");
    assertThat(kafka)
        .asString()
        .contains("//" + map(service("connect"), "environment").get("BOOTSTRAP_SERVERS") + ",");
    for (String name : List.of("kafka", "connect")) {
      assertThat(service(name)).containsEntry("profiles", List.of("changes"));
    }
  }

  @Test
  void imagesHaveAVersion() throws IOException {
    assertThat(service("kafka").get("image")).asString().matches("apache/kafka:\\d+\\.\\d+\\.\\d+");
    assertThat(service("connect").get("image"))
        .asString()
        .matches("debezium/connect:\\d+\\.\\d+\\.\\d+\\.Final");
    assertThat(service("redis").get("image")).asString().matches("redis:\\d+\\.\\d+\\.\\d+-alpine");
    assertThat(service("postgres").get("image")).asString().matches("postgres:\\d+\\.\\d+-alpine");
    // A server that the docs call certified, and the PostgreSQL that the tests run.
    String redis = String.valueOf(service("redis").get("image")).replaceAll("redis:|-alpine", "");
    assertThat(Path.of("docs/redis-servers.md"))
        .content()
        .contains("| Redis | " + redis + " | certified |");
    String postgres =
        String.valueOf(service("postgres").get("image")).replaceAll("postgres:|-alpine", "");
    assertThat(Path.of("pom.xml"))
        .content()
        .contains("<postgres-binaries.version>" + postgres + ".");
  }

  @Test
  void everyServiceSaysWhenItIsReady() {
    assertThat(services.keySet())
        .allSatisfy(
            name -> {
              Map<String, Object> check = map(service(name), "healthcheck");
              assertThat(check).containsOnlyKeys("test", "interval", "timeout", "retries");
              assertThat((List<?>) check.get("test")).first().isEqualTo("CMD");
            });
  }

  @Test
  void portsAreOpenToThisMachineAlone() {
    assertThat(services.keySet())
        .allSatisfy(
            name ->
                assertThat((List<?>) service(name).get("ports"))
                    .singleElement()
                    .asString()
                    .startsWith("127.0.0.1:"));
  }

  @Test
  void everyVariableOfTheServerIsAProperty() {
    Map<String, Object> environment = map(service("bloomguard"), "environment");
    Set<String> seen = new HashSet<>();
    MutablePropertySources sources = new MutablePropertySources();
    sources.addFirst(new SystemEnvironmentPropertySource("systemEnvironment", environment));
    BindHandler noting =
        new BindHandler() {
          @Override
          public Object onSuccess(
              ConfigurationPropertyName name,
              Bindable<?> target,
              BindContext context,
              Object result) {
            if (context.getConfigurationProperty() != null
                && context.getConfigurationProperty().getOrigin()
                    instanceof PropertySourceOrigin origin) {
              seen.add(origin.getPropertyName());
            }
            return result;
          }
        };
    Binder binder =
        new Binder(ConfigurationPropertySources.from(sources), null, null, null, noting);
    BloomguardProperties bloomguard = binder.bind("bloomguard", BloomguardProperties.class).get();
    assertThat(bloomguard.backend()).hasToString("redis");
    assertThat(bloomguard.filters()).containsOnlyKeys("products");
    assertThat(bloomguard.filters().get("products").source().jdbc().query())
        .isEqualTo("select id from product");
    DataRedisProperties redis = binder.bind("spring.data.redis", DataRedisProperties.class).get();
    assertThat(services).containsKey(redis.getHost());
    DataSourceProperties database =
        binder.bind("spring.datasource", DataSourceProperties.class).get();
    Map<String, Object> postgres = map(service("postgres"), "environment");
    assertThat(database.getUrl())
        .isEqualTo("jdbc:postgresql://postgres:5432/" + postgres.get("POSTGRES_DB"));
    assertThat(database.getUsername()).isEqualTo(postgres.get("POSTGRES_USER"));
    assertThat(database.getPassword()).isEqualTo(postgres.get("POSTGRES_PASSWORD"));
    assertThat(
            binder.bind("spring.security", SecurityProperties.class).get().getUser().getPassword())
        .isNotBlank();
    assertThat(seen).as("variables that were read").containsAll(environment.keySet());
  }

  @Test
  void theTableOfTheQueryIsMade() {
    Map<String, Object> schema = map(map(file, "configs"), "schema");
    assertThat(String.valueOf(schema.get("content"))).contains("create table product (id ");
    assertThat(service("postgres").get("configs"))
        .isEqualTo(
            List.of(
                Map.of("source", "schema", "target", "/docker-entrypoint-initdb.d/schema.sql")));
  }

  private Map<String, Object> service(String name) {
    return map(services, name);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Map<String, Object> of, String key) {
    assertThat(of.get(key)).as(key).isInstanceOf(Map.class);
    return (Map<String, Object>) of.get(key);
  }

  private static Map<String, Object> read() {
    try {
      return new Yaml().load(Files.readString(Path.of("compose.yaml")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
