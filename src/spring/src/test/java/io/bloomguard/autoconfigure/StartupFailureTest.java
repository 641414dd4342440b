package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.r2dbc.h2.H2ConnectionConfiguration;
import io.r2dbc.h2.H2ConnectionFactory;
import io.r2dbc.spi.ConnectionFactory;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;

/** Each setting and each method that cannot work stops the start and says what and why. */
class StartupFailureTest {

  private static final String PRODUCTS = "bloomguard.filters.products.";
  private static final String CHANGES = PRODUCTS + "source.changes.";

  @TempDir private Path directory;

  static List<Arguments> settings() {
    return List.of(
        refused(
            "bloomguard.hash-secert=squeamish-ossifrage",
            "no property [bloomguard.hash-secert]",
            "Did you mean bloomguard.hash-secret?"),
        refused(
            PRODUCTS + "min-keys=0",
            "no property [bloomguard.filters.products.min-keys]",
            "Did you mean bloomguard.filters.products.warm-up.min-keys?"),
        refused(
            PRODUCTS + "source.query=select 1",
            "Did you mean bloomguard.filters.products.source.jdbc.query or"
                + " bloomguard.filters.products.source.r2dbc.query?"),
        refused(PRODUCTS + "surprise=1", "products.expected-insertions", "products.warm-up"),
        refused(
            "bloomguard.mutex.max-wait=1s",
            "no property [bloomguard.mutex.max-wait]",
            "[bloomguard.mutex.lease, bloomguard.mutex.wait]"),
        refused(
            PRODUCTS + "source.r2dbc.query= ",
            "products.source.r2dbc.query is empty",
            "select id from products"),
        refused(
            PRODUCTS + "verify.first=-1", "products.verify.first is -1", "within 0 and 1000000"),
        refused(PRODUCTS + "verify.sample=1.5", "products.verify.sample is 1.5", "within 0 and 1"),
        refused(
            PRODUCTS + "verify.max-per-second=-1",
            "products.verify.max-per-second is -1",
            "at least 0"),
        refused(
            PRODUCTS + "verify.on-wrong-rejection=ignore",
            "products.verify.on-wrong-rejection is 'ignore'",
            "[disarm, count]"),
        refused(
            PRODUCTS + "expected-insertion=10",
            "no property [bloomguard.filters.products.expected-insertion]",
            "Did you mean bloomguard.filters.products.expected-insertions?"),
        refused(
            PRODUCTS + "warm-up.snapshots=/tmp/products",
            "no property [bloomguard.filters.products.warm-up.snapshots]",
            "Did you mean bloomguard.filters.products.warm-up.snapshot?"),
        refused(
            PRODUCTS + "warm-up.trust-snapshot=true",
            "products.warm-up.trust-snapshot is set",
            "no snapshot",
            "Set warm-up.snapshot"),
        refused(
            PRODUCTS + "warm-up.snapshot-max-age=1h",
            "products.warm-up.snapshot-max-age is set",
            "no snapshot"),
        refused(
            "bloomguard.web.rules[0].patern=/a",
            "no property [bloomguard.web.rules[0].patern]",
            "bloomguard.web.rules[0].pattern"),
        refused(
            "bloomguard.filters.products=10",
            "bloomguard.filters.products has a value",
            "products.expected-insertions"),
        refused(
            "bloomguard.filters.é.backend=local",
            "bloomguard.filters.backend has a value",
            "bloomguard.filters.backend.layout"),
        refused(PRODUCTS + "false-positive-probability=0", "is 0.0", "greater than 0 and less"),
        refused(PRODUCTS + "false-positive-probability=1", "is 1.0", "greater than 0 and less"),
        refused(PRODUCTS + "false-positive-probability=-1", "is -1.0", "greater than 0 and less"),
        refused(PRODUCTS + "false-positive-probability=2", "is 2.0", "greater than 0 and less"),
        refused(PRODUCTS + "false-positive-probability=NaN", "is NaN", "greater than 0 and less"),
        refused(PRODUCTS + "expected-insertions=0", "is 0", "at least 1"),
        refused(
            PRODUCTS + "replica.enabled=true",
            "products.replica.enabled is true",
            "backend is 'local'",
            "of which no copy is kept"),
        refused(PRODUCTS + "replica.max-size=0B", "max-size is 0B", "must be positive"),
        refused(PRODUCTS + "replica.lease=99ms", "lease is PT0.099S", "from 100ms to 1500ms"),
        refused(PRODUCTS + "replica.lease=1501ms", "lease is PT1.501S", "from 100ms to 1500ms"),
        refused(
            PRODUCTS + "replica.confirm=always",
            "no property [bloomguard.filters.products.replica.confirm]"),
        refused(
            PRODUCTS + "replica.size=1MB",
            "no property [bloomguard.filters.products.replica.size]",
            "products.replica.max-size"),
        refused(PRODUCTS + "expected-insertions=-7", "is -7", "at least 1"),
        refused(
            PRODUCTS + "expected-insertions=9223372036854775807",
            "9223372036854775807 keys",
            "at most 9007199254740992"),
        refused(PRODUCTS + "funnel=int", "products.funnel is set", "the layout 'guava'"),
        refused(PRODUCTS + "rebuild.at-fill=0", "products.rebuild.at-fill is 0.0", "within (0, 1]"),
        refused(PRODUCTS + "rebuild.at-repeated=0", "at-repeated is 0.0", "positive"),
        refused(PRODUCTS + "rebuild.at-repeated=5", "at-repeated is 5.0", "has no source"),
        refused(PRODUCTS + "rebuild.at-fill=NaN", "at-fill is NaN", "within (0, 1]"),
        refused(
            PRODUCTS + "rebuild.cooldown=-1s",
            "products.rebuild.cooldown is PT-1S",
            "not be negative"),
        refused(PRODUCTS + "rebuild.journal-retention=0s", "journal-retention is PT0S", "positive"),
        refused(
            PRODUCTS + "rebuild.journal-retention=-1m", "journal-retention is PT-1M", "positive"),
        refused(
            PRODUCTS + "rebuild.cron=every night",
            "products.rebuild.cron is 'every night'",
            "no cron expression",
            "0 0 3 * * *"),
        refused(PRODUCTS + "rebuild.cron=0 0 3 * * *", "has no source", "source.jdbc"),
        refused(PRODUCTS + "rebuild.at-fill=0.4", "at-fill is 0.4", "has no source", "source.jdbc"),
        refused(
            PRODUCTS + "rebuild.max-shrink=-0.1",
            "products.rebuild.max-shrink is -0.1",
            "within [0, 1]"),
        refused(
            PRODUCTS + "rebuild.max-shrink=1.5",
            "products.rebuild.max-shrink is 1.5",
            "within [0, 1]"),
        refused(PRODUCTS + "rebuild.max-shrink=NaN", "max-shrink is NaN", "within [0, 1]"),
        refused(PRODUCTS + "warm-up.min-keys=-1", "products.warm-up.min-keys is -1", "at least 0"),
        refused(
            PRODUCTS + "warm-up.snapshot=/var/p",
            "products.warm-up.snapshot is '/var/p'",
            "has no source",
            "source.added-only: true"),
        refused(
            PRODUCTS + "source.jdbc.query= ",
            "products.source.jdbc.query is empty",
            "SQL query",
            "select id from products"),
        refused(
            PRODUCTS + "source.jdbc.fetch-size=5",
            "products.source.jdbc.query is empty",
            "SQL query"),
        refused(
            PRODUCTS + "source.file.path= ",
            "products.source.file.path is not set",
            "one key a line"),
        refused(
            PRODUCTS + "source.file.path=/no/such/keys.txt",
            "'/no/such/keys.txt'",
            "no readable file",
            "products.source.file.path"),
        refused(PRODUCTS + "source.file.path=/", "'/'", "no readable file"),
        refused(
            PRODUCTS + "source.bean=productKeys",
            "'productKeys'",
            "io.bloomguard.generation.KeySource",
            "available: []",
            "Declare such a bean"),
        refused(
            PRODUCTS + "backend=redis",
            "'redis'",
            "lacks a Redis connection factory",
            "available: [local]",
            "spring-boot-starter-data-redis"),
        refused(
            "bloomguard.hash-secret=squeamish-ossifrage",
            "hash-secret",
            "16 bytes",
            "19 characters",
            "openssl rand -hex 16"),
        refused(
            "bloomguard.hash-secret=00112233445566778899aabbccddeeff00", "hash-secret", "16 bytes"),
        refused(
            "bloomguard.other-hash-secrets=00112233445566778899aabbccddeeff,old",
            "bloomguard.other-hash-secrets[1]",
            "16 bytes"),
        refused("bloomguard.cache.ttl=0s", "bloomguard.cache.ttl is PT0S", "positive"),
        refused("bloomguard.cache.null-ttl=-1s", "bloomguard.cache.null-ttl is PT-1S", "positive"),
        refused("bloomguard.cache.jitter=2", "bloomguard.cache.jitter is 2.0", "within [0, 1]"),
        refused("bloomguard.cache.jitter=NaN", "bloomguard.cache.jitter is NaN", "within [0, 1]"),
        refused("bloomguard.cache.soft-ttl=-1s", "cache.soft-ttl is PT-1S", "shorter than ttl"),
        refused("bloomguard.cache.soft-ttl=10m", "soft-ttl is PT10M", "shorter than the ttl"),
        refused("bloomguard.cache.max-null-entries=-1", "max-null-entries is -1", "negative"),
        refused("bloomguard.mutex.lease=-10s", "bloomguard.mutex.lease is PT-10S", "positive"),
        refused("bloomguard.mutex.wait=0", "bloomguard.mutex.wait is PT0S", "positive"),
        refused(
            "bloomguard.mutex.lease=5s",
            "bloomguard.mutex.lease is PT5S",
            "longer than bloomguard.load.timeout",
            "PT5S",
            "Lengthen the lease"),
        refused(
            "bloomguard.load.timeout=11s",
            "bloomguard.mutex.lease is PT10S",
            "PT11S",
            "shorten the load"),
        refused("bloomguard.load.timeout=-5s", "bloomguard.load.timeout is PT-5S", "positive"),
        refused(
            "bloomguard.load.max-concurrent=0",
            "bloomguard.load.max-concurrent is 0",
            "at least 1"),
        refused(
            "bloomguard.filters.products.verify.first=-1", "verify.first is -1", "0 and 1000000"),
        refused("bloomguard.filters.products.verify.sample=-0.1", "verify.sample", "0 and 1"),
        refused("bloomguard.filters.products.verify.sample=1.1", "verify.sample", "0 and 1"),
        refused("bloomguard.filters.products.verify.sample=NaN", "verify.sample", "0 and 1"),
        refused(
            "bloomguard.filters.products.verify.max-per-second=-1",
            "verify.max-per-second is -1",
            "at least 0"),
        refused(
            "bloomguard.filters.products.verify.on-wrong-rejection=ignore", "on-wrong-rejection"),
        refused("bloomguard.keys.max-length=0", "bloomguard.keys.max-length", "is 0", "1 to 65536"),
        refused("bloomguard.keys.max-length=65537", "is 65537", "1 to 65536"),
        refused("bloomguard.redis.key-prefix={a}", "'{a}'", "braces", "such as 'bloomguard'"),
        refused(
            "bloomguard.redis.command-timeout=-20ms",
            "redis.command-timeout is PT-0.02S",
            "positive"),
        refused("bloomguard.server.batch-memory=1MB", "batch-memory is", "at least 4MB"),
        refused("bloomguard.server.check-timeout=0ms", "check-timeout is", "from 1ms to 10s"),
        refused("bloomguard.server.check-timeout=11s", "check-timeout is", "from 1ms to 10s"),
        refused(
            "bloomguard.web.rules[0].pattern=/a/{id}",
            "lacks its pattern, filter or key",
            "Set all three"));
  }

  private static Arguments refused(String property, String... said) {
    return Arguments.of(property, List.of(said));
  }

  @ParameterizedTest
  @MethodSource("settings")
  void settingIsRefusedWithItsValueAndItsRule(String property, List<String> said) {
    String analysis = text(Wiring.application().withPropertyValues(property));
    assertThat(analysis).contains(said);
    // A secret's value is never shown, however wrong it is.
    assertThat(analysis).doesNotContain("ossifrage", "00112233");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bloomguard.cache.ttl",
        "bloomguard.cache.null-ttl",
        "bloomguard.mutex.lease",
        "bloomguard.mutex.wait",
        "bloomguard.load.timeout",
        "bloomguard.redis.command-timeout",
        "bloomguard.filters.products.rebuild.cooldown",
        "bloomguard.filters.products.rebuild.journal-retention"
      })
  void durationPastTenYearsIsRefusedWithItsValueAndItsRule(String property) {
    assertThat(text(Wiring.application().withPropertyValues(property + "=200000d")))
        .contains(property + " is PT4800000H", "at most 3650 days", "Set it");
    assertThat(text(Wiring.application().withPropertyValues(property + "=3651d")))
        .contains("at most 3650 days");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Products", "order_items", "a-", "a--b", "1a", "[order_items]", "[a b]", "[a.b]"})
  void nameOfAFilterIsRefusedWithTheRule(String name) {
    String property =
        "bloomguard.filters" + (name.startsWith("[") ? "" : ".") + name + ".expected-insertions=10";
    assertThat(text(Wiring.application().withPropertyValues(property)))
        .contains(
            "'" + name.replaceAll("[\\[\\]]", "") + "'",
            "[a-z][a-z0-9]*(-[a-z0-9]+)*",
            "such as 'order-items'");
  }

  @Test
  void aSourceBesideAddedOnlyIsRefused() {
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(
                        PRODUCTS + "source.bean=keys", PRODUCTS + "source.added-only=true")))
        .contains("products.source.added-only is true", "has the source [bean]", "Leave out");
  }

  @Test
  void twoSourcesAreRefused() {
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(
                        PRODUCTS + "source.jdbc.query=select 1", PRODUCTS + "source.bean=keys")))
        .contains("products.source names 2 sources [jdbc, bean]", "one at most", "Keep one");
  }

  /** Bounds and sizes that are fixed or derived. */
  @ParameterizedTest
  @CsvSource({
    "filters.products.block-words, filters.products.layout",
    "filters.products.cache.jitter, filters.products.cache.null-ttl",
    "filters.products.cache.max-null-entries, filters.products.cache.null-ttl",
    "filters.products.source.r2dbc.fetch-size, filters.products.source.r2dbc.query",
    "cache.refresh-beta, cache.soft-ttl",
    "filters.products.cache.refresh-beta, filters.products.cache.soft-ttl",
    "load.max-waiting, load.max-concurrent",
    "server.batch-timeout, server.check-timeout",
    "writes.journal-heap, writes.timeout",
    "writes.max-keys-per-transaction, writes.timeout"
  })
  void settingThatIsFixedStopsTheStartWithThoseBesideIt(String fixed, String beside) {
    assertThat(text(Wiring.application().withPropertyValues("bloomguard." + fixed + "=1")))
        .contains("no property [bloomguard." + fixed + "]", "bloomguard." + beside);
  }

  static List<Arguments> snapshots() {
    return List.of(
        refused(
            PRODUCTS + "warm-up.snapshot=/no/such/directory/products",
            "'products'",
            "'/no/such/directory/products'",
            "lies in no directory",
            "products.warm-up.snapshot"),
        refused(
            PRODUCTS + "warm-up.snapshot=/proc/products",
            "'/proc/products'",
            "cannot be written to",
            "this application may write to"),
        refused(PRODUCTS + "warm-up.snapshot=/", "'/'", "is no file"));
  }

  @ParameterizedTest
  @MethodSource("snapshots")
  void placeOfASnapshotIsRefusedWithTheReason(String property, List<String> said) {
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(property, PRODUCTS + "source.added-only=true")))
        .contains(said);
  }

  @Test
  void snapshotOfAFilterInRedisIsRefused() {
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(
                        PRODUCTS + "backend=redis", PRODUCTS + "warm-up.snapshot=/tmp/products")))
        .contains(
            "products.warm-up.snapshot is '/tmp/products'",
            "'redis' keeps the filter itself",
            "backend 'local'");
  }

  @Test
  void snapshotOfTwoFiltersIsRefused() {
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(
                        PRODUCTS + "source.added-only=true",
                        PRODUCTS + "warm-up.snapshot=" + directory + "/a",
                        "bloomguard.filters.orders.source.added-only=true",
                        "bloomguard.filters.orders.warm-up.snapshot=" + directory + "/b/../a")))
        .contains("'products'", "'orders'", directory + "/a", "a file of its own");
  }

  @Test
  void secretThatCannotBeReadIsRefused() throws IOException {
    Files.createDirectories(directory.resolve("products.secret/full"));
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(
                        PRODUCTS + "source.added-only=true",
                        PRODUCTS + "warm-up.snapshot=" + directory + "/products")))
        .contains("'products'", directory + "/products.secret'", "bloomguard.hash-secret");
  }

  @Test
  void ageOfASnapshotMustBePositive() {
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(
                        PRODUCTS + "source.added-only=true",
                        PRODUCTS + "warm-up.snapshot=" + directory + "/products",
                        PRODUCTS + "warm-up.snapshot-max-age=0s")))
        .contains("products.warm-up.snapshot-max-age is PT0S", "positive", "such as 24h");
  }

  @ParameterizedTest
  @CsvSource({
    "select id from p, 0",
    "select id from p where a > ? and b > ?, 2",
    "select id from p where n = '?', 0"
  })
  void recentQueryWithoutItsOneParameterIsRefused(String query, int parameters) {
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(
                        PRODUCTS + "source.jdbc.query=select id from p",
                        PRODUCTS + "source.jdbc.recent-query=" + query)))
        .contains(
            "products.source.jdbc.recent-query has " + parameters + " parameters",
            "exactly one ?",
            "where updated_at >= ?");
  }

  @Test
  void intervalOfRecentReadingsMustBePositiveAndNeedsThem() {
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(
                        PRODUCTS + "source.jdbc.query=select id from p",
                        PRODUCTS + "source.jdbc.recent-query=select id from p where t > ?",
                        PRODUCTS + "source.recent-interval=0s")))
        .contains("source.recent-interval is PT0S", "positive", "such as 30s");
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(
                        PRODUCTS + "source.jdbc.query=select id from p",
                        PRODUCTS + "source.recent-interval=5s")))
        .contains("source.recent-interval is set", "no source that reads recent keys");
  }

  @Test
  void aFeedOfChangesIsChecked() {
    String[] whole = {
      PRODUCTS + "source.jdbc.query=select id from p",
      CHANGES + "from=kafka",
      CHANGES + "topic=shop.p",
      CHANGES + "key=id"
    };
    ApplicationContextRunner application = Wiring.application().withPropertyValues(whole);
    assertThat(text(application.withPropertyValues(CHANGES + "topic=")))
        .contains("changes.topic is empty", "shop.public.products");
    assertThat(text(application.withPropertyValues(CHANGES + "from=")))
        .contains("changes.from is empty", "kafka");
    assertThat(text(application.withPropertyValues(CHANGES + "key=")))
        .contains("changes.key is []", "such as id");
    assertThat(text(application.withPropertyValues(CHANGES + "max-lag=2s")))
        .contains("changes.max-lag is PT2S", "at least PT3S");
    assertThat(text(application.withPropertyValues(CHANGES + "on-lag=reject")))
        .contains("[unknown, absent]");
    assertThat(
            text(
                Wiring.application()
                    .withPropertyValues(whole[1], whole[2], whole[3])
                    .withPropertyValues(PRODUCTS + "source.added-only=true")))
        .contains("source.changes is set", "no source", "source.jdbc");
  }

  static class Asking {
    @BloomGuarded(filter = "products", key = "#id")
    public Optional<String> find(long id) {
      return Optional.empty();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class LazilyAsking {
    @Bean
    @Lazy
    Asking asking() {
      return new Asking();
    }
  }

  @Test
  void missingDataSourceIsRefusedWhereTheFilterIsAsked() {
    ApplicationContextRunner without =
        Wiring.application().withPropertyValues(PRODUCTS + "source.jdbc.query=select 1");
    String[] said = {"needs one data source", "has none", "spring.datasource.url"};
    assertThat(text(without.withBean(Asking.class))).contains(said);
    assertThat(text(without.withUserConfiguration(LazilyAsking.class))).contains(said);
    assertThat(
            text(
                Wiring.webApplication()
                    .withPropertyValues(
                        PRODUCTS + "source.jdbc.query=select 1",
                        "bloomguard.web.rules[0].pattern=/p/{id}",
                        "bloomguard.web.rules[0].filter=products",
                        "bloomguard.web.rules[0].key=id")))
        .contains(said);
  }

  /** Spring Boot makes no data source beside one. */
  @Test
  void missingDataSourceBesideAConnectionFactoryNamesTheOtherSource() {
    assertThat(
            text(
                Wiring.application()
                    .withBean(Asking.class)
                    .withBean(ConnectionFactory.class, StartupFailureTest::connections)
                    .withPropertyValues(PRODUCTS + "source.jdbc.query=select 1")))
        .contains("set bloomguard.filters.products.source.r2dbc.query in place of")
        .doesNotContain("spring-boot-starter-jdbc");
    assertThat(
            text(
                Wiring.application()
                    .withBean(Asking.class)
                    .withPropertyValues(PRODUCTS + "source.jdbc.query=select 1")))
        .contains("bloomguard.filters.products.source.bean");
  }

  @Test
  void missingConnectionFactoryIsRefusedAndSoAreTwo() {
    ApplicationContextRunner without =
        Wiring.application()
            .withBean(Asking.class)
            .withPropertyValues(PRODUCTS + "source.r2dbc.query=select 1");
    assertThat(text(without))
        .contains(
            "needs one connection factory", "spring-boot-starter-data-r2dbc", "spring.r2dbc.url");
    assertThat(
            text(
                without
                    .withBean("left", ConnectionFactory.class, StartupFailureTest::connections)
                    .withBean("right", ConnectionFactory.class, StartupFailureTest::connections)))
        .contains("[left, right]", "@Primary");
  }

  @Test
  void aSourceOverR2dbcFillsTheFilter() {
    Wiring.application()
        .withBean(ConnectionFactory.class, StartupFailureTest::connections)
        .withPropertyValues(
            PRODUCTS + "source.r2dbc.query=select x from system_range(1, 100)",
            PRODUCTS + "warm-up.mode=blocking")
        .run(
            context -> {
              var guard = context.getBean(BloomGuards.class).guard("products");
              assertThat(guard.check(100)).isEqualTo(Membership.POSSIBLY_PRESENT);
              assertThat(guard.check(101)).isEqualTo(Membership.ABSENT);
            });
  }

  private static ConnectionFactory connections() {
    return new H2ConnectionFactory(
        H2ConnectionConfiguration.builder().inMemory("startup-failure").build());
  }

  /** As a test that excludes the data source, of an application whose properties it has. */
  @Test
  void missingDataSourceOfAFilterThatIsNotAskedIsUnknown() {
    Wiring.application()
        .withPropertyValues(
            PRODUCTS + "source.jdbc.query=select 1", PRODUCTS + "warm-up.mode=blocking")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(BloomGuards.class).guard("products").check(1))
                  .isEqualTo(Membership.UNKNOWN);
            });
  }

  @Test
  void twoDataSourcesAreRefusedByName() {
    assertThat(
            text(
                Wiring.application()
                    .withBean("left", SimpleDriverDataSource.class)
                    .withBean("right", SimpleDriverDataSource.class)
                    .withPropertyValues(PRODUCTS + "source.jdbc.query=select 1")))
        .contains(
            "'products'",
            "needs one data source",
            "[left, right]",
            "bloomguard.filters.products.source.jdbc.data-source",
            "@Primary");
  }

  @Test
  void nameOfNoDataSourceIsRefusedAndOthersAreNamed() {
    assertThat(
            text(
                Wiring.application()
                    .withBean("left", SimpleDriverDataSource.class)
                    .withBean("middle", String.class, () -> "none")
                    .withPropertyValues(
                        PRODUCTS + "source.jdbc.query=select 1",
                        PRODUCTS + "source.jdbc.data-source=middle")))
        .contains("source.jdbc.data-source is 'middle'", "no bean of type", "available: [left]");
  }

  @Test
  void beanOfAnotherTypeIsNoSourceAndOthersAreNamed() {
    assertThat(
            text(
                Wiring.application()
                    .withBean("productKeys", String.class, () -> "42")
                    .withBean("orderKeys", TestKeys.class)
                    .withPropertyValues(PRODUCTS + "source.bean=productKeys")))
        .contains("'productKeys'", "no bean of type", "available: [orderKeys]");
  }

  @Test
  void backendWithoutItsLibraryIsRefused() {
    assertThat(
            text(
                Wiring.application()
                    .withClassLoader(new FilteredClassLoader(LettuceConnectionFactory.class))
                    .withPropertyValues("bloomguard.backend=redis", PRODUCTS + "layout=blocked")))
        .contains(
            "'redis'",
            "available: [local]",
            "spring-boot-starter-data-redis",
            "io.lettuce:lettuce-core");
  }

  @Test
  void webRulesWithoutSpringMvcAndWebFluxAreRefused() {
    assertThat(
            text(
                Wiring.application()
                    .withClassLoader(
                        new FilteredClassLoader(DispatcherServlet.class, DispatcherHandler.class))
                    .withPropertyValues(
                        PRODUCTS + "expected-insertions=10",
                        "bloomguard.web.rules[0].pattern=/products/{id}",
                        "bloomguard.web.rules[0].filter=products",
                        "bloomguard.web.rules[0].key=id")))
        .contains("bloomguard.web.rules", "Spring MVC or WebFlux", "spring-boot-starter-webmvc");
  }

  /** As in a test with {@code webEnvironment = NONE}, or a batch run of a web application. */
  @Test
  void webRulesRestWhereNoRequestCanCome() {
    Wiring.application()
        .withPropertyValues(
            PRODUCTS + "expected-insertions=10",
            "bloomguard.web.rules[0].pattern=/products/{id}",
            "bloomguard.web.rules[0].filter=products",
            "bloomguard.web.rules[0].key=id")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void webRulesBesideAnotherPathMatchingAreRefused() {
    assertThat(
            text(
                Wiring.webApplication()
                    .withPropertyValues(
                        PRODUCTS + "expected-insertions=10",
                        "spring.mvc.pathmatch.matching-strategy=ant_path_matcher",
                        "bloomguard.web.rules[0].pattern=/products/{id}",
                        "bloomguard.web.rules[0].filter=products",
                        "bloomguard.web.rules[0].key=id")))
        .contains("AntPathMatcher", "Remove spring.mvc.pathmatch.matching-strategy");
  }

  /** An earlier version had it. */
  @Test
  void hashWithoutASecretIsRefused() {
    assertThat(text(Wiring.application().withPropertyValues(PRODUCTS + "hash=wyhash")))
        .contains(
            PRODUCTS + "hash is 'wyhash'",
            "must be one of [siphash-1-3, siphash-2-4]",
            "Set it to one of these");
  }

  @Test
  void environmentVariableThatMakesATwinIsRefusedWithAHint() {
    assertThat(
            text(
                environment("BLOOMGUARD_FILTERS_ORDERITEMS_EXPECTEDINSERTIONS")
                    .withPropertyValues("bloomguard.filters.order-items.expected-insertions=10")))
        .contains("'order-items'", "'orderitems'", "environment variable", "properties file");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "BLOOMGUARD_FILTERS_ORDER_ITEMS_EXPECTEDINSERTIONS",
        "BLOOMGUARD_FILTERS_ORDER_ITEMS_SIZE"
      })
  void environmentVariableThatSplitsANameIsRefusedWithAHint(String variable) {
    assertThat(
            text(
                environment(variable)
                    .withPropertyValues("bloomguard.filters.order-items.expected-insertions=10")))
        .contains(
            variable,
            "no property of a filter",
            "BLOOMGUARD_FILTERS_ORDERITEMS_EXPECTEDINSERTIONS",
            "[order-items]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "BLOOMGUARD_FILTERS_PRODUCTS_EXPECTEDINSERTIONS",
        "BLOOMGUARD_FILTERS_PRODUCTS_EXPECTED_INSERTIONS"
      })
  void environmentVariableOfAFilterIsTaken(String variable) {
    environment(variable)
        .withPropertyValues(PRODUCTS + "layout=blocked")
        .run(
            context ->
                assertThat(context.getBean(BloomguardProperties.class).filters())
                    .hasSize(1)
                    .hasEntrySatisfying(
                        "products",
                        filter -> assertThat(filter.expectedInsertions()).isEqualTo(4711)));
  }

  private static ApplicationContextRunner environment(String variable) {
    return Wiring.application()
        .withInitializer(
            context ->
                context
                    .getEnvironment()
                    .getPropertySources()
                    .replace(
                        "systemEnvironment",
                        new SystemEnvironmentPropertySource(
                            "systemEnvironment", Map.of(variable, "4711"))));
  }

  static List<Arguments> rules() {
    return List.of(
        Arguments.of(
            "prodcts", "id", List.of("/p/{id}", "'prodcts'", "not configured", "[products]")),
        Arguments.of("products", "key", List.of("/p/{id}", "'key'", "no variable", "[id]")));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void webRuleIsRefused(String filter, String key, List<String> said) {
    assertThat(
            text(
                Wiring.webApplication()
                    .withPropertyValues(
                        PRODUCTS + "expected-insertions=10",
                        "bloomguard.web.rules[0].pattern=/p/{id}",
                        "bloomguard.web.rules[0].filter=" + filter,
                        "bloomguard.web.rules[0].key=" + key)))
        .contains(said);
  }

  static class UnknownFilter {
    @BloomGuarded(filter = "prodcts", key = "#id")
    public Optional<String> find(long id) {
      return Optional.empty();
    }
  }

  static class UnparsableKey {
    @BloomGuarded(filter = "products", key = "#id +")
    public Optional<String> find(long id) {
      return Optional.empty();
    }
  }

  static class MissingParameter {
    @BloomGuarded(filter = "products", key = "#sku")
    public Optional<String> find(long id) {
      return Optional.empty();
    }
  }

  static class PrimitiveReturned {
    @BloomGuarded(filter = "products", key = "#id")
    public int find(long id) {
      return 0;
    }
  }

  static class FinalMethod {
    @BloomGuarded(filter = "products", key = "#id")
    public final @Nullable String find(long id) {
      return null;
    }
  }

  static class PrivateMethod {
    @BloomGuarded(filter = "products", key = "#id")
    private @Nullable String find(long id) {
      return String.valueOf(id);
    }

    public @Nullable String call(long id) {
      return find(id);
    }
  }

  static class StaticMethod {
    @BloomGuarded(filter = "products", key = "#id")
    public static @Nullable String find(long id) {
      return null;
    }
  }

  static List<Arguments> methods() {
    return List.of(
        Arguments.of(UnknownFilter.class, List.of("'prodcts'", "not configured", "[products]")),
        Arguments.of(UnparsableKey.class, List.of("\"#id +\"", "cannot be parsed", "#order.id")),
        Arguments.of(MissingParameter.class, List.of("#sku", "no parameter", "#id")),
        Arguments.of(PrimitiveReturned.class, List.of("returns int", "Optional")),
        Arguments.of(FinalMethod.class, List.of("final method", "proxy")),
        Arguments.of(PrivateMethod.class, List.of("private method", "proxy")),
        Arguments.of(StaticMethod.class, List.of("static method", "proxy")));
  }

  @ParameterizedTest
  @MethodSource("methods")
  void methodIsRefusedByItsName(Class<?> bean, List<String> said) {
    assertThat(text(withProducts().withBean(bean)))
        .contains("@BloomGuarded on " + bean.getName() + ".find(long)")
        .contains(said);
  }

  /** As in a test whose own properties hide those of the application. */
  @Test
  void annotationOfAnApplicationWithoutFiltersIsToldSo() {
    assertThat(text(Wiring.application().withBean(UnknownFilter.class)))
        .contains("'prodcts', which is not configured")
        .contains("no filter is configured", "bloomguard.enabled=false")
        .doesNotContain("[]");
  }

  @Test
  void methodWithoutParameterNamesIsRefusedWithTheCompilerOption() throws Exception {
    Class<?> bean = compiledWithoutParameterNames();
    assertThat(text(withProducts().withClassLoader(bean.getClassLoader()).withBean(bean)))
        .contains("Nameless.find(long)", "#id", "no parameter", "#p0", "-parameters");
  }

  private Class<?> compiledWithoutParameterNames() throws IOException, ClassNotFoundException {
    Path source = directory.resolve("Nameless.java");
    Files.writeString(
        source,
        """
        public class Nameless {
          @io.bloomguard.annotation.BloomGuarded(filter = "products", key = "#id")
          public String find(long id) {
            return null;
          }
        }
        """);
    String classPath =
        new File(BloomGuarded.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .getPath();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                classPath,
                "-d",
                directory.toString(),
                source.toString());
    assertThat(status).isZero();
    // Open as long as the test runs: the class is looked at later.
    URLClassLoader loader =
        new URLClassLoader(
            new URL[] {directory.toUri().toURL()}, StartupFailureTest.class.getClassLoader());
    return loader.loadClass("Nameless");
  }

  @Configuration(proxyBeanMethods = false)
  static class FailingSource {
    @Bean
    TestKeys productKeys() {
      return new TestKeys(
          sink -> {
            throw new IllegalStateException("the database is gone");
          });
    }
  }

  @Test
  void blockingWarmUpThatFailsSaysWhatToDo() {
    assertThat(
            text(
                Wiring.application()
                    .withUserConfiguration(FailingSource.class)
                    .withPropertyValues(
                        PRODUCTS + "source.bean=productKeys", PRODUCTS + "warm-up.mode=blocking")))
        .contains("'products' could not be warmed up", "filters.products", "'background'");
  }

  private static ApplicationContextRunner withProducts() {
    return Wiring.application().withPropertyValues(PRODUCTS + "expected-insertions=10");
  }

  private static String text(
      org.springframework.boot.test.context.runner.AbstractApplicationContextRunner<?, ?, ?>
          application) {
    FailureAnalysis analysis = Wiring.failure(application);
    assertThat(analysis.getAction()).isNotBlank();
    return analysis.getDescription() + "\n" + analysis.getAction();
  }
}
