package io.bloomguard.jpa.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.RecordedGuards;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.jpa.internal.Entities.Note;
import io.bloomguard.jpa.internal.Entities.Owner;
import jakarta.persistence.EntityManager;
import jakarta.persistence.FlushModeType;
import java.util.List;
import java.util.Map;
import org.hibernate.FlushMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A guarded read sees what its own session has not flushed. */
class UnflushedEntitiesTest {

  private static Database database;
  private static RecordedGuards guards;

  private Owner jane;
  private long bypassed;

  @BeforeAll
  static void open() {
    database =
        new Database("io.bloomguard.jpa.internal", Map.of("hibernate.generate_statistics", "true"));
    guards = database.guards;
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void clear() {
    guards.clear();
    database.write(
        em -> em.createQuery("from Owner", Owner.class).getResultList().forEach(em::remove));
    jane = new Owner("Jane");
    database.write(em -> em.persist(jane));
    bypassed = guards.count("owner-names", Outcome.BYPASSED);
  }

  @Test
  void anInsertIsFlushedFirst() {
    database.write(
        em -> {
          em.persist(new Owner("Joan"));
          assertThat(city(em, "Joan")).isEqualTo("nowhere");
          assertThat(guards.holds("owner-names", "Joan")).isTrue();
        });
    assertThat(bypassed()).isZero();
  }

  @Test
  void aChangeIsFlushedFirst() {
    assertThat(city(database.shared, "Jane")).isEqualTo("nowhere");
    database.write(
        em -> {
          em.find(Owner.class, jane.id).city = "Paris";
          assertThat(city(em, "Jane")).isEqualTo("Paris");
        });
    assertThat(bypassed()).isZero();
    assertThat(city(database.shared, "Jane")).isEqualTo("Paris");
  }

  @Test
  void aCascadeIsFlushedFirst() {
    database.write(
        em -> {
          em.find(Owner.class, jane.id).pet("Rex");
          assertThat(guards.guard("pet-names").check("Rex").name()).isEqualTo("POSSIBLY_PRESENT");
        });
  }

  @Test
  void aChangedCollectionIsFlushedFirst() {
    assertThat(tags(database.shared)).isEqualTo(List.of());
    database.write(
        em -> {
          em.find(Owner.class, jane.id).tags.add("new");
          assertThat(tags(em)).isEqualTo(List.of("new"));
        });
  }

  @Test
  void whereTheSessionDoesNotFlushTheReadGoesToTheLoad() {
    assertThat(city(database.shared, "Jane")).isEqualTo("nowhere");
    database.write(
        em -> {
          em.setFlushMode(FlushModeType.COMMIT);
          em.find(Owner.class, jane.id).city = "Paris";
          assertThat(loaded(em, jane.id)).isEqualTo("Paris");
          Owner joan = new Owner("Joan");
          em.persist(joan);
          assertThat(loaded(em, joan.id)).isEqualTo("nowhere");
        });
    assertThat(guards.count("owners", Outcome.BYPASSED)).isEqualTo(2);
  }

  @Test
  void whatIsUnchangedIsGuardedAsEver() {
    database.write(
        em -> {
          database.session(em).setHibernateFlushMode(FlushMode.MANUAL);
          em.find(Owner.class, jane.id);
          em.persist(new Note());
          assertThat(city(em, "Nobody")).isNull();
        });
    database.write(
        em -> {
          em.find(Owner.class, jane.id);
          long statements = statements();
          assertThat(city(em, "Nobody")).isNull();
          assertThat(statements()).isEqualTo(statements);
        });
    assertThat(bypassed()).isZero();
  }

  @Test
  void anOpenSessionInViewIsLookedAtWithoutATransaction() {
    try (EntityManager em = database.factory.createEntityManager()) {
      TransactionSynchronizationManager.bindResource(database.factory, new EntityManagerHolder(em));
      Owner owner = em.find(Owner.class, jane.id);
      assertThat(city(em, "Nobody")).isNull();
      assertThat(bypassed()).isZero();
      owner.city = "Paris";
      assertThat(loaded(em, jane.id)).isEqualTo("Paris");
    } finally {
      TransactionSynchronizationManager.unbindResource(database.factory);
    }
  }

  private long bypassed() {
    return guards.count("owner-names", Outcome.BYPASSED) - bypassed;
  }

  private static long statements() {
    return database.sessions().getStatistics().getPrepareStatementCount();
  }

  private static @Nullable String city(EntityManager em, String name) {
    BloomGuard<String> guard = guards.guard("owner-names", String.class);
    return guard.get(
        name,
        () ->
            em
                .createQuery(
                    "select coalesce(city, 'nowhere') from Owner where name = :name", String.class)
                .setParameter("name", name)
                .getResultList()
                .stream()
                .findFirst()
                .orElse(null));
  }

  private static @Nullable String loaded(EntityManager em, long id) {
    BloomGuard<String> guard = guards.guard("owners", String.class);
    return guard.get(
        id,
        () -> {
          Owner owner = em.find(Owner.class, id);
          return owner == null ? null : owner.city == null ? "nowhere" : owner.city;
        });
  }

  private Object tags(EntityManager em) {
    return guards
        .guard("owners")
        .get(
            jane.id,
            () ->
                em.createQuery("select t from Owner o join o.tags t where o.id = :id")
                    .setParameter("id", jane.id)
                    .getResultList());
  }
}
