package io.bloomguard.jpa.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.RecordedGuards;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.jpa.internal.Entities.CardPayment;
import io.bloomguard.jpa.internal.Entities.Concert;
import io.bloomguard.jpa.internal.Entities.Coupon;
import io.bloomguard.jpa.internal.Entities.Line;
import io.bloomguard.jpa.internal.Entities.LineId;
import io.bloomguard.jpa.internal.Entities.Owner;
import io.bloomguard.jpa.internal.Entities.Payment;
import io.bloomguard.jpa.internal.Entities.Pet;
import io.bloomguard.jpa.internal.Entities.Product;
import io.bloomguard.jpa.internal.Entities.Seat;
import io.bloomguard.jpa.internal.Entities.SeatId;
import io.bloomguard.jpa.internal.Entities.Truck;
import io.bloomguard.jpa.internal.Entities.Venue;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.h2.jdbc.JdbcConnection;
import org.hibernate.Session;
import org.hibernate.StatelessSession;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.hibernate.resource.transaction.spi.TransactionObserver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What Hibernate writes is in the filters before it is visible, and no longer in the caches. */
class EntityWritesTest {

  private static Database database;
  private static RecordedGuards guards;

  @BeforeAll
  static void open() {
    database =
        new Database(
            "io.bloomguard.jpa.internal",
            Map.of(JdbcSettings.STATEMENT_INSPECTOR, Inspector.class.getName()));
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
  void anInsertedIdIsAddedAtTheFlushAndBarredUntilTheEnd() {
    Owner owner = new Owner("Jane");
    database.write(
        em -> {
          em.persist(owner);
          assertThat(guards.adds("owners")).as("nothing is flushed yet").isEmpty();
          em.flush();
          assertThat(guards.holds("owners", owner.id)).isTrue();
          assertThat(guards.holds("owner-names", "Jane")).isTrue();
          assertThat(guards.isBarred("owners", owner.id)).isTrue();
          assertThat(guards.isBarred("owner-names", "Jane")).isTrue();
        });
    assertThat(guards.isWritten("owners", owner.id)).isTrue();
    assertThat(guards.isWritten("owner-names", "Jane")).isTrue();
  }

  @Test
  void theBarrierStandsUntilTheCommitIsDone() {
    Owner owner = new Owner("Jane");
    AtomicBoolean barred = new AtomicBoolean();
    database.write(
        em -> {
          em.persist(owner);
          em.flush();
          database
              .session(em)
              .unwrap(SessionImplementor.class)
              .getTransactionCoordinator()
              .addObserver(atCommit(() -> barred.set(guards.isBarred("owners", owner.id))));
        });
    assertThat(barred).isTrue();
  }

  /** The filters whose copies a writer waits for, and what the database has of its rows by then. */
  private static List<String> waits(String name) {
    List<String> waits = new CopyOnWriteArrayList<>();
    Inspector.insertsOwners = false;
    guards.copies.whenWaited(
        filter -> {
          String written = visible(name) ? " committed" : Inspector.insertsOwners ? " written" : "";
          waits.add(filter + written);
        });
    return waits;
  }

  private static boolean visible(String name) {
    try (Session other = database.sessions().openSession()) {
      return !other
          .createSelectionQuery("from Owner where name = :name", Owner.class)
          .setParameter("name", name)
          .list()
          .isEmpty();
    }
  }

  @Test
  void copiesGetTheKeysOfTheCommitsFlushAfterItsStatements() {
    List<String> waits = waits("in commit");
    database.write(em -> em.persist(new Owner("in commit")));
    assertThat(waits).containsExactlyInAnyOrder("owners written", "owner-names written");
    assertThat(visible("in commit")).isTrue();
  }

  @Test
  void copiesGetTheKeysOfSeveralFlushesTogether() {
    List<String> waits = waits("several");
    database.write(
        em -> {
          em.persist(new Owner("several"));
          em.flush();
          // A first flush could be the last one, by what its session knows.
          assertThat(waits).hasSize(2);
          waits.clear();
          em.persist(new Owner("second"));
          em.flush();
          Pet pet = new Pet();
          pet.name = "its id is drawn at once";
          em.persist(pet);
          assertThat(waits).isEmpty();
          em.persist(new Owner("third"));
        });
    assertThat(waits)
        .containsExactlyInAnyOrder(
            "owners written", "owner-names written", "pets written", "pet-names written");
  }

  @Test
  void aTransactionOfHibernateAloneWaitsBeforeItsCommit() {
    List<String> waits = waits("alone");
    database.sessions().inTransaction(session -> session.persist(new Owner("alone")));
    assertThat(waits).containsExactlyInAnyOrder("owners written", "owner-names written");
  }

  @Test
  void aStatelessSessionWaitsBeforeItsCommitOrElseBeforeItsStatement() {
    Database.assumeNamedStatelessSessions();
    List<String> waits = waits("stateless");
    database.sessions().inStatelessTransaction(session -> session.insert(new Owner("stateless")));
    assertThat(waits).containsExactlyInAnyOrder("owners written", "owner-names written");

    List<String> alone = waits("without a transaction");
    try (StatelessSession session = database.sessions().openStatelessSession()) {
      session.insert(new Owner("without a transaction"));
    }
    assertThat(alone).containsExactlyInAnyOrder("owners", "owner-names");
  }

  /** It flushes among the observers of the commit, too late to become one of them. */
  @Test
  void aSessionThatSharesATransactionWaitsBeforeItsCommit() {
    List<String> waits = waits("shared");
    List<Session> shared = new ArrayList<>();
    database
        .sessions()
        .inTransaction(
            session -> {
              Session sharing = session.sessionWithOptions().connection().openSession();
              shared.add(sharing);
              sharing.persist(new Owner("shared"));
            });
    // With Hibernate 6 the end of the other session does not close it.
    shared.forEach(Session::close);
    assertThat(waits).containsExactlyInAnyOrder("owners written", "owner-names written");
    assertThat(visible("shared")).isTrue();
  }

  @Test
  void aTransactionThatIsRolledBackWaitsForNothing() {
    List<String> waits = waits("undone");
    database.transaction.executeWithoutResult(
        status -> {
          database.shared.persist(new Owner("undone"));
          database.shared.flush();
          waits.clear();
          database.shared.persist(new Owner("undone"));
          database.shared.flush();
          status.setRollbackOnly();
        });
    assertThat(waits).isEmpty();
    database.write(em -> em.persist(new Owner("undone")));
    assertThat(waits).hasSize(2);
  }

  /** Runs when everything else is ready for the commit. */
  private static TransactionObserver atCommit(Runnable check) {
    return new TransactionObserver() {
      @Override
      public void afterBegin() {
        // Of no interest.
      }

      @Override
      public void beforeCompletion() {
        check.run();
      }

      @Override
      public void afterCompletion(boolean successful, boolean delayed) {
        // Of no interest.
      }
    };
  }

  @Test
  void theFlushOfACommitAddsInOneBatch() {
    List<Owner> owners = IntStream.range(0, 100).mapToObj(i -> new Owner("o" + i)).toList();
    database.write(em -> owners.forEach(em::persist));
    assertThat(guards.adds("owners")).hasSize(1);
    assertThat(guards.adds("owners").get(0)).hasSize(100);
    assertThat(guards.adds("owner-names")).hasSize(1);
    assertThat(owners).allMatch(owner -> guards.holds("owners", owner.id));
  }

  @Test
  void anIdentityIsAddedRightAfterTheInsert() {
    database.write(
        em -> {
          Pet pet = new Pet();
          em.persist(pet);
          assertThat(guards.holds("pets", pet.id)).isTrue();
          assertThat(guards.isBarred("pets", pet.id)).isTrue();
        });
  }

  @Test
  void aCascadeAddsItsEntities() {
    Owner owner = new Owner("Jane");
    database.write(em -> em.persist(owner));
    Pet later =
        database.get(
            em -> {
              Pet pet = em.find(Owner.class, owner.id).pet("Leo");
              em.flush();
              assertThat(guards.isBarred("pets", pet.id)).isTrue();
              return pet;
            });
    assertThat(guards.holds("pets", later.id)).isTrue();
  }

  @Test
  void anOrphanLosesItsEntries() {
    Owner owner = new Owner("Jane");
    Pet pet = owner.pet("Leo");
    database.write(em -> em.persist(owner));
    guards.keep("pets", pet.id, "Leo");
    database.write(em -> em.find(Owner.class, owner.id).pets.clear());
    assertThat(guards.isKept("pets", pet.id)).isFalse();
  }

  @Test
  void aChangeDropsTheEntriesAndAddsNothing() {
    Owner owner = persisted(new Owner("Jane"));
    guards.keep("owners", owner.id, "London");
    guards.keep("owner-names", "Jane", "London");
    database.write(
        em -> {
          em.find(Owner.class, owner.id).city = "Paris";
          em.flush();
          assertThat(guards.isBarred("owners", owner.id)).isTrue();
        });
    assertThat(guards.isKept("owners", owner.id)).isFalse();
    assertThat(guards.isKept("owner-names", "Jane")).isFalse();
    assertThat(guards.adds("owners")).isEmpty();
    assertThat(guards.isWritten("owners", owner.id)).isTrue();
  }

  @Test
  void aChangedKeyIsAddedAndTheOldOneLosesItsEntries() {
    Owner owner = persisted(new Owner("Jane"));
    guards.keep("owner-names", "Jane", owner.id);
    database.write(
        em -> {
          em.find(Owner.class, owner.id).name = "Joan";
          em.flush();
          assertThat(guards.isBarred("owner-names", "Jane")).isTrue();
          assertThat(guards.isBarred("owner-names", "Joan")).isTrue();
        });
    assertThat(guards.holds("owner-names", "Joan")).isTrue();
    assertThat(guards.isKept("owner-names", "Jane")).isFalse();
  }

  @Test
  void aMergedEntityIsAChangeOrAnInsert() {
    Owner owner = persisted(new Owner("Jane"));
    guards.keep("owners", owner.id, "Jane");
    owner.name = "Joan";
    Owner other = database.get(em -> em.merge(owner) == owner ? null : em.merge(new Owner("Ann")));
    assertThat(guards.holds("owner-names", "Joan")).isTrue();
    assertThat(guards.isKept("owners", owner.id)).isFalse();
    assertThat(guards.holds("owner-names", "Ann")).isTrue();
    assertThat(guards.holds("owners", other.id)).isTrue();
  }

  @Test
  void aChangedCollectionDropsTheEntriesOfItsOwner() {
    Owner owner = persisted(new Owner("Jane"));
    guards.keep("owners", owner.id, "no tags");
    database.write(em -> em.find(Owner.class, owner.id).tags.add("new"));
    assertThat(guards.isKept("owners", owner.id)).isFalse();
  }

  @Test
  void aDeleteDropsTheEntries() {
    Owner owner = persisted(new Owner("Jane"));
    guards.keep("owners", owner.id, "Jane");
    guards.keep("owner-names", "Jane", "Jane");
    database.write(
        em -> {
          em.remove(em.find(Owner.class, owner.id));
          em.flush();
          assertThat(guards.isBarred("owners", owner.id)).isTrue();
        });
    assertThat(guards.isKept("owners", owner.id)).isFalse();
    assertThat(guards.isKept("owner-names", "Jane")).isFalse();
    assertThat(guards.isWritten("owner-names", "Jane")).isTrue();
  }

  @Test
  void anIdThatAnotherEntityMayHaveAsAKeyStaysInTheFilter() {
    Concert concert = new Concert();
    Venue venue = new Venue();
    concert.id = venue.id = 5L;
    venue.name = "7";
    Truck truck = new Truck();
    database.write(em -> List.of(concert, venue, truck).forEach(em::persist));
    database.write(
        em -> {
          em.remove(em.find(Concert.class, 5L));
          em.remove(em.find(Truck.class, truck.id));
        });
    assertThat(guards.isWritten("places", 5L)).isTrue();
    assertThat(guards.removed("places")).as("the venue's as well").isEmpty();
    assertThat(guards.removed("vehicles")).as("one root").containsExactly(truck.id.toString());
    database.write(em -> em.remove(em.find(Venue.class, 5L)));
    assertThat(guards.removed("halls")).as("a name may be an id").isEmpty();
  }

  /** The value of another attribute may be that of another row as well. */
  @Test
  void theIdOfADeletedEntityLeavesTheFilterWithTheCommit() {
    Owner owner = persisted(new Owner("Jane"));
    assertThatThrownBy(
            () ->
                database.write(
                    em -> {
                      em.remove(em.find(Owner.class, owner.id));
                      em.flush();
                      throw new IllegalStateException("rolled back");
                    }))
        .hasMessage("rolled back");
    assertThat(guards.removed("owners")).isEmpty();
    database.write(em -> em.remove(em.find(Owner.class, owner.id)));
    assertThat(guards.removed("owners")).containsExactly(owner.id.toString());
    assertThat(guards.removed("owner-names")).isEmpty();
  }

  @Test
  void anAssignedIdAndAKeyOnAGetter() {
    Product product = new Product("sku-1");
    database.write(em -> em.persist(product));
    assertThat(guards.holds("skus", "sku-1")).isTrue();
    database.write(em -> em.find(Product.class, product.getId()).setSku("sku-2"));
    assertThat(guards.holds("skus", "sku-2")).isTrue();
    assertThat(guards.isWritten("skus", "sku-1")).isTrue();
  }

  @Test
  void aPartOfAnEmbeddedIdIsAKey() {
    Line line = new Line();
    line.id = new LineId(4711, 1);
    database.write(em -> em.persist(line));
    assertThat(guards.holds("receipts", 4711)).isTrue();
    guards.keep("receipts", 4711, "lines");
    database.write(em -> em.remove(em.find(Line.class, line.id)));
    assertThat(guards.isKept("receipts", 4711)).isFalse();
  }

  @Test
  void anIdOfSeveralColumnsIsAKeyOfItsParts() {
    Line line = new Line();
    line.id = new LineId(11, 2);
    Seat seat = new Seat();
    seat.row = "K:1";
    seat.number = 7;
    database.write(em -> List.of(line, seat).forEach(em::persist));
    assertThat(guards.holds("lines", "11:2")).isTrue();
    assertThat(guards.holds("seats", "K%3A1:7")).isTrue();
    guards.keep("lines", "11:2", "two");
    guards.keep("seats", "K%3A1:7", "free");
    database.write(
        em -> {
          em.find(Seat.class, new SeatId("K:1", 7)).taken = true;
          em.remove(em.find(Line.class, line.id));
        });
    assertThat(guards.isKept("lines", "11:2")).isFalse();
    assertThat(guards.isKept("seats", "K%3A1:7")).isFalse();
  }

  @Test
  void oneOfSeveralIdsIsAKey() {
    Seat seat = new Seat();
    seat.row = "K";
    seat.number = 7;
    database.write(em -> em.persist(seat));
    assertThat(guards.holds("rows", "K")).isTrue();
    guards.keep("rows", "K", "free");
    database.write(em -> em.find(Seat.class, new SeatId("K", 7)).taken = true);
    assertThat(guards.isKept("rows", "K")).isFalse();
  }

  @Test
  void subclassesHaveTheKeysOfTheirSuperclass() {
    Truck truck = new Truck();
    Payment payment = new Payment();
    CardPayment card = new CardPayment();
    card.card = "1234";
    database.write(em -> List.of(truck, payment, card).forEach(em::persist));
    assertThat(guards.holds("vehicles", truck.id)).isTrue();
    assertThat(guards.holds("payments", payment.id)).isTrue();
    assertThat(guards.holds("payments", card.id)).isTrue();
    assertThat(guards.holds("cards", "1234")).isTrue();
    guards.keep("vehicles", truck.id, 2);
    database.write(em -> em.find(Truck.class, truck.id).axles = 3);
    assertThat(guards.isKept("vehicles", truck.id)).isFalse();
  }

  @Test
  void aRollbackCostsOneFalsePositive() {
    Owner owner = new Owner("Jane");
    database.transaction.executeWithoutResult(
        status -> {
          database.shared.persist(owner);
          database.shared.flush();
          status.setRollbackOnly();
        });
    assertThat(guards.holds("owners", owner.id)).isTrue();
    assertThat(guards.isBarred("owners", owner.id)).isFalse();
    assertThat(database.<Owner>get(em -> em.find(Owner.class, owner.id))).isNull();
  }

  @Test
  void aSavepointKeepsTheBarrierUntilTheEndOfItsTransaction() {
    Owner owner = new Owner("Jane");
    database.write(
        em -> {
          database
              .session(em)
              .doWork(
                  connection -> {
                    Savepoint savepoint = connection.setSavepoint();
                    em.persist(owner);
                    em.flush();
                    connection.rollback(savepoint);
                  });
          em.clear();
          assertThat(guards.isBarred("owners", owner.id)).isTrue();
        });
    assertThat(guards.isBarred("owners", owner.id)).isFalse();
    assertThat(database.<Owner>get(em -> em.find(Owner.class, owner.id))).isNull();
  }

  @Test
  void anAddThatFailsRollsBack() {
    guards.refuse("owners", true);
    Owner owner = new Owner("Jane");
    assertThatThrownBy(() -> database.write(em -> em.persist(owner)))
        .hasStackTraceContaining(AddFailedException.class.getName());
    assertThat(database.<Owner>get(em -> em.find(Owner.class, owner.id))).isNull();
    assertThat(guards.isBarred("owner-names", "Jane")).isFalse();

    guards.refuse("pets", true);
    Pet pet = new Pet();
    assertThatThrownBy(() -> database.write(em -> em.persist(pet)))
        .hasStackTraceContaining(AddFailedException.class.getName());
    assertThat(database.<Pet>get(em -> em.find(Pet.class, pet.id))).isNull();
  }

  @Test
  void aFlushThatFailsLiftsTheBarrier() {
    Product product = new Product("sku-1");
    database.write(em -> em.persist(product));
    Product twin = new Product("sku-2");
    twin.setId(product.getId());
    assertThatThrownBy(
            () ->
                database.write(
                    em -> {
                      em.persist(twin);
                      try {
                        em.flush();
                      } finally {
                        assertThat(guards.isBarred("skus", "sku-2")).as("begun").isTrue();
                      }
                    }))
        .hasStackTraceContaining("Unique index or primary key violation");
    assertThat(guards.isBarred("skus", "sku-2")).isFalse();
    assertThat(guards.holds("skus", "sku-2")).as("one false positive").isTrue();
    assertThat(guards.isWritten("skus", "sku-2")).isTrue();
    assertThat(database.context.getBean(EntityWrites.class).openSessions()).isZero();
  }

  /** The commit may have reached the database, whatever JPA's transaction manager reports. */
  @Test
  void aCommitWhoseAnswerIsLostKeepsTheBarriers() {
    try (Database lost = new Database("io.bloomguard.jpa.internal", Map.of())) {
      Owner owner = new Owner("Jane");
      BloomGuard<Object> skus =
          lost.guards.guard("skus", "skus", new ValueType<>(Object.class), EntryPoint.METHOD);
      assertThatThrownBy(
              () ->
                  lost.write(
                      em -> {
                        em.persist(owner);
                        em.flush();
                        skus.put("put");
                        skus.evict("evicted");
                        lost.session(em).doWork(EntityWritesTest::lose);
                      }))
          .hasStackTraceContaining("Unable to commit");
      assertThat(lost.guards.isBarred("owners", owner.id)).isTrue();
      assertThat(lost.guards.isBarred("owner-names", "Jane")).isTrue();
      assertThat(lost.guards.isBarred("skus", "put")).isTrue();
      assertThat(lost.guards.isBarred("skus", "evicted")).isTrue();
    }
  }

  private static void lose(Connection connection) throws SQLException {
    connection.unwrap(JdbcConnection.class).close();
  }

  @Test
  void aTransactionInsideAnotherEndsItsOwnWrites() {
    TransactionTemplate inner =
        new TransactionTemplate(database.transaction.getTransactionManager());
    inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    database.write(
        em -> {
          em.persist(new Owner("outer"));
          em.flush();
          inner.executeWithoutResult(
              status -> {
                em.persist(new Owner("inner"));
                em.flush();
                assertThat(guards.isBarred("owner-names", "inner")).isTrue();
              });
          assertThat(guards.isWritten("owner-names", "inner")).isTrue();
          assertThat(guards.isBarred("owner-names", "outer")).isTrue();
          inner.executeWithoutResult(
              status -> {
                em.persist(new Owner("lost"));
                em.flush();
                status.setRollbackOnly();
              });
          assertThat(guards.isBarred("owner-names", "lost")).isFalse();
          assertThat(guards.isBarred("owner-names", "outer")).isTrue();
          em.persist(new Owner("later"));
        });
    assertThat(guards.isWritten("owner-names", "outer")).isTrue();
    assertThat(guards.isWritten("owner-names", "later")).isTrue();
  }

  @Test
  void aKeyThatACallbackSetsIsTheOneThatIsWritten() {
    Coupon coupon = new Coupon("a");
    database.write(em -> em.persist(coupon));
    assertThat(guards.holds("coupons", "issued-a")).isTrue();
    guards.keep("coupons", "issued-a", coupon);
    guards.clear();
    database.write(em -> em.find(Coupon.class, coupon.id).text = "for two");
    assertThat(guards.holds("coupons", "revised-issued-a")).isTrue();
    assertThat(guards.isKept("coupons", "issued-a")).isFalse();
    assertThat(database.<String>get(em -> em.find(Coupon.class, coupon.id).code))
        .isEqualTo("revised-issued-a");
  }

  @Test
  void moreKeysThanATransactionMayWriteFailIt() {
    long before = owners();
    assertThatThrownBy(
            () ->
                database.write(
                    em ->
                        IntStream.rangeClosed(0, Database.MAX_KEYS / 2)
                            .forEach(i -> em.persist(new Owner("many" + i)))))
        .hasStackTraceContaining("more than " + Database.MAX_KEYS + " keys of entities")
        .hasStackTraceContaining("Write in several transactions");
    assertThat(owners()).isEqualTo(before);
    assertThat(guards.isBarred("owner-names", "many0")).isFalse();
  }

  @Test
  void theBoundIsThatOfATransactionWhateverItsFlushes() {
    long before = owners();
    assertThatThrownBy(
            () ->
                database.write(
                    em -> {
                      for (int i = 0; i <= Database.MAX_KEYS / 2; i++) {
                        em.persist(new Owner("batch" + i));
                        if (i % 5_000 == 0) {
                          em.flush();
                          em.clear();
                        }
                      }
                    }))
        .hasStackTraceContaining("more than " + Database.MAX_KEYS + " keys of entities");
    assertThat(owners()).isEqualTo(before);
    assertThat(guards.holds("owner-names", "batch0")).isTrue();
    assertThat(guards.isBarred("owner-names", "batch0")).isFalse();
  }

  private static long owners() {
    return database.get(
        em -> em.createQuery("select count(o) from Owner o", Long.class).getSingleResult());
  }

  @Test
  void aStatelessSessionTellsOfItsStatements() {
    Database.assumeNamedStatelessSessions();
    Owner owner = new Owner("Jane");
    try (StatelessSession session = database.sessions().openStatelessSession()) {
      session.beginTransaction();
      session.insert(owner);
      assertThat(guards.holds("owners", owner.id)).isTrue();
      assertThat(guards.isBarred("owners", owner.id)).isTrue();
      session.getTransaction().commit();
      assertThat(guards.isBarred("owners", owner.id)).isFalse();

      guards.keep("owner-names", "Jane", "Jane");
      session.beginTransaction();
      owner.name = "Joan";
      session.update(owner);
      assertThat(guards.isBarred("owner-names", "Jane")).as("the row's own").isTrue();
      session.getTransaction().commit();
      assertThat(guards.holds("owner-names", "Joan")).isTrue();
      assertThat(guards.isKept("owner-names", "Jane")).isFalse();

      guards.keep("owner-names", "Joan", "Joan");
      owner.name = "another";
      session.delete(owner);
      assertThat(guards.isKept("owner-names", "Joan")).isFalse();
      assertThat(guards.isBarred("owner-names", "Joan")).as("no transaction").isFalse();
    }
  }

  @Test
  void anUpsertAddsAndDrops() {
    Database.assumeNamedStatelessSessions();
    Product product = new Product("sku-3");
    database.sessions().inStatelessTransaction(session -> session.upsert(product));
    assertThat(guards.holds("skus", "sku-3")).isTrue();
    guards.keep("skus", "sku-3", "old");
    product.setSku("sku-4");
    database.sessions().inStatelessTransaction(session -> session.upsert(product));
    assertThat(guards.holds("skus", "sku-4")).isTrue();
    assertThat(guards.isKept("skus", "sku-3")).isFalse();
  }

  @Test
  void aFlushOutsideOfATransactionLeavesNoBarrier() {
    database.write(em -> {});
    try (var em = database.factory.createEntityManager()) {
      Owner owner = new Owner("Jane");
      em.persist(owner);
      em.getTransaction().begin();
      em.getTransaction().commit();
      assertThat(guards.holds("owners", owner.id)).isTrue();
      assertThat(guards.isBarred("owners", owner.id)).isFalse();
    }
  }

  @Test
  void aBulkStatementIsWarnedOfOnce() {
    try (Logged logged = new Logged(BulkStatements.class)) {
      for (int i = 0; i < 2; i++) {
        database.write(
            em -> {
              em.createQuery("update Owner set city = 'Rome' where name = 'secret'")
                  .executeUpdate();
              em.createNativeQuery("delete from Pet where name = 'secret'").executeUpdate();
              em.createQuery("delete from Note").executeUpdate();
              em.createQuery("from Owner", Owner.class).getResultList();
            });
        persisted(new Owner("Jane")).city = "Paris";
      }
      assertThat(logged.messages())
          .hasSize(2)
          .noneMatch(message -> message.contains("secret"))
          .allMatch(message -> message.contains(EntityWritesTest.class.getName() + "."));
      assertThat(logged.messages().get(0))
          .contains("UPDATE")
          .contains("putAll or evict")
          .contains(Owner.class.getName());
      assertThat(logged.messages().get(1))
          .contains("DELETE")
          .contains(Pet.class.getName())
          .contains("BloomGuard.evict")
          .doesNotContain("added to a filter");
    }
    assertThat(guards.unseen()).contains("owners");
    assertThat(Inspector.seen).isPositive();
  }

  @Test
  void aBulkStatementWithAValueInItsTextIsWarnedOfOnce() {
    try (Logged logged = new Logged(BulkStatements.class)) {
      for (int i = 0; i < 5; i++) {
        deletePet("pet-" + i);
      }
      assertThat(logged.messages()).hasSize(1);
    }
  }

  /** Else the values of one statement would use up the bound on all. */
  @Test
  void aThousandValuesInATextHideNoOtherStatement() {
    try (Logged logged = new Logged(BulkStatements.class)) {
      for (int i = 0; i < 1_100; i++) {
        deletePet("another-" + i);
      }
      // As many statements of two lists, no two of the same lengths.
      for (int i = 0; i < 1_100; i++) {
        List<Long> some = Collections.nCopies(1 + i / 34, -1L);
        List<Long> others = Collections.nCopies(1 + i % 34, -1L);
        database.write(
            em ->
                em.createQuery("delete from Pet where id in :some or id in :others")
                    .setParameter("some", some)
                    .setParameter("others", others)
                    .executeUpdate());
      }
      database.write(em -> em.createQuery("update Owner set city = 'Oslo'").executeUpdate());
      assertThat(logged.messages()).last().asString().contains("UPDATE");
    }
  }

  private static void deletePet(String name) {
    String statement = "delete from Pet where name = '" + name + "'";
    database.write(em -> em.createQuery(statement).executeUpdate());
  }

  /** The application's own. */
  static class Inspector implements StatementInspector {

    static int seen;
    static volatile boolean insertsOwners;

    @Override
    public String inspect(String sql) {
      seen++;
      insertsOwners |= sql.startsWith("insert into Owner ");
      return sql;
    }
  }

  @Test
  void aSaveOfTenThousandIsOneBatch() {
    List<Owner> owners = IntStream.range(0, 10_000).mapToObj(i -> new Owner("o" + i)).toList();
    database.write(em -> owners.forEach(em::persist));
    for (String filter : List.of("owners", "owner-names")) {
      // A slow machine adds the whole batch again, because the write was open for so long.
      assertThat(new HashSet<>(guards.adds(filter)))
          .singleElement()
          .asInstanceOf(LIST)
          .hasSize(10_000);
    }
  }

  @Test
  void nothingIsKeptOfSessionsThatAreClosed() {
    persisted(new Owner("Jane"));
    assertThat(database.context.getBean(EntityWrites.class).openSessions()).isZero();
  }

  private static Owner persisted(Owner owner) {
    database.write(em -> em.persist(owner));
    guards.clear();
    return owner;
  }
}
