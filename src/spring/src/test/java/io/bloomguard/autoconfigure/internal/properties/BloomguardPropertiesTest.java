package io.bloomguard.autoconfigure.internal.properties;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.aop.internal.statements.UnguardedWrites;
import io.bloomguard.autoconfigure.internal.wiring.ApplicationRedis;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyFolding.LetterCase;
import io.bloomguard.filter.KeyFolding.Normalise;
import io.bloomguard.filter.KeyFolding.Trim;
import io.bloomguard.filter.Layout;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.CachePlan;
import io.bloomguard.guard.internal.verify.VerifySettings;
import io.bloomguard.guard.internal.verify.WrongRejectionPolicy;
import io.bloomguard.web.KeyType;
import io.bloomguard.web.WebRule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The settings as they are written, their defaults, and what IDEs are told of them. */
class BloomguardPropertiesTest {

  private static final String YAML =
      """
      bloomguard:
        enabled: true
        backend: redis
        hash-secret: "000102030405060708090a0b0c0d0e0f"
        other-hash-secrets: ["0f0e0d0c0b0a09080706050403020100"]
        redis: {key-prefix: shop, command-timeout: 30ms, connection-factory: ordersRedis}
        filters:
          products:
            expected-insertions: 2000000
            false-positive-probability: 0.01
            backend: local
            layout: guava
            on-unknown: closed
            mode: observe
            verify: {first: 50, sample: 0.5, max-per-second: 7, on-wrong-rejection: count, reports: ignore}
            keys: {case: lower, trim: trailing, normalise: nfc}
            source:
              jdbc:
                query: "select id from products"
                fetch-size: 500
                recent-query: "select id from products where changed >= ?"
                data-source: ordersDataSource
                trust-collation: true
                timeout: 90s
              stall: 75s
              recent-interval: 5s
            warm-up: {mode: blocking, snapshot: /var/p, snapshot-max-age: 2h, trust-snapshot: true, min-keys: 9}
            rebuild: {cron: "0 0 3 * * *", at-fill: 0.6, cooldown: 2m, journal-retention: 20m, journal-max: 64MB, max-shrink: 0.2}
            cache: {ttl: 1m, soft-ttl: 50s, null-ttl: 5s, copy: true}
          order-items:
            source:
              file: {path: keys.txt}
            replica: {enabled: true, max-size: 64MB, lease: 200ms}
          customers:
            source:
              bean: customerKeys
          guests:
            window: {length: 10m, count: 6}
            rotate-at-fill: 0.5
            source:
              added-only: true
          clicks:
            backend: redis-bloom
            bloom: {key-form: raw, key: clicks, create: true, expansion: 2}
        cache: {ttl: 20m, soft-ttl: 30s, null-ttl: 40s, jitter: 0.3, max-values: 10, max-null-entries: 20}
        mutex: {lease: 11s, wait: 7s}
        load: {max-concurrent: 16, timeout: 4s}
        keys: {max-length: 128}
        web:
          rules:
            - {pattern: "/api/products/{id}", filter: products, key: id, type: long, methods: [GET]}
            - {pattern: "/api/customers/{name}", filter: customers, key: name}
        gateway:
          trusted-peers: [10.0.0.0/8]
          denied-status: 403
          rules:
            - {pattern: "/api/products/{id}", filter: products, key: id, type: long}
      """;

  @Test
  void everySettingOfTheDesignBinds() throws IOException {
    BloomguardProperties properties = bind(YAML);

    assertThat(properties.enabled()).isTrue();
    assertThat(properties.backend()).isEqualTo("redis");
    assertThat(properties.secret()).isEqualTo(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));
    assertThat(properties.otherSecrets())
        .containsExactly(HashSecret.parse("0f0e0d0c0b0a09080706050403020100"));
    assertThat(properties.redis())
        .isEqualTo(new BloomguardProperties.Redis("shop", Duration.ofMillis(30), "ordersRedis"));
    assertThat(properties.filters())
        .containsOnlyKeys("products", "order-items", "customers", "guests", "clicks");
    FilterProperties products = properties.filters().get("products");
    assertThat(products)
        .isEqualTo(
            new FilterProperties(
                2_000_000L,
                0.01,
                "local",
                Layout.GUAVA,
                null,
                null,
                UnknownPolicy.CLOSED,
                Reject.ABSENT,
                null,
                FilterMode.OBSERVE,
                new VerifyProperties(
                    50, 0.5, 7, OnWrongRejection.COUNT, WrongRejectionPolicy.IGNORE),
                new FoldingProperties(LetterCase.LOWER, Trim.TRAILING, Normalise.NFC, ""),
                new SourceProperties(
                    new SourceProperties.Jdbc(
                        "select id from products",
                        500,
                        "select id from products where changed >= ?",
                        "ordersDataSource",
                        true,
                        Duration.ofSeconds(90)),
                    null,
                    null,
                    null,
                    null,
                    null,
                    Map.of(),
                    false,
                    Duration.ofSeconds(75),
                    Duration.ofSeconds(5),
                    null),
                new WarmUpProperties(
                    WarmUpMode.BLOCKING, "/var/p", Duration.ofHours(2), true, 9, 0.001),
                new RebuildProperties(
                    "0 0 3 * * *",
                    0.6,
                    null,
                    Duration.ofMinutes(2),
                    Duration.ofMinutes(20),
                    DataSize.ofMegabytes(64),
                    0.2,
                    true),
                null,
                null,
                new ReplicaProperties(null, DataSize.ofMegabytes(256), Duration.ofSeconds(1)),
                new FilterCacheProperties(
                    Duration.ofMinutes(1), Duration.ofSeconds(50), Duration.ofSeconds(5), true),
                null,
                null,
                null,
                new ClaimsProperties(Duration.ofHours(24), DataSize.ofMegabytes(64))));
    assertThat(properties.backendOf(products)).isEqualTo("local");
    FilterProperties items = properties.filters().get("order-items");
    assertThat(items.replica())
        .isEqualTo(new ReplicaProperties(true, DataSize.ofMegabytes(64), Duration.ofMillis(200)));
    assertThat(items.source().file()).isEqualTo(new SourceProperties.File("keys.txt"));
    assertThat(properties.backendOf(items)).isEqualTo("redis");
    assertThat(properties.filters().get("customers").source().bean()).isEqualTo("customerKeys");
    FilterProperties guests = properties.filters().get("guests");
    assertThat(guests.source().addedOnly()).isTrue();
    assertThat(guests.window()).isEqualTo(new WindowProperties(Duration.ofMinutes(10), 6));
    assertThat(guests.rotateAtFill()).isEqualTo(0.5);
    assertThat(properties.filters().get("clicks").bloom())
        .isEqualTo(new BloomProperties(BloomProperties.KeyForm.RAW, "clicks", true, 2));
    assertThat(properties.cache())
        .isEqualTo(
            new BloomguardProperties.Cache(
                Duration.ofMinutes(20),
                Duration.ofSeconds(30),
                Duration.ofSeconds(40),
                0.3,
                10,
                20,
                false));
    assertThat(properties.mutex())
        .isEqualTo(new BloomguardProperties.Mutex(Duration.ofSeconds(11), Duration.ofSeconds(7)));
    assertThat(properties.load())
        .isEqualTo(new BloomguardProperties.Load(16, Duration.ofSeconds(4)));
    assertThat(properties.keys())
        .isEqualTo(new BloomguardProperties.Keys(128, LetterCase.EXACT, Trim.NONE, Normalise.NONE));
    assertThat(properties.gateway().trustedPeers()).containsExactly("10.0.0.0/8");
    assertThat(properties.gateway().deniedStatus()).isEqualTo(403);
    assertThat(properties.gateway().rules())
        .containsExactly(new WebRule("/api/products/{id}", "products", "id", KeyType.LONG));
    assertThat(properties.web().rules())
        .containsExactly(
            new WebRule(
                "/api/products/{id}",
                "products",
                "id",
                KeyType.LONG,
                Set.of("GET"),
                false,
                Set.of(200),
                Set.of(404),
                ""),
            new WebRule(
                "/api/customers/{name}",
                "customers",
                "name",
                null,
                Set.of(),
                false,
                Set.of(200),
                Set.of(404),
                ""));
  }

  @Test
  void defaultsAreThoseOfTheDesign() throws IOException {
    BloomguardProperties properties = bind("bloomguard: {filters: {products: {mode: enforce}}}");

    FilterProperties products = properties.filters().get("products");
    assertThat(properties.folding(products)).isEqualTo(KeyFolding.EXACT);
    assertThat(products.unknownPolicy()).isEqualTo(UnknownPolicy.OPEN);
    assertThat(products.verifySettings()).isEqualTo(VerifySettings.DEFAULT);
    assertThat(products.expectedInsertionsOrDefault()).isEqualTo(1_000_000);
    assertThat(properties)
        .isEqualTo(
            new BloomguardProperties(
                true,
                "local",
                "",
                List.of(),
                UnguardedWrites.Policy.WARN,
                new BloomguardProperties.Redis("bloomguard", Duration.ofMillis(20), ""),
                Map.of(
                    "products",
                    new FilterProperties(
                        null,
                        0.001,
                        null,
                        Layout.BLOCKED,
                        null,
                        null,
                        null,
                        Reject.ABSENT,
                        null,
                        FilterMode.ENFORCE,
                        null,
                        new FoldingProperties(null, null, null, ""),
                        new SourceProperties(
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            Map.of(),
                            false,
                            Duration.ofSeconds(60),
                            null,
                            null),
                        new WarmUpProperties(WarmUpMode.BACKGROUND, "", null, false, 1, 0.001),
                        new RebuildProperties(
                            "",
                            0.5,
                            null,
                            Duration.ofMinutes(1),
                            Duration.ofMinutes(10),
                            DataSize.ofMegabytes(128),
                            0.5,
                            true),
                        null,
                        null,
                        new ReplicaProperties(
                            null, DataSize.ofMegabytes(256), Duration.ofSeconds(1)),
                        FilterCacheProperties.NONE,
                        null,
                        null,
                        null,
                        new ClaimsProperties(Duration.ofHours(24), DataSize.ofMegabytes(64)))),
                new BloomguardProperties.Cache(
                    Duration.ofMinutes(10),
                    Duration.ZERO,
                    Duration.ofSeconds(30),
                    0.2,
                    100_000,
                    100_000,
                    false),
                new BloomguardProperties.Mutex(Duration.ofSeconds(10), Duration.ofSeconds(6)),
                new BloomguardProperties.Load(32, Duration.ofSeconds(5)),
                new BloomguardProperties.Keys(256, LetterCase.EXACT, Trim.NONE, Normalise.NONE),
                new BloomguardProperties.Writes(Duration.ofSeconds(30)),
                new BloomguardProperties.Web(List.of()),
                new GatewayProperties(List.of(), null, List.of()),
                new BloomguardProperties.Console(false),
                new BloomguardProperties.Server(
                    false, false, DataSize.ofMegabytes(32), Duration.ofSeconds(1))));
    assertThat(properties.secret()).isNull();
  }

  @Test
  void settingsReachTheGuard() throws IOException {
    BloomguardProperties properties = bind(YAML);

    assertThat(properties.loadSettings().maxWait()).isEqualTo(Duration.ofSeconds(7));
    assertThat(properties.loadSettings().maxConcurrent()).isEqualTo(16);
    assertThat(properties.loadSettings().timeout()).isEqualTo(Duration.ofSeconds(4));
    Duration lease = Duration.ofSeconds(11);
    assertThat(properties.cachePlan("order-items"))
        .isEqualTo(
            new CachePlan(
                "redis",
                new CacheSettings(
                    Duration.ofMinutes(20),
                    Duration.ofSeconds(40),
                    0.3,
                    10,
                    20,
                    lease,
                    Duration.ofSeconds(30)),
                false));
    assertThat(properties.cachePlan("products"))
        .as("its own settings, and beside its bits")
        .isEqualTo(
            new CachePlan(
                "local",
                new CacheSettings(
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(5),
                    0.3,
                    10,
                    20,
                    lease,
                    Duration.ofSeconds(50)),
                true));
    assertThat(properties.keys().rules().maxLength()).isEqualTo(128);
  }

  @Test
  void textOfTheSettingsHidesTheSecret() throws IOException {
    assertThat(bind(YAML).toString()).doesNotContain("0001020304").contains("products");
  }

  /** Of each, {@link SettingsMetadataTest} compares the description with the records. */
  @Test
  void everyPropertyIsDescribed() throws IOException {
    assertThat(metadata())
        .filteredOn(name -> !name.contains("["))
        .containsExactlyInAnyOrder(
            "bloomguard.backend",
            "bloomguard.cache.copy",
            "bloomguard.cache.jitter",
            "bloomguard.cache.max-null-entries",
            "bloomguard.cache.max-values",
            "bloomguard.cache.null-ttl",
            "bloomguard.cache.soft-ttl",
            "bloomguard.cache.ttl",
            "bloomguard.console.enabled",
            "bloomguard.enabled",
            "bloomguard.filters",
            "bloomguard.gateway.denied-status",
            "bloomguard.gateway.rules",
            "bloomguard.gateway.trusted-peers",
            "bloomguard.hash-secret",
            "bloomguard.keys.case",
            "bloomguard.keys.max-length",
            "bloomguard.keys.normalise",
            "bloomguard.keys.trim",
            "bloomguard.load.max-concurrent",
            "bloomguard.load.timeout",
            "bloomguard.mutex.lease",
            "bloomguard.mutex.wait",
            "bloomguard.other-hash-secrets",
            "bloomguard.redis.command-timeout",
            "bloomguard.redis.connection-factory",
            "bloomguard.redis.key-prefix",
            "bloomguard.server.batch-memory",
            "bloomguard.server.check-timeout",
            "bloomguard.server.open-writes",
            "bloomguard.server.removals",
            "bloomguard.unguarded-writes",
            "bloomguard.web.rules",
            "bloomguard.writes.timeout",
            "management.endpoint.bloomfilters.access",
            "management.endpoint.bloomfilters.cache.time-to-live",
            "management.health.bloomguard.enabled");
  }

  /** The rule of decision 0007. */
  @ParameterizedTest
  @CsvSource({
    "local, 0.01, 8",
    "local, 0.001, 8",
    "redis, 0.05, 1",
    "redis, 0.01, 1",
    "redis, 0.001, 2",
    "redis, 0.0001, 4",
    "redis, 0.00001, 8"
  })
  void blocksAreSizedByBackendAndProbability(String backend, double p, int blockWords)
      throws IOException {
    String settings = "{false-positive-probability: " + p + "}";
    FilterProperties filter =
        bind("bloomguard: {filters: {products: " + settings + "}}").filters().get("products");

    FilterShape sized = filter.sized("products", backend);
    FilterShape shape = backend.equals(Backend.REDIS) ? ApplicationRedis.sized(sized) : sized;
    assertThat(shape.blockWords()).isEqualTo(blockWords);
  }

  private static Set<String> metadata() throws IOException {
    Set<String> described = new TreeSet<>();
    try (InputStream in =
        BloomguardProperties.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      // Other libraries have such a file, too: ours comes first on the class path.
      for (JsonNode property : new JsonMapper().readTree(in).path("properties")) {
        described.add(property.path("name").asString());
      }
    }
    return described;
  }

  private static BloomguardProperties bind(String yaml) throws IOException {
    MutablePropertySources sources = new MutablePropertySources();
    new YamlPropertySourceLoader()
        .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
        .forEach(sources::addLast);
    return new Binder(ConfigurationPropertySources.from(sources))
        .bindOrCreate("bloomguard", BloomguardProperties.class);
  }
}
