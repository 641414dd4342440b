package io.bloomguard.jpa.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.RecordedGuards;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.jpa.internal.Entities.Owner;
import io.bloomguard.jpa.internal.Entities.Pet;
import jakarta.persistence.EntityManager;
import jakarta.persistence.FlushModeType;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A guarded read beside a removal that is not flushed answers what it does without the guard. Each
 * transaction runs once with it and once without, and ends in the same rows.
 */
class PendingRemovalsTest {

  private static Database database;
  private static RecordedGuards guards;

  private final List<Reads> ways = List.of(new Guarded(), new Plain());
  private long jane;
  private long rex;
  private long tom;

  @BeforeAll
  static void open() {
    database = new Database("io.bloomguard.jpa.internal", Map.of());
    guards = database.guards;
  }

  @AfterAll
  static void close() {
    database.close();
  }

  private void begin() {
    guards.clear();
    database.write(
        em -> em.createQuery("from Owner", Owner.class).getResultList().forEach(em::remove));
    Owner owner = new Owner("Jane");
    Pet first = owner.pet("Rex");
    Pet second = owner.pet("Tom");
    database.write(em -> em.persist(owner));
    jane = owner.id;
    rex = first.id;
    tom = second.id;
  }

  @BeforeEach
  void countFromHere() {
    begin();
  }

  @ParameterizedTest
  @EnumSource
  void aRemovedEntityIsNotFound(FlushModeType mode) {
    long bypassed = bypassed();
    assertThat(
            each(
                (em, reads) -> {
                  em.setFlushMode(mode);
                  em.remove(em.find(Pet.class, rex));
                  return List.of(reads.pet(em, rex) == null, reads.pet(em, tom) == null);
                }))
        .containsOnly(List.of(List.of(true, false), List.of("Tom")));
    assertThat(bypassed()).isEqualTo(bypassed + 2);
  }

  /** The cascade from the owner takes the removal back, but not before the session flushes. */
  @ParameterizedTest
  @EnumSource
  void aRemovalThatACascadeTakesBackIsSeenUntilThen(FlushModeType mode) {
    assertThat(
            each(
                (em, reads) -> {
                  em.setFlushMode(mode);
                  em.remove(em.find(Owner.class, jane).pets.get(0));
                  boolean removed = reads.pet(em, rex) == null;
                  em.flush();
                  return List.of(removed, reads.pet(em, rex) == null);
                }))
        .containsOnly(List.of(List.of(true, false), List.of("Rex", "Tom")));
  }

  /** The removal is not that of an entity of the filter that is asked. */
  @ParameterizedTest
  @EnumSource
  void aReadOfTheParentLeavesTheRemovalOfTheChild(FlushModeType mode) {
    assertThat(
            each(
                (em, reads) -> {
                  em.setFlushMode(mode);
                  em.remove(em.find(Owner.class, jane).pets.get(0));
                  return List.of(reads.owner(em, jane) == null, em.find(Pet.class, rex) == null);
                }))
        .containsOnly(List.of(List.of(false, true), List.of("Rex", "Tom")));
  }

  @ParameterizedTest
  @EnumSource
  void theChildOfARemovedParentIsNotFound(FlushModeType mode) {
    assertThat(
            each(
                (em, reads) -> {
                  em.setFlushMode(mode);
                  em.remove(em.find(Owner.class, jane));
                  return List.of(reads.pet(em, rex) == null, reads.owner(em, jane) == null);
                }))
        .containsOnly(List.of(List.of(true, true), List.of()));
  }

  /** It is an orphan, which {@code find} does not see, until the session flushes. */
  @Test
  void anOrphanBesideARemovalIsFoundUntilTheFlush() {
    assertThat(
            each(
                (em, reads) -> {
                  em.find(Owner.class, jane).pets.remove(0);
                  em.remove(em.find(Pet.class, tom));
                  boolean found = reads.pet(em, rex) != null;
                  em.flush();
                  return List.of(found, reads.pet(em, rex) != null);
                }))
        .containsOnly(List.of(List.of(true, false), List.of("Tom")));
  }

  @ParameterizedTest
  @EnumSource
  void aQueryFlushesAsItDoesWithoutTheGuard(FlushModeType mode) {
    boolean flushes = mode == FlushModeType.AUTO;
    assertThat(
            each(
                (em, reads) -> {
                  em.setFlushMode(mode);
                  em.remove(em.find(Owner.class, jane));
                  return List.of(reads.named(em, "Jane") == null);
                }))
        .containsOnly(List.of(List.of(flushes), List.of()));
  }

  @Test
  void afterTheFlushReadsAreGuardedAgain() {
    long bypassed = bypassed();
    database.write(
        em -> {
          em.remove(em.find(Pet.class, rex));
          em.flush();
          em.find(Pet.class, tom);
          assertThat(new Guarded().pet(em, rex)).isNull();
        });
    assertThat(bypassed()).isEqualTo(bypassed);
  }

  private static long bypassed() {
    return guards.count("pets", Outcome.BYPASSED);
  }

  private interface Work {
    List<Boolean> in(EntityManager em, Reads reads);
  }

  /** What a transaction sees, and the pets after it: with the guard, and without. */
  private List<List<?>> each(Work work) {
    return ways.stream()
        .<List<?>>map(
            reads -> {
              begin();
              List<Boolean> seen = database.get(em -> work.in(em, reads));
              return List.of(seen, database.get(PendingRemovalsTest::pets));
            })
        .toList();
  }

  private static List<String> pets(EntityManager em) {
    return em.createQuery(
            "select name from Pet where owner is not null order by name", String.class)
        .getResultList();
  }

  private abstract static class Reads {

    abstract <V> @Nullable V read(
        EntityManager em, String filter, Object key, Function<EntityManager, @Nullable V> load);

    @Nullable Pet pet(EntityManager em, long id) {
      return read(em, "pets", id, by -> by.find(Pet.class, id));
    }

    @Nullable Owner owner(EntityManager em, long id) {
      return read(em, "owners", id, by -> by.find(Owner.class, id));
    }

    @Nullable Owner named(EntityManager em, String name) {
      return read(
          em,
          "owner-names",
          name,
          by ->
              by
                  .createQuery("from Owner where name = :name", Owner.class)
                  .setParameter("name", name)
                  .getResultList()
                  .stream()
                  .findFirst()
                  .orElse(null));
    }
  }

  private static final class Plain extends Reads {

    @Override
    <V> @Nullable V read(
        EntityManager em, String filter, Object key, Function<EntityManager, @Nullable V> load) {
      return load.apply(em);
    }
  }

  private static final class Guarded extends Reads {

    @Override
    @SuppressWarnings("unchecked")
    <V> @Nullable V read(
        EntityManager em, String filter, Object key, Function<EntityManager, @Nullable V> load) {
      BloomGuard<Object> guard = guards.guard(filter);
      return (V) guard.get(key, () -> load.apply(em));
    }
  }
}
