package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** In which order guard, Spring's cache and transaction act on one method. */
class SpringCacheTest {

  private static final long NEW = 7;

  /** What happened, in order; a test runs on one thread. */
  private static final List<String> EVENTS = new ArrayList<>();

  @BeforeEach
  void forget() {
    EVENTS.clear();
  }

  @Test
  void aRejectedCallAsksNoCacheAndNoMethod() {
    run(
        items -> {
          assertThat(items.find(99)).isNull();
          assertThat(items.findShared(99)).isNull();
          assertThat(EVENTS).isEmpty();
        });
  }

  @Test
  void anAdmittedCallGoesToSpringsCacheAndThenToTheMethod() {
    run(
        items -> {
          assertThat(items.find(1)).isEqualTo("item 1");
          assertThat(EVENTS).containsExactly("get", "method", "put");
          assertThat(items.find(1)).isEqualTo("item 1");
          assertThat(EVENTS).containsExactly("get", "method", "put", "get");
        });
  }

  @Test
  void aValueOfTheGuardAnswersBeforeSpringsCache() {
    run(
        items -> {
          assertThat(items.findShared(1)).isEqualTo("item 1");
          assertThat(EVENTS).containsExactly("get", "method", "put");
          assertThat(items.findShared(1)).isEqualTo("item 1");
          assertThat(EVENTS).hasSize(3);
        });
  }

  @Test
  void aNewKeyIsKnownBeforeTheMethodAndCachedBySpringAfterTheCommit() {
    run(
        items -> {
          items.save(NEW);
          assertThat(EVENTS).containsExactly("begin", "method, key known", "commit", "put");
          assertThat(items.find(NEW)).isEqualTo("saved 7");
        });
  }

  @Test
  void aRollbackCachesNothingAndLeavesTheKeyKnown() {
    run(
        items -> {
          assertThatThrownBy(() -> items.save(-7)).isInstanceOf(IllegalArgumentException.class);
          assertThat(EVENTS).containsExactly("begin", "method, key known", "rollback");
          EVENTS.clear();
          assertThat(items.find(-7)).isNull();
          assertThat(EVENTS).containsExactly("get", "method");
        });
  }

  @Test
  void aDeletedRowLeavesSpringsCacheAfterTheCommit() {
    run(
        items -> {
          items.delete(1);
          assertThat(EVENTS).containsExactly("begin", "method", "commit", "evict");
        });
  }

  @Test
  void anEvictionBeforeTheInvocationIsFirst() {
    run(
        items -> {
          items.deleteEvictingFirst(1);
          assertThat(EVENTS).containsExactly("evict", "begin", "method", "commit");
        });
  }

  private static void run(Consumer<Items> test) {
    Wiring.application()
        .withConfiguration(AutoConfigurations.of(TransactionAutoConfiguration.class))
        .withUserConfiguration(Application.class)
        .withPropertyValues(
            "bloomguard.backend=local",
            "bloomguard.filters.items.false-positive-probability=0.000001",
            "bloomguard.filters.items.source.added-only=true",
            "bloomguard.filters.items.warm-up.mode=blocking",
            "bloomguard.filters.items.verify.first=0",
            "bloomguard.filters.items.verify.sample=0")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              context.getBean(BloomGuards.class).guard("items").put(1L);
              test.accept(context.getBean(Items.class));
            });
  }

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Application {

    @Bean
    CacheManager cacheManager() {
      SimpleCacheManager manager = new SimpleCacheManager();
      manager.setCaches(List.of(new RecordingCache()));
      return manager;
    }

    @Bean
    RecordingTransactions transactionManager(ObjectProvider<BloomGuards> guards) {
      return new RecordingTransactions(guards);
    }

    @Bean
    Items items(BloomGuards guards) {
      return new Items(guards);
    }
  }

  static class Items {

    private final BloomGuards guards;

    Items(BloomGuards guards) {
      this.guards = guards;
    }

    @BloomGuarded(filter = "items", key = "#id", caching = Caching.NONE)
    @Cacheable(cacheNames = "items", unless = "#result == null")
    public @Nullable String find(long id) {
      EVENTS.add("method");
      return id == 1 ? "item 1" : null;
    }

    @BloomGuarded(filter = "items", key = "#id")
    @Cacheable(cacheNames = "items", unless = "#result == null")
    public @Nullable String findShared(long id) {
      return find(id);
    }

    @Transactional
    @BloomPut(filter = "items", key = "#id")
    @CachePut(cacheNames = "items")
    public String save(long id) {
      Membership now = guards.guard("items").check(id);
      EVENTS.add(now == Membership.ABSENT ? "method" : "method, key known");
      if (id < 0) {
        throw new IllegalArgumentException("negative");
      }
      return "saved " + id;
    }

    @Transactional
    @BloomEvict(filter = "items", key = "#id")
    @CacheEvict(cacheNames = "items")
    public void delete(long id) {
      EVENTS.add("method");
    }

    @Transactional
    @BloomEvict(filter = "items", key = "#id")
    @CacheEvict(cacheNames = "items", beforeInvocation = true)
    public void deleteEvictingFirst(long id) {
      EVENTS.add("method");
    }
  }

  private static final class RecordingCache extends ConcurrentMapCache {

    RecordingCache() {
      super("items");
    }

    @Override
    public Cache.@Nullable ValueWrapper get(Object key) {
      EVENTS.add("get");
      return super.get(key);
    }

    @Override
    public void put(Object key, @Nullable Object value) {
      EVENTS.add("put");
      super.put(key, value);
    }

    @Override
    public void evict(Object key) {
      EVENTS.add("evict");
      super.evict(key);
    }

    @Override
    public boolean evictIfPresent(Object key) {
      EVENTS.add("evict");
      return super.evictIfPresent(key);
    }
  }

  @SuppressWarnings("serial") // never serialized
  private static final class RecordingTransactions extends AbstractPlatformTransactionManager {

    private final ObjectProvider<BloomGuards> guards;

    RecordingTransactions(ObjectProvider<BloomGuards> guards) {
      this.guards = guards;
    }

    @Override
    protected Object doGetTransaction() {
      return new Object();
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
      Membership now = guards.getObject().guard("items").check(NEW);
      EVENTS.add(now == Membership.ABSENT ? "begin" : "begin, key known");
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
      EVENTS.add("commit");
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
      EVENTS.add("rollback");
    }
  }
}
