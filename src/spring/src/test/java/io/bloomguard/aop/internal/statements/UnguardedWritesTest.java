package io.bloomguard.aop.internal.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomKey;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.MappedStatements;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.aop.internal.statements.UnguardedWrites.Policy;
import io.bloomguard.guard.StartRefusedException;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.List;
import java.util.Optional;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.CrudRepository;
import org.springframework.data.repository.reactive.ReactiveCrudRepository;
import org.springframework.samples.clinic.Clinic;
import reactor.core.publisher.Mono;

/** Writes that tell the guard nothing are named at the start, once for each repository. */
@ExtendWith(OutputCaptureExtension.class)
class UnguardedWritesTest {

  record Owner(long id, String name) {}

  interface Owners extends CrudRepository<Owner, Long> {
    @Override
    @BloomGuarded(filter = "products", key = "#id")
    Optional<Owner> findById(Long id);

    @Override
    @BloomPut(filter = "products", key = "#owner.id")
    <S extends Owner> S save(S owner);

    @Modifying
    int rename(long id, String name);

    List<Owner> savedSearches();
  }

  /** An entity that tells of its writes by itself. */
  @BloomKey(filter = "products")
  static class Keyed {
    @BloomKey(filter = "others")
    @Nullable String name;
  }

  static class KeyedChild extends Keyed {}

  interface KeyedRepository extends CrudRepository<KeyedChild, Long> {
    @Override
    @BloomGuarded(filter = "products", key = "#id")
    Optional<KeyedChild> findById(Long id);

    @BloomGuarded(filter = "orders", key = "#name")
    Optional<KeyedChild> findByName(String name);
  }

  interface FullyKeyedRepository extends CrudRepository<Keyed, Long> {
    @Override
    @BloomGuarded(filter = "products", key = "#id")
    Optional<Keyed> findById(Long id);
  }

  /** Spring Data JDBC tells of the writes of a loaded aggregate alone. */
  interface Queries extends FullyKeyedRepository {

    @Override
    void deleteById(Long id);

    @Modifying
    @Query("insert into keyed values (:id)")
    int copy(long id);

    @Modifying
    @Query("  UPDATE keyed set name = :name")
    int rename(String name);

    void deleteByName(String name);

    default void removeByHand(Keyed row) {
      delete(row);
    }
  }

  interface UncachedQueries extends Queries {
    @Override
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    Optional<Keyed> findById(Long id);
  }

  @Entity
  @BloomKey(filter = "products")
  static class Loaded {
    @Id long id;
  }

  /** JPA loads the rows that a derived query deletes. */
  interface LoadedRows extends CrudRepository<Loaded, Long> {
    @Override
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.VALUES)
    Optional<Loaded> findById(Long id);

    void deleteByName(String name);
  }

  /** Spring Data R2DBC reports saves, but no deletion. */
  interface ReactiveRows extends ReactiveCrudRepository<Keyed, Long> {
    @Override
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.VALUES)
    Mono<Keyed> findById(Long id);

    @Override
    @BloomEvict(filter = "products", key = "#id")
    Mono<Void> deleteById(Long id);
  }

  record Visit(long id, long pet) {}

  /** Rows that belong to the keys of others. */
  interface Visits extends CrudRepository<Visit, Long> {
    @BloomGuarded(filter = "products", key = "#product")
    List<Visit> findByProduct(long product);

    @BloomGuarded(filter = "products", key = "#product")
    long countByProduct(long product);
  }

  static class Dao {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return null;
    }

    @BloomGuarded(filter = "orders", key = "#name", caching = Caching.NONE)
    public @Nullable String find(String name) {
      return null;
    }

    @BloomPut(filter = "products", key = "#id")
    public void insert(long id, String name) {}

    @BloomPut(filter = "products", key = "#id")
    @BloomPut(filter = "orders", key = "#name")
    public void update(long id, String name) {}

    @BloomEvict(filter = "products", key = "#id")
    @BloomEvict(filter = "orders", key = "#name")
    public void delete(long id, String name) {}
  }

  static class Unguarded {
    public void saveAll(List<String> names) {}
  }

  /** Makes the proxy of an interface itself, as Spring Data does. */
  abstract static class RepositoryFactory<T> implements FactoryBean<T> {

    private final Class<T> type;

    RepositoryFactory(Class<T> type) {
      this.type = type;
    }

    @Override
    public T getObject() {
      ProxyFactory factory = new ProxyFactory();
      factory.addInterface(type);
      factory.addAdvice((MethodInterceptor) invocation -> null);
      return type.cast(factory.getProxy(type.getClassLoader()));
    }

    @Override
    public Class<?> getObjectType() {
      return type;
    }
  }

  static class OwnersFactory extends RepositoryFactory<Owners> {
    OwnersFactory() {
      super(Owners.class);
    }
  }

  static class KeyedFactory extends RepositoryFactory<KeyedRepository> {
    KeyedFactory() {
      super(KeyedRepository.class);
    }
  }

  static class FullyKeyedFactory extends RepositoryFactory<FullyKeyedRepository> {
    FullyKeyedFactory() {
      super(FullyKeyedRepository.class);
    }
  }

  static class QueriesFactory extends RepositoryFactory<Queries> {
    QueriesFactory() {
      super(Queries.class);
    }
  }

  static class UncachedQueriesFactory extends RepositoryFactory<UncachedQueries> {
    UncachedQueriesFactory() {
      super(UncachedQueries.class);
    }
  }

  static class LoadedRowsFactory extends RepositoryFactory<LoadedRows> {
    LoadedRowsFactory() {
      super(LoadedRows.class);
    }
  }

  static class ReactiveRowsFactory extends RepositoryFactory<ReactiveRows> {
    ReactiveRowsFactory() {
      super(ReactiveRows.class);
    }
  }

  static class VisitsFactory extends RepositoryFactory<Visits> {
    VisitsFactory() {
      super(Visits.class);
    }
  }

  @Test
  void rowsThatBelongToTheKeysOfOthersAreLeftOut(CapturedOutput output) {
    start(Policy.WARN, VisitsFactory.class, FullyKeyedFactory.class);
    start(Policy.WARN, VisitsFactory.class, Dao.class);
    assertThat(warnings(output)).noneMatch(line -> line.contains("$Visits has"));
  }

  /** No other bean tells of the keys, which may be of these rows. */
  @Test
  void onlyTheirInsertsMayAddKeys(CapturedOutput output) {
    start(Policy.WARN, VisitsFactory.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("guard: save(Visit), saveAll(Iterable) ('products')");
  }

  @Test
  void queriesPassTheEntityThatTells(CapturedOutput output) {
    start(Policy.WARN, QueriesFactory.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("guard: copy(long), deleteByName(String), rename(String) ('products')")
        .doesNotContain("Put @BloomKey");
  }

  @Test
  void deletionsPassTheCallbacksOfReactiveRows(CapturedOutput output) {
    start(Policy.WARN, ReactiveRowsFactory.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("guard: delete(Keyed), deleteAll(), deleteAll(Iterable), deleteAll(Publisher)")
        .doesNotContain("save", "deleteById(Long)", "Put @BloomKey");
  }

  @Test
  void updatesMatterOnlyWhereValuesAreKept(CapturedOutput output) {
    start(Policy.WARN, UncachedQueriesFactory.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("guard: copy(long) ('products')");
  }

  @Test
  void derivedDeletionOfJpaTells(CapturedOutput output) {
    start(Policy.WARN, LoadedRowsFactory.class);
    assertThat(warnings(output)).isEmpty();
  }

  @Test
  void everyInheritedOrDeclaredWriteIsNamedInOneWarning(CapturedOutput output) {
    start(Policy.WARN, OwnersFactory.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains(Owners.class.getTypeName())
        .contains(
            "delete(Owner), deleteAll(), deleteAll(Iterable), deleteAllById(Iterable),"
                + " deleteById(Long), rename(long, String), saveAll(Iterable) ('products')")
        .contains("bloomguard.unguarded-writes");
  }

  @Test
  void writeMustTellEachFilterThatIsAsked(CapturedOutput output) {
    start(Policy.WARN, Dao.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("guard: insert(long, String) ('orders')");
  }

  @Test
  void entityThatTellsByItselfNeedsNoWarning(CapturedOutput output) {
    start(Policy.WARN, FullyKeyedFactory.class);
    assertThat(warnings(output)).isEmpty();
  }

  @Test
  void entityThatTellsOneFilterIsWarnedOfForTheOther(CapturedOutput output) {
    start(Policy.WARN, KeyedFactory.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("saveAll(Iterable) ('orders')")
        .doesNotContain("'products'");
  }

  @Test
  void beanWithoutGuardedLookupIsLeftAlone(CapturedOutput output) {
    start(Policy.WARN, Unguarded.class);
    assertThat(warnings(output)).isEmpty();
  }

  @Test
  void severalBeansOfOneClassAreOneWarning(CapturedOutput output) {
    start(Policy.WARN, Dao.class, OtherDao.class);
    assertThat(warnings(output)).hasSize(1);
  }

  @Configuration(proxyBeanMethods = false)
  static class OtherDao {
    @Bean
    Dao otherDao() {
      return new Dao();
    }
  }

  @Test
  void failRefusesTheStart() {
    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(() -> start(Policy.FAIL, OwnersFactory.class))
        .withMessageContaining("saveAll")
        .satisfies(
            refusal -> {
              assertThat(refusal.description()).contains(Owners.class.getTypeName());
              assertThat(refusal.action()).contains("@BloomKey").contains("=ignore");
            });
  }

  @Test
  void anApplicationBelowSpringsPackageIsChecked(CapturedOutput output) {
    start(Policy.WARN, Clinic.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("guard: save(String) ('products')");
  }

  @Test
  void ignoreSaysNothing(CapturedOutput output) {
    start(Policy.IGNORE, OwnersFactory.class);
    assertThat(warnings(output)).isEmpty();
  }

  private static List<String> warnings(CapturedOutput output) {
    return output.getAll().lines().filter(line -> line.contains("without telling")).toList();
  }

  private static void start(Policy policy, Class<?>... beans) {
    try (var context = new AnnotationConfigApplicationContext()) {
      context.registerBean(
          UnguardedWrites.class,
          () ->
              new UnguardedWrites(
                  policy,
                  MappedStatements.NONE,
                  filter -> null,
                  new OwnCalls(List::of, UnguardedWritesTest.class.getClassLoader()),
                  filter -> false));
      Guarding.prepare(context, new TestGuards(), beans).refresh();
    }
  }
}
