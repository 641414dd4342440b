package io.bloomguard.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.generation.KeySource;
import io.bloomguard.redis.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import redis.embedded.RedisServer;

/** Requests on virtual threads under load: each is answered, and our code pins no carrier. */
@Tag("redis")
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTest {

  private static final int REQUESTS = 2_000;
  private static final int PORT = EmbeddedRedis.freePort();

  private static RedisServer redis;

  @TempDir private Path directory;

  @BeforeAll
  static void start() throws IOException {
    redis = EmbeddedRedis.server(PORT).build();
    redis.start();
  }

  @AfterAll
  static void stop() throws IOException {
    redis.stop();
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "redis"})
  void noCarrierIsPinned(String backend) throws Exception {
    Path events = directory.resolve(backend + ".jfr");
    try (ConfigurableApplicationContext shop = shop(backend);
        Recording recording = new Recording()) {
      // The first use of a class pins the carrier while the class is loaded.
      ask(shop, 0);
      recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
      recording.start();
      ask(shop, REQUESTS);
      recording.dump(events);
      assertThat(shop.getBean(Products.class).threads()).isNotEmpty().containsOnly(true);
    }
    assertThat(RecordingFile.readAllEvents(events))
        .filteredOn(event -> event.getEventType().getName().equals("jdk.VirtualThreadPinned"))
        .filteredOn(VirtualThreadsTest::isOurs)
        .isEmpty();
  }

  private static boolean isOurs(RecordedEvent pinned) {
    return pinned.getStackTrace() != null
        && pinned.getStackTrace().getFrames().stream()
            .map(frame -> frame.getMethod().getType().getName())
            .anyMatch(
                type ->
                    type.startsWith("io.bloomguard.")
                        && !type.startsWith(VirtualThreadsTest.class.getName()));
  }

  private static ConfigurableApplicationContext shop(String backend) {
    return new SpringApplicationBuilder(Shop.class)
        .run(
            "--spring.config.location=optional:classpath:/none/",
            "--spring.threads.virtual.enabled=true",
            "--server.address=127.0.0.1",
            "--server.port=0",
            "--spring.data.redis.port=" + PORT,
            "--spring.data.redis.timeout=2s",
            "--bloomguard.backend=" + backend,
            "--bloomguard.hash-secret=" + "0f".repeat(16),
            "--bloomguard.redis.key-prefix=virtual-" + backend,
            "--bloomguard.load.max-concurrent=1000",
            "--bloomguard.filters.products.expected-insertions=10000",
            "--bloomguard.filters.products.source.bean=keys",
            "--bloomguard.filters.products.warm-up.mode=blocking",
            "--bloomguard.filters.products.verify.first=0",
            "--bloomguard.filters.products.verify.sample=0");
  }

  /** Even keys exist. Each is asked for ten times at once, so that callers wait for one load. */
  private static void ask(ConfigurableApplicationContext shop, long firstKey) throws Exception {
    String address =
        "http://127.0.0.1:" + shop.getEnvironment().getProperty("local.server.port") + "/";
    HttpClient client = HttpClient.newHttpClient();
    List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      URI product = URI.create(address + key(firstKey, i));
      asked.add(client.sendAsync(HttpRequest.newBuilder(product).build(), BodyHandlers.ofString()));
    }
    for (int i = 0; i < REQUESTS; i++) {
      HttpResponse<String> answer = asked.get(i).get(60, TimeUnit.SECONDS);
      assertThat(answer.statusCode())
          .as(answer.body())
          .isEqualTo(key(firstKey, i) % 2 == 0 ? 200 : 404);
    }
  }

  private static long key(long firstKey, int request) {
    return firstKey + request / 10;
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Products.class, Lookup.class})
  static class Shop {

    @Bean
    SecurityFilterChain open(HttpSecurity http) {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll()).build();
    }

    @Bean
    KeySource keys() {
      return sink -> LongStream.range(0, REQUESTS).forEach(key -> sink.accept(2 * key));
    }
  }

  @Service
  static class Products {

    private final Set<Boolean> threads = ConcurrentHashMap.newKeySet();

    @BloomGuarded(filter = "products", key = "#id")
    Optional<String> find(long id) {
      threads.add(isVirtual(Thread.currentThread()));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      return id % 2 == 0 ? Optional.of("product " + id) : Optional.empty();
    }

    Set<Boolean> threads() {
      return threads;
    }

    /** The method is newer than the JDK that compiles this. */
    private static boolean isVirtual(Thread thread) {
      try {
        return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
      }
    }
  }

  @RestController
  static class Lookup {

    private final Products products;

    Lookup(Products products) {
      this.products = products;
    }

    @GetMapping("/{id}")
    ResponseEntity<String> product(@PathVariable("id") long id) {
      return ResponseEntity.of(products.find(id));
    }
  }
}
