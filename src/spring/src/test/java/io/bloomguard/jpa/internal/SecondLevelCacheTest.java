package io.bloomguard.jpa.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.RecordedGuards;
import io.bloomguard.jpa.internal.Entities.Owner;
import io.bloomguard.jpa.internal.Entities.Product;
import java.util.Map;
import org.hibernate.cache.spi.access.AccessType;
import org.hibernate.cfg.CacheSettings;
import org.hibernate.cfg.StatisticsSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entities whose state comes from the second-level cache are written like others. */
class SecondLevelCacheTest {

  private static Database database;
  private static RecordedGuards guards;

  @BeforeAll
  static void open() {
    database =
        new Database(
            "io.bloomguard.jpa.internal",
            Map.of(
                CacheSettings.CACHE_REGION_FACTORY,
                MapRegionFactory.class.getName(),
                CacheSettings.USE_SECOND_LEVEL_CACHE,
                true,
                CacheSettings.JAKARTA_SHARED_CACHE_MODE,
                "ALL",
                CacheSettings.DEFAULT_CACHE_CONCURRENCY_STRATEGY,
                AccessType.READ_WRITE.getExternalName(),
                StatisticsSettings.GENERATE_STATISTICS,
                true));
    guards = database.guards;
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void clear() {
    guards.clear();
  }

  @Test
  void aChangedKeyIsAddedAndTheOldOneLosesItsEntries() {
    Owner owner = cached("Jane");
    guards.keep("owner-names", "Jane", owner);
    long hits = hits();
    database.write(em -> em.find(Owner.class, owner.id).name = "Joan");
    assertThat(hits()).as("the old state is the cache's").isGreaterThan(hits);
    assertThat(guards.holds("owner-names", "Joan")).isTrue();
    assertThat(guards.isKept("owner-names", "Jane")).isFalse();
    assertThat(database.<String>get(em -> em.find(Owner.class, owner.id).name)).isEqualTo("Joan");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDeleteDropsTheEntries(boolean byReference) {
    Owner owner = cached("Jim");
    guards.keep("owner-names", "Jim", owner);
    guards.keep("owners", owner.id, owner);
    long hits = hits();
    database.write(
        em ->
            em.remove(
                byReference
                    ? em.getReference(Owner.class, owner.id)
                    : em.find(Owner.class, owner.id)));
    assertThat(hits()).isGreaterThan(hits);
    assertThat(guards.isKept("owner-names", "Jim")).isFalse();
    assertThat(guards.isKept("owners", owner.id)).isFalse();
  }

  @Test
  void aMergeComparesWithTheCachedState() {
    Owner owner = cached("Jill");
    guards.keep("owner-names", "Jill", owner);
    long hits = hits();
    Owner detached = database.get(em -> em.find(Owner.class, owner.id));
    detached.name = "June";
    database.write(em -> em.merge(detached));
    assertThat(hits()).isGreaterThan(hits);
    assertThat(guards.holds("owner-names", "June")).isTrue();
    assertThat(guards.isKept("owner-names", "Jill")).isFalse();
  }

  @Test
  void aRollbackLeavesTheCachedStateAndLiftsTheBarrier() {
    Owner owner = cached("Jack");
    database.transaction.executeWithoutResult(
        status -> {
          database.shared.find(Owner.class, owner.id).name = "John";
          database.shared.flush();
          assertThat(guards.isBarred("owner-names", "John")).isTrue();
          status.setRollbackOnly();
        });
    assertThat(guards.isBarred("owner-names", "John")).isFalse();
    assertThat(database.<String>get(em -> em.find(Owner.class, owner.id).name)).isEqualTo("Jack");
  }

  /** A stateless session reads the row, not the cache, for the keys that it has. */
  @Test
  void aStatelessChangeDropsTheOldKey() {
    Database.assumeNamedStatelessSessions();
    Product product = new Product("old");
    database.write(em -> em.persist(product));
    guards.keep("skus", "old", product);
    product.setSku("new");
    database.sessions().inStatelessTransaction(session -> session.update(product));
    assertThat(guards.holds("skus", "new")).isTrue();
    assertThat(guards.isKept("skus", "old")).isFalse();
  }

  /** An entity that is in the cache. */
  private static Owner cached(String name) {
    Owner owner = new Owner(name);
    database.write(em -> em.persist(owner));
    assertThat(database.factory.getCache().contains(Owner.class, owner.id)).isTrue();
    guards.clear();
    return owner;
  }

  private static long hits() {
    return database.sessions().getStatistics().getSecondLevelCacheHitCount();
  }
}
