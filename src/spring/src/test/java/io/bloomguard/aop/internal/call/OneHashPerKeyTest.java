package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.aop.internal.statements.UnguardedWrites;
import io.bloomguard.aop.internal.verify.GuardProxyRegistrar;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.GuardedFilters;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.OwnedTypes;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.bloomguard.redis.internal.store.RedisStores;
import io.bloomguard.web.BloomGuardFilter;
import io.bloomguard.web.KeyType;
import io.bloomguard.web.WebRule;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * On its way from the entry to the answer a key is made canonical once and hashed once; where its
 * value is kept in Redis, it is digested once as well.
 */
class OneHashPerKeyTest extends RedisTestBase {

  private static final String UUID_PRESENT = "00000000-0000-0000-0000-00000000002a";

  private static final CacheSettings CACHE =
      TestSettings.cache(
          Duration.ofMinutes(1), Duration.ofMinutes(1), 0, 100, 100, Duration.ofSeconds(10));

  private final AtomicInteger texts = new AtomicInteger();
  private final AtomicInteger hashes = new AtomicInteger();
  private final AtomicInteger digests = new AtomicInteger();
  private @Nullable GuardRegistry registry;

  @AfterEach
  void closeGuards() {
    if (registry != null) {
      registry.close();
    }
  }

  @Test
  void aLocalRejection() throws Exception {
    EntryGuard<String> guard = local();
    assertThat(guard.check(asked("absent"))).isEqualTo(Membership.ABSENT);
    assertCounts(1, 1, 0);
    assertThat(guard.admit(asked("absent"))).isFalse();
    assertCounts(1, 1, 0);
    assertThat(guard.ask(Ask.toPassOn(asked("absent")).tried()).isEmpty()).isTrue();
    assertCounts(1, 1, 0);
    assertThat(guard.call(asked("absent"), () -> "never")).isNull();
    assertCounts(1, 1, 0);
    assertThat(guard.get(asked("absent"), () -> "never")).isNull();
    assertCounts(1, 1, 0);
    assertThat(later(guard, "absent")).isNull();
    assertCounts(1, 1, 0);
    guard.askLater(Ask.toLoad(asked("absent")).tried()).get().close();
    assertCounts(1, 1, 0);
    assertThat(guard.get(41L, () -> "never")).isNull();
    assertCounts(0, 1, 0);
  }

  @Test
  void aLocalLoadAndAHitAfterIt() throws Exception {
    EntryGuard<String> guard = local();
    assertThat(guard.get(asked("present"), () -> "value")).isEqualTo("value");
    assertCounts(1, 1, 0);
    assertThat(guard.get(asked("present"), () -> "another")).isEqualTo("value");
    assertCounts(1, 1, 0);
    assertThat(later(guard, "present")).isEqualTo("value");
    assertCounts(1, 1, 0);
    assertThat(later(guard, "another")).isEqualTo("later");
    assertCounts(1, 1, 0);
    assertThat(guard.get(42L, () -> "value")).isEqualTo("value");
    assertCounts(0, 1, 0);
  }

  @Test
  void aLoadAndAHitWithRedis() throws Exception {
    EntryGuard<String> guard = inRedis(CACHE);
    assertThat(guard.get(asked("absent"), () -> "never")).isNull();
    assertCounts(1, 1, 0);
    assertThat(guard.get(asked("present"), () -> "value")).isEqualTo("value");
    assertCounts(1, 1, 1);
    assertThat(guard.get(asked("present"), () -> "another")).isEqualTo("value");
    assertCounts(1, 1, 1);
    assertThat(later(guard, "present")).isEqualTo("value");
    assertCounts(1, 1, 1);
    assertThat(later(guard, "another")).isEqualTo("later");
    assertCounts(1, 1, 1);
  }

  @Test
  void aLoadAndAHitWithRedisOfValuesThatFallDue() throws Exception {
    Duration soft = Duration.ofSeconds(30);
    EntryGuard<String> guard =
        inRedis(new CacheSettings(CACHE.ttl(), CACHE.nullTtl(), 0, 100, 100, CACHE.lease(), soft));
    assertThat(guard.get(asked("present"), () -> "value")).isEqualTo("value");
    assertCounts(1, 1, 1);
    assertThat(guard.get(asked("present"), () -> "another")).isEqualTo("value");
    assertCounts(1, 1, 1);
  }

  @Test
  void aKeyThatAFilterInRedisCannotJudge() throws Exception {
    EntryGuard<String> guard = guard(redisStore(), cacheInRedis(CACHE));
    assertThat(guard.check(asked("present"))).isEqualTo(Membership.UNKNOWN);
    assertCounts(1, 1, 0);
    assertThat(guard.checkAll(List.of(asked("present"), asked("another"))))
        .containsOnly(Membership.UNKNOWN);
    assertCounts(2, 2, 0);
    assertThat(guard.get(asked("present"), () -> "value")).isEqualTo("value");
    assertCounts(1, 1, 1);
  }

  @Test
  void aBatch() {
    EntryGuard<String> guard = local();
    assertThat(all(guard)).hasSize(2);
    assertCounts(3, 3, 0);
    assertThat(all(guard)).hasSize(2);
    assertCounts(3, 3, 0);
    guard.ask(Ask.toLoadAll(List.of(asked("present"), asked("absent")))).close();
    assertCounts(2, 2, 0);
  }

  @Test
  void aBatchWithRedis() {
    EntryGuard<String> guard = inRedis(CACHE);
    assertThat(all(guard)).hasSize(2);
    assertCounts(3, 3, 2);
    assertThat(all(guard)).hasSize(2);
    assertCounts(3, 3, 2);
  }

  @Test
  void anAdd() {
    assertThat(local().put(asked("new"))).isTrue();
    assertCounts(1, 1, 0);
    assertThat(guard(filled(redisStore()), new LocalValueCache(CACHE, null)).put(asked("new")))
        .isTrue();
    assertCounts(1, 1, 0);
  }

  @Test
  void aRequestUnderAWebRule() throws Exception {
    local();
    for (KeyType type : KeyType.values()) {
      String present = type == KeyType.UUID ? UUID_PRESENT : "42";
      String absent = type == KeyType.UUID ? new UUID(1, 1).toString() : "41";
      assertThat(status(type, present)).isEqualTo(200);
      assertCounts(0, 1, 0);
      assertThat(status(type, absent)).isEqualTo(404);
      assertCounts(0, 1, 0);
    }
  }

  @Test
  void aCallOfAGuardedMethod() {
    local();
    GuardRegistry guards = guards();
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      OwnedValues owned = new OwnedValues(() -> OwnedTypes.NONE);
      context.registerBean(
          GuardedMethods.class,
          () -> new GuardedMethods(() -> guards, Transactions.NONE, owned, Findings.PLAIN));
      context.registerBean(UnguardedWrites.class, Guarding::ignoredWrites);
      context.register(Advisors.class, Products.class);
      context.refresh();
      Products products = context.getBean(Products.class);
      assertThat(products.find(asked("absent"))).isNull();
      assertCounts(1, 1, 0);
      assertThat(products.find(asked("present"))).isEqualTo("value");
      assertCounts(1, 1, 0);
      assertThat(products.find(asked("present"))).isEqualTo("value");
      assertCounts(1, 1, 0);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import(GuardProxyRegistrar.class)
  static class Advisors {}

  static class Products {

    @BloomGuarded(filter = "products", key = "#p0")
    public @Nullable String find(CharSequence key) {
      return "value";
    }
  }

  private int status(KeyType type, String key) throws Exception {
    BloomGuardFilter filter =
        new BloomGuardFilter(
            List.of(new WebRule("/products/{id}", "products", "id", type)),
            guards(),
            new PathPatternParser(),
            DefaultConversionService.getSharedInstance());
    MockHttpServletResponse response = new MockHttpServletResponse();
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/products/" + key);
    filter.doFilter(request, response, new MockFilterChain());
    return response.getStatus();
  }

  /** Of three keys two are present. */
  private Map<Key, String> all(EntryGuard<String> guard) {
    return guard.getAll(
        List.of(asked("absent"), asked("present"), asked("another")),
        keys -> {
          Map<Key, String> values = new HashMap<>();
          keys.forEach(key -> values.put(key, "value"));
          return values;
        });
  }

  private @Nullable String later(EntryGuard<String> guard, String key) throws Exception {
    Future<@Nullable String> value =
        guard
            .getAsync(asked(key), () -> CompletableFuture.completedFuture("later"))
            .toCompletableFuture();
    return value.get(10, TimeUnit.SECONDS);
  }

  /** What was counted since the last look. */
  private void assertCounts(int canonical, int hashed, int digested) {
    assertThat(List.of(texts.getAndSet(0), hashes.getAndSet(0), digests.getAndSet(0)))
        .as("canonical texts, hashes and digests")
        .containsExactly(canonical, hashed, digested);
  }

  private EntryGuard<String> local() {
    LocalGenerations store =
        TestGenerations.local(
            "products",
            shape -> MembershipFilters.create(shape, hasher()),
            SHAPE,
            RETENTION,
            0,
            System::nanoTime);
    return guard(filled(store), new LocalValueCache(CACHE, null));
  }

  private EntryGuard<String> inRedis(CacheSettings settings) {
    return guard(filled(redisStore()), cacheInRedis(settings));
  }

  private static GenerationStore filled(GenerationStore store) {
    build(store, SHAPE, List.of("present", "another", "42", UUID_PRESENT));
    return store;
  }

  private GenerationStore redisStore() {
    return RedisStores.store(settings(first, SHAPE), hasher(), SECRET, AT_ONCE);
  }

  private ValueCache cacheInRedis(CacheSettings settings) {
    KeyDigest counting =
        new KeyDigest(SECRET) {
          @Override
          public String hex(String key) {
            digests.incrementAndGet();
            return super.hex(key);
          }
        };
    return valueCache(first, settings, counting);
  }

  private EntryGuard<String> guard(GenerationStore store, ValueCache cache) {
    closeGuards();
    registry =
        GuardedFilters.registry(
            "products",
            store,
            name -> cache,
            TestSettings.loads(4, Duration.ofSeconds(5), Duration.ofSeconds(5)));
    EntryGuard<String> guard =
        registry.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
    hashes.set(0);
    return guard;
  }

  private GuardRegistry guards() {
    GuardRegistry guards = registry;
    if (guards == null) {
      throw new IllegalStateException("There are no guards yet");
    }
    return guards;
  }

  private KeyHasher hasher() {
    KeyHasher hasher = KeyHash.SIPHASH_1_3.hasher(SECRET);
    return new KeyHasher() {
      @Override
      public String algorithm() {
        return hasher.algorithm();
      }

      @Override
      public String secretId() {
        return hasher.secretId();
      }

      @Override
      public long hash(String key) {
        hashes.incrementAndGet();
        return hasher.hash(key);
      }

      @Override
      public long hash(long key) {
        hashes.incrementAndGet();
        return hasher.hash(key);
      }
    };
  }

  private Key asked(String text) {
    return new Key(text, texts);
  }

  /** Text in another form, which has to be made canonical. */
  private static final class Key implements CharSequence {

    private final String text;
    private final AtomicInteger texts;

    Key(String text, AtomicInteger texts) {
      this.text = text;
      this.texts = texts;
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      texts.incrementAndGet();
      return text;
    }
  }
}
