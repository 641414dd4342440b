package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import redis.embedded.RedisServer;

/** A cache lives where its filter lives, whatever the backend of the others is. */
@Tag("redis")
class CachePlaceTest {

  private static RedisServer redis;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    redis = EmbeddedRedis.server(port).build();
    redis.start();
  }

  @AfterAll
  static void stop() throws Exception {
    redis.stop();
  }

  /** A prefix for each test: what one leaves in Redis is not the next one's. */
  private final String prefix = "test-" + UUID.randomUUID();

  private ApplicationContextRunner application() {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withBean("keys", KeySource.class, () -> sink -> sink.accept("known"))
        .withPropertyValues(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + port,
            "bloomguard.redis.key-prefix=" + prefix,
            "bloomguard.redis.command-timeout=2s",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            "bloomguard.filters.shared.backend=redis",
            "bloomguard.filters.shared.source.bean=keys",
            "bloomguard.filters.shared.expected-insertions=1000",
            "bloomguard.filters.own.source.bean=keys",
            "bloomguard.filters.own.expected-insertions=1000");
  }

  @Test
  void twoProcessesThatShareAFilterShareItsValuesAndNullEntries() {
    application()
        .run(
            here ->
                application()
                    .run(
                        there -> {
                          BloomGuard<String> a = guard(here, "shared");
                          BloomGuard<String> b = guard(there, "shared");
                          AtomicInteger loads = new AtomicInteger();
                          assertThat(a.get("known", () -> "value" + loads.incrementAndGet()))
                              .isEqualTo("value1");
                          assertThat(b.get("known", () -> "value" + loads.incrementAndGet()))
                              .isEqualTo("value1");

                          // The null entry of the one falls with a write of the other.
                          a.put("new");
                          assertThat(b.get("new", () -> null)).isNull();
                          assertThat(b.get("new", () -> "unseen")).isNull();
                          a.put("new");
                          assertThat(b.get("new", () -> "seen")).isEqualTo("seen");

                          BloomGuard<String> mine = guard(here, "own");
                          assertThat(mine.get("known", () -> "here")).isEqualTo("here");
                          assertThat(guard(there, "own").get("known", () -> "there"))
                              .as("a local filter's cache is local")
                              .isEqualTo("there");
                        }));
  }

  private static BloomGuard<String> guard(ApplicationContext context, String filter) {
    BloomGuard<String> guard = context.getBean(BloomGuards.class).guard(filter, String.class);
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> guard.check("known") == Membership.POSSIBLY_PRESENT);
    return guard;
  }

  static class Disagreeing {
    @BloomGuarded(filter = "own", key = "#id", cache = "names")
    public @Nullable String find(String id) {
      return null;
    }

    @BloomPut(filter = "shared", key = "#id", cache = "names")
    public void save(String id) {}
  }

  @Test
  void filtersThatShareACacheAndLiveApartAreRefused() {
    FailureAnalysis failure = Wiring.failure(application().withBean(Disagreeing.class));
    assertThat(failure.getDescription())
        .contains("Disagreeing")
        .contains("shares the cache 'names'")
        .contains("'own' (backend local)")
        .contains("'shared' (backend redis)");
    assertThat(failure.getAction()).contains("cache of its own");
  }

  static class Lifetimes {
    @BloomGuarded(filter = "own", key = "#id", cache = "own", ttl = "5m")
    public @Nullable String find(String id) {
      return null;
    }

    @BloomGuarded(filter = "own", key = "#id", cache = "own")
    public @Nullable String load(String id) {
      return null;
    }
  }

  @Test
  void methodsThatShareACacheAndDisagreeOnLifetimesAreRefused() {
    FailureAnalysis failure = Wiring.failure(application().withBean(Lifetimes.class));
    assertThat(failure.getDescription())
        .contains("ttl=PT5M")
        .contains("ttl=PT10M")
        .contains("Lifetimes.find(String)")
        .contains("Lifetimes.load(String)");

    application()
        .withBean(Lifetimes.class)
        .withPropertyValues("bloomguard.filters.own.cache.ttl=5m")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void settingsOfAFilterAreChecked() {
    for (String wrong : new String[] {"ttl=0s", "soft-ttl=10m", "null-ttl=-1s"}) {
      FailureAnalysis failure =
          Wiring.failure(application().withPropertyValues("bloomguard.filters.own.cache." + wrong));
      assertThat(failure.getDescription())
          .contains("bloomguard.filters.own.cache." + wrong.substring(0, wrong.indexOf('=')));
    }
  }

  @Test
  void aSoftLimitForAllIsComparedWithTheLifetimeOfEachFilter() {
    FailureAnalysis failure =
        Wiring.failure(
            application()
                .withPropertyValues(
                    "bloomguard.cache.soft-ttl=8m", "bloomguard.filters.own.cache.ttl=5m"));
    assertThat(failure.getDescription())
        .contains("bloomguard.filters.own.cache.soft-ttl is PT8M")
        .contains("shorter than the ttl, which is PT5M");
  }

  /** Answers another name each time. */
  static class Names {
    final AtomicInteger loads = new AtomicInteger();

    @BloomGuarded(filter = "own", key = "#id", cache = "kept")
    public String kept(String id) {
      return "name" + loads.incrementAndGet();
    }

    @BloomGuarded(filter = "own", key = "#id", cache = "refreshed", softTtl = "1ms")
    public String refreshed(String id) {
      return "name" + loads.incrementAndGet();
    }

    @BloomGuarded(filter = "shared", key = "#id", cache = "of-filter")
    public String ofFilter(String id) {
      return "name" + loads.incrementAndGet();
    }
  }

  @Test
  void valuesAreLoadedAgainBeforeTheirEndWhereTheMethodOrItsFilterSaysSo() {
    application()
        .withBean(Names.class)
        .withPropertyValues("bloomguard.filters.shared.cache.soft-ttl=1ms")
        .run(
            context -> {
              guard(context, "own");
              guard(context, "shared");
              Names names = context.getBean(Names.class);
              assertThat(names.kept("known")).isEqualTo("name1");
              String first = names.refreshed("known");
              await().until(() -> !names.refreshed("known").equals(first));
              String shared = names.ofFilter("known");
              await().until(() -> !names.ofFilter("known").equals(shared));
              assertThat(names.kept("known")).isEqualTo("name1");
            });
  }

  interface Payment {}

  static class Payments {
    @BloomGuarded(filter = "shared", key = "#id")
    public Optional<Payment> find(String id) {
      return Optional.empty();
    }
  }

  @Test
  void aTypeThatCannotBeReadBackFromRedisIsRefused() {
    FailureAnalysis failure = Wiring.failure(application().withBean(Payments.class));
    assertThat(failure.getDescription())
        .contains("Payments.find(String)")
        .contains("Payment is an interface, which no JSON can be read as");
    assertThat(failure.getAction()).contains("record").contains("NULLS");
  }

  @Test
  void aLocalCacheCopiesWhereItIsToldTo() {
    application()
        .withPropertyValues("bloomguard.filters.own.cache.copy=true")
        .run(
            context -> {
              BloomGuard<String> guard = guard(context, "own");
              String loaded = guard.get("known", () -> "value");
              assertThat(guard.get("known", () -> "other")).isEqualTo(loaded).isNotSameAs(loaded);
            });
  }
}
