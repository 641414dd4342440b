package io.bloomguard.aop.internal.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomKey;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.test.util.AopTestUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What is kept under each {@link Caching}, for values that may be shared and for those that not.
 */
class CachingTest {

  @TestGuards.Owned
  static class Owner {}

  record View(Owner owner) {}

  record Name(String text) {}

  static class Owners {

    private int loads;

    int loads() {
      return loads;
    }

    private <T> T loaded(T value) {
      loads++;
      return value;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "names")
    public Name name(long id) {
      return loaded(new Name("n" + id));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "values", caching = Caching.VALUES)
    public Name value(long id) {
      return loaded(new Name("n" + id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public @Nullable Name nulls(long id) {
      return loaded(id == 0 ? null : new Name("n" + id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public @Nullable Name none(long id) {
      return loaded(id == 0 ? null : new Name("n" + id));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "owners")
    public @Nullable Owner owner(long id) {
      return loaded(id == 0 ? null : new Owner());
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "owners")
    public Optional<Owner> optional(long id) {
      return loaded(Optional.of(new Owner()));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "owners")
    public @Nullable Object anything(long id) {
      return loaded(id == 0 ? null : new Name("n" + id));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "lists")
    public List<Owner> list(long id) {
      return loaded(List.of(new Owner()));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "maps")
    public Map<Long, Owner> map(long id) {
      return loaded(Map.of(id, new Owner()));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "arrays")
    public Owner[] array(long id) {
      return loaded(new Owner[] {new Owner()});
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "owners")
    public View record(long id) {
      return loaded(new View(new Owner()));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "owners")
    public CompletableFuture<Owner> future(long id) {
      return CompletableFuture.completedFuture(loaded(new Owner()));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "owners")
    public Mono<Owner> mono(long id) {
      return Mono.fromSupplier(() -> loaded(new Owner()));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "fluxes")
    public Flux<Owner> flux(long id) {
      return Flux.defer(() -> Flux.just(loaded(new Owner())));
    }

    @BloomGuarded(filter = "products", key = "#ids", cache = "owners")
    public Map<Long, Owner> all(Collection<Long> ids) {
      Map<Long, Owner> owners = new HashMap<>();
      ids.stream().filter(id -> id != 0).forEach(id -> owners.put(id, new Owner()));
      return loaded(owners);
    }
  }

  static class SharedOwner {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.VALUES)
    public Optional<Owner> find(long id) {
      return Optional.empty();
    }
  }

  static class SharedOwners {
    @BloomGuarded(filter = "products", key = "#ids", caching = Caching.VALUES)
    public Map<Long, Owner> find(List<Long> ids) {
      return Map.of();
    }
  }

  /** Rows of another table: no write of a visit evicts its pet's key. */
  static class Visits {

    final List<String> rows = new ArrayList<>();

    @BloomGuarded(filter = "products", key = "#pet")
    public List<String> findByPet(long pet) {
      return List.copyOf(rows);
    }

    @BloomGuarded(filter = "products", key = "#pet")
    public long countByPet(long pet) {
      return rows.size();
    }

    @BloomGuarded(filter = "products", key = "#pet")
    public Optional<String> findPet(long pet) {
      return Optional.of("pet");
    }

    @BloomGuarded(filter = "products", key = "#pets")
    public Map<Long, Set<String>> findByPets(List<Long> pets) {
      Map<Long, Set<String>> found = new HashMap<>();
      pets.forEach(pet -> found.put(pet, Set.copyOf(rows)));
      return found;
    }
  }

  /** The same of entities, with no lookup beside it. */
  static class OwnedRows {

    final List<Owner> rows = new ArrayList<>();

    @BloomGuarded(filter = "products", key = "#pet")
    public List<Owner> findByPet(long pet) {
      return List.copyOf(rows);
    }
  }

  /** Rows of no entity, as of Spring Data JDBC, MyBatis or a template. */
  static class PlainRows {

    final List<Name> rows = new ArrayList<>();

    @BloomGuarded(filter = "products", key = "#pet")
    public List<Name> list(long pet) {
      return List.copyOf(rows);
    }

    @BloomGuarded(filter = "products", key = "#pet")
    public Name[] array(long pet) {
      return rows.toArray(Name[]::new);
    }

    @BloomGuarded(filter = "products", key = "#pet")
    public Optional<List<Name>> optional(long pet) {
      return Optional.of(List.copyOf(rows));
    }

    @BloomGuarded(filter = "products", key = "#pet")
    public CompletableFuture<Map<Integer, Name>> future(long pet) {
      return CompletableFuture.completedFuture(
          rows.stream().collect(Collectors.toMap(rows::indexOf, row -> row)));
    }

    @BloomGuarded(filter = "products", key = "#pet")
    public Flux<Name> flux(long pet) {
      return Flux.fromIterable(List.copyOf(rows));
    }

    @BloomGuarded(filter = "products", key = "#pet")
    public long countByPet(long pet) {
      return rows.size();
    }

    @BloomGuarded(filter = "products", key = "#pets")
    public Map<Long, List<Name>> all(List<Long> pets) {
      return pets.stream().collect(Collectors.toMap(pet -> pet, pet -> List.copyOf(rows)));
    }
  }

  static class AskedFor {

    @BloomGuarded(filter = "products", key = "#pet", caching = Caching.VALUES)
    public List<Name> list(long pet) {
      return List.of(new Name("visit"));
    }
  }

  static class OneRow {

    @BloomGuarded(filter = "products", key = "#id")
    public Map<String, Object> list(long id) {
      return Map.of("name", "pet");
    }
  }

  static class OneBlob {

    @BloomGuarded(filter = "products", key = "#id")
    public byte[] list(long id) {
      return new byte[] {1};
    }
  }

  @BloomKey(filter = "products", attribute = "text")
  record Told(String text) {}

  static class ToldRows {

    @BloomGuarded(filter = "products", key = "#pet")
    public List<Told> list(long pet) {
      return List.of(new Told("visit"));
    }
  }

  @BloomKey(filter = "products", attribute = "pet")
  static class Evicting extends Owner {}

  static class EvictedRows {

    @BloomGuarded(filter = "products", key = "#pet")
    public List<Evicting> findByPet(long pet) {
      return List.of();
    }
  }

  static class ListedToo {
    @BloomGuarded(filter = "products", key = "#id")
    public Optional<Owner> find(long id) {
      return Optional.of(new Owner());
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public List<Owner> friends(long id) {
      return List.of();
    }
  }

  static class CountedToo {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public long countFriends(long id) {
      return 0;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<Owner> find(long id) {
      return Optional.of(new Owner());
    }
  }

  static class MappedToo {
    @BloomGuarded(filter = "products", key = "#ids", caching = Caching.NULLS)
    public Map<Long, List<Owner>> friends(List<Long> ids) {
      return Map.of();
    }

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<Owner> find(long id) {
      return Optional.of(new Owner());
    }
  }

  static class Apart {
    @BloomGuarded(filter = "products", key = "#id")
    public Optional<Owner> find(long id) {
      return Optional.of(new Owner());
    }

    @BloomGuarded(filter = "products", key = "#id")
    public boolean existsById(long id) {
      return true;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "friends")
    public List<Owner> friends(long id) {
      return List.of();
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public long countFriends(long id) {
      return 0;
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {ListedToo.class, CountedToo.class, MappedToo.class})
  void whatMayBeEmptySharesNoNullEntriesWithALookup(Class<?> bean) {
    assertThatThrownBy(() -> Guarding.context(guards, bean))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("shares the null entries of the cache 'products'")
        .hasMessageContaining("cache of its own")
        .hasMessageContaining(
            ". Let the one that loads rows of another table keep nothing: caching" + " = NONE. Or")
        .hasMessageContaining("@BloomKey(filter = \"...\", attribute = \"...\")");
  }

  @Test
  void rowsOfAnotherTableAreNotKept() {
    guards.keys.add("1");
    try (var context = Guarding.context(guards, Visits.class)) {
      Visits visits = context.getBean(Visits.class);
      Visits target = AopTestUtils.getTargetObject(visits);
      for (int round = 0; round < 3; round++) {
        assertThat(visits.findByPet(1)).hasSize(round);
        assertThat(visits.countByPet(1)).isEqualTo(round);
        assertThat(visits.findByPets(List.of(1L)).get(1L)).hasSize(round);
        assertThat(visits.findPet(1)).contains("pet");
        target.rows.add("visit " + round);
      }
    }
    assertThat(guards.outcomes.count(Outcome.CACHE_HIT)).as("the pet").isEqualTo(2);
    assertThat(guards.outcomes.count(Outcome.NULL_HIT)).isZero();
  }

  @Test
  void entitiesThatDoNotEvictTheKeyAreNotKept() {
    guards.keys.add("1");
    try (var context = Guarding.context(guards, OwnedRows.class)) {
      OwnedRows rows = context.getBean(OwnedRows.class);
      assertThat(rows.findByPet(1)).isEmpty();
      AopTestUtils.<OwnedRows>getTargetObject(rows).rows.add(new Owner());
      assertThat(rows.findByPet(1)).hasSize(1);
    }
    try (var context = Guarding.context(guards, EvictedRows.class)) {
      EvictedRows rows = context.getBean(EvictedRows.class);
      assertThat(rows.findByPet(1)).isEmpty();
      assertThat(rows.findByPet(1)).isEmpty();
    }
    assertThat(guards.outcomes.count(Outcome.NULL_HIT)).isOne();
  }

  static Stream<Function<PlainRows, Integer>> numbersOfRows() {
    return Stream.of(
        rows -> rows.list(1).size(),
        rows -> rows.array(1).length,
        rows -> rows.optional(1).orElseThrow().size(),
        rows -> rows.future(1).join().size(),
        rows -> Objects.requireNonNull(rows.flux(1).collectList().block()).size(),
        rows -> (int) rows.countByPet(1),
        rows -> Objects.requireNonNull(rows.all(List.of(1L)).get(1L)).size());
  }

  @ParameterizedTest
  @MethodSource("numbersOfRows")
  void rowsOfNoEntityAreNotKeptEither(Function<PlainRows, Integer> number) {
    try (var context = Guarding.context(guards, PlainRows.class)) {
      PlainRows rows = context.getBean(PlainRows.class);
      List<Name> written = AopTestUtils.<PlainRows>getTargetObject(rows).rows;
      for (int round = 0; round < 3; round++) {
        assertThat(number.apply(rows)).isEqualTo(round);
        written.add(new Name("visit " + round));
      }
    }
    assertThat(guards.outcomes.count(Outcome.CACHE_HIT)).isZero();
  }

  @ParameterizedTest
  @ValueSource(classes = {AskedFor.class, ToldRows.class, OneRow.class, OneBlob.class})
  void rowsAreKeptOnRequestOrWhereTheirWritesEvictOrAsOneRow(Class<?> bean) throws Exception {
    try (var context = Guarding.context(guards, bean)) {
      Object rows = context.getBean(bean);
      for (int call = 0; call < 2; call++) {
        assertThat(bean.getMethod("list", long.class).invoke(rows, 1L)).isNotNull();
      }
    }
    assertThat(guards.outcomes.count(Outcome.CACHE_HIT)).isOne();
  }

  @Test
  void aKeyThatHasNothingIsNotAbsent() {
    guards.keys.add("1");
    context = Guarding.context(guards, Apart.class);
    Apart apart = context.getBean(Apart.class);
    assertThat(apart.friends(1)).isEmpty();
    assertThat(apart.countFriends(1)).isZero();
    assertThat(apart.existsById(1)).isTrue();
    assertThat(apart.find(1)).isPresent();
  }

  private final TestGuards guards = new TestGuards();
  private AnnotationConfigApplicationContext context;
  private Owners owners;

  @BeforeEach
  void start() {
    guards.keys.addAll(List.of("0", "1"));
    context = Guarding.context(guards, Owners.class);
    owners = context.getBean(Owners.class);
  }

  @AfterEach
  void stop() {
    if (context != null) {
      context.close();
    }
  }

  @Test
  void valuesThatMayBeSharedAreKept() {
    assertThat(owners.name(1)).isSameAs(owners.name(1));
    assertThat(owners.value(1)).isSameAs(owners.value(1));
    assertThat(owners.loads()).isEqualTo(2);
  }

  @Test
  void entitiesAreLoadedForEachCaller() throws Exception {
    assertThat(owners.owner(1)).isNotNull().isNotSameAs(owners.owner(1));
    assertThat(owners.optional(1).get()).isNotSameAs(owners.optional(1).get());
    assertThat(owners.list(1).get(0)).isNotSameAs(owners.list(1).get(0));
    assertThat(owners.map(1).get(1L)).isNotSameAs(owners.map(1).get(1L));
    assertThat(owners.array(1)[0]).isNotSameAs(owners.array(1)[0]);
    assertThat(owners.record(1).owner()).isNotSameAs(owners.record(1).owner());
    assertThat(owners.future(1).get()).isNotSameAs(owners.future(1).get());
    assertThat(owners.mono(1).block()).isNotSameAs(owners.mono(1).block());
    assertThat(owners.flux(1).blockFirst()).isNotSameAs(owners.flux(1).blockFirst());
    assertThat(owners.all(List.of(1L)).get(1L)).isNotSameAs(owners.all(List.of(1L)).get(1L));
    assertThat(owners.loads()).isEqualTo(20);
  }

  @Test
  void theirNullsAreKept() {
    assertThat(owners.owner(0)).isNull();
    assertThat(owners.owner(0)).isNull();
    assertThat(owners.loads()).isOne();
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.NULL_HIT)).isOne();
  }

  @Test
  void whatLeavesItsTypeOpenKeepsNullEntriesOnly() {
    assertThat(owners.anything(1)).isNotNull().isNotSameAs(owners.anything(1));
    assertThat(owners.anything(0)).isNull();
    assertThat(owners.anything(0)).isNull();
    assertThat(owners.loads()).isEqualTo(3);
  }

  @Test
  void ofAMapTheNullsAreKeptByEntry() {
    assertThat(owners.all(List.of(0L, 1L))).containsOnlyKeys(1L);
    assertThat(owners.all(List.of(0L, 1L))).containsOnlyKeys(1L);
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.NULL_HIT)).isOne();
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.LOADED)).isEqualTo(2);
  }

  @Test
  void nullsKeepsNullsAndNoneKeepsNothing() {
    assertThat(owners.nulls(1)).isNotSameAs(owners.nulls(1));
    owners.none(0);
    owners.none(0);
    assertThat(owners.loads()).isEqualTo(4);
    owners.nulls(0);
    owners.nulls(0);
    assertThat(owners.loads()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(classes = {SharedOwner.class, SharedOwners.class})
  void valuesOfAnEntityAreRefusedAtTheStart(Class<?> bean) {
    Throwable thrown = catchThrowable(() -> Guarding.context(new TestGuards(), bean).close());
    assertThat(NestedExceptionUtils.getMostSpecificCause(thrown))
        .isInstanceOfSatisfying(
            StartRefusedException.class,
            refusal -> {
              assertThat(refusal.description())
                  .contains("VALUES")
                  .contains(Owner.class.getName())
                  .contains("is a JPA entity");
              assertThat(refusal.action()).contains("NULLS");
            });
  }
}
