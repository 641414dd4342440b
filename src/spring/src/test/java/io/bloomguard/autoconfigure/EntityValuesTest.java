package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.h2.jdbc.JdbcConnection;
import org.hibernate.Hibernate;
import org.hibernate.Session;
import org.hibernate.annotations.Filter;
import org.hibernate.annotations.FilterDef;
import org.hibernate.annotations.ParamDef;
import org.hibernate.annotations.TenantId;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.data.repository.Repository;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionTemplate;

/** Entities of an application's factories, and the tenants they may belong to. */
class EntityValuesTest {

  @Entity(name = "Plain")
  static class Plain {
    @Id long id;
  }

  /** Mapped by a file alone. */
  static class Mapped {
    long id;
  }

  static class MappedByName extends Mapped {}

  @Entity(name = "Divided")
  static class Divided {
    @Id long id;

    @TenantId String org;
  }

  static class InheritedTenant extends Divided {}

  record View(long id) {}

  @Test
  void aClassThatIsMappedInAFileIsAnEntity() {
    application(Plain.class)
        .run(
            context -> {
              OwnedValues owned = context.getBean(OwnedValues.class);
              assertThat(owned.reasonOfType(Mapped.class)).endsWith("is a JPA entity");
              assertThat(owned.reasonOfType(MappedByName.class)).endsWith("extends a JPA entity");
              assertThat(owned.reasonOfType(Mapped[].class)).isNotNull();
              assertThat(owned.reasonOfType(View.class)).isNull();
            });
  }

  static class ByIdAlone {
    @BloomGuarded(filter = "things", key = "#id")
    public Optional<Divided> find(long id) {
      return Optional.empty();
    }
  }

  static class InheritedById {
    @BloomGuarded(filter = "things", key = "'tenant' + #id")
    public List<InheritedTenant> find(long id) {
      return List.of();
    }
  }

  static class ManyById {
    @BloomGuarded(filter = "things", key = "#ids")
    public Map<Long, Divided> find(List<Long> ids) {
      return Map.of();
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {ByIdAlone.class, InheritedById.class, ManyById.class})
  void aKeyWithoutTheTenantOfItsEntityIsRefused(Class<?> bean) {
    FailureAnalysis failure = Wiring.failure(with(application(Plain.class), bean));
    assertThat(failure.getDescription())
        .contains(bean.getSimpleName() + ".find(")
        .contains("names no tenant")
        .contains("has a @TenantId");
    assertThat(failure.getAction()).contains("#tenantId").contains("NONE");
  }

  static class WithTenant {
    @BloomGuarded(filter = "things", key = "#tenantId + ':' + #id")
    public Optional<Divided> find(String tenantId, long id) {
      return Optional.empty();
    }

    @BloomGuarded(filter = "things", key = "#id", caching = Caching.NONE)
    public Optional<Divided> decided(long id) {
      return Optional.empty();
    }

    @BloomGuarded(filter = "things", key = "#ids")
    public List<Divided> decided(List<Long> ids) {
      return List.of();
    }
  }

  static class Views {
    @BloomGuarded(filter = "things", key = "#id")
    public Optional<View> find(long id) {
      return Optional.empty();
    }
  }

  @Test
  void aKeyWithTheTenantIsTaken() {
    with(with(application(Plain.class), WithTenant.class), Views.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void whereHibernateResolvesATenantEveryKeyNeedsIt() {
    ApplicationContextRunner divided =
        Wiring.application()
            .withPropertyValues("bloomguard.filters.things.expected-insertions=1000")
            .withBean(
                LocalContainerEntityManagerFactoryBean.class,
                () -> {
                  LocalContainerEntityManagerFactoryBean bean = factory(Divided.class);
                  bean.getJpaPropertyMap()
                      .put("hibernate.tenant_identifier_resolver", new OneTenant());
                  return bean;
                });
    with(divided, WithTenant.class).run(context -> assertThat(context).hasNotFailed());
    FailureAnalysis failure = Wiring.failure(with(divided, Views.class));
    assertThat(failure.getDescription())
        .contains("Views.find(long)")
        .contains("resolves a tenant for each session");
  }

  @Entity(name = "Filtered")
  @FilterDef(name = "org", parameters = @ParamDef(name = "org", type = String.class))
  @Filter(name = "org", condition = "org = :org")
  static class Filtered {
    @Id long id;
    String org;
  }

  @Entity(name = "Undeleted")
  @FilterDef(name = "live", defaultCondition = "not deleted")
  @Filter(name = "live")
  static class Undeleted {
    @Id long id;
    boolean deleted;
  }

  static class FilteredById {
    @BloomGuarded(filter = "things", key = "#id")
    public Optional<Filtered> find(long id) {
      return Optional.empty();
    }
  }

  static class UndeletedById {
    @BloomGuarded(filter = "things", key = "#id")
    public Optional<Undeleted> find(long id) {
      return Optional.empty();
    }
  }

  @Test
  void aKeyWithoutTheParameterOfAFilterIsRefused() {
    FailureAnalysis failure = Wiring.failure(with(application(Filtered.class), FilteredById.class));
    assertThat(failure.getDescription())
        .contains("FilteredById.find(long)")
        .contains("@Filter 'org'");
    with(with(application(Filtered.class), UndeletedById.class), Views.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  interface FilteredRows extends Repository<Filtered, Long> {
    @BloomGuarded(filter = "things", key = "#id")
    Optional<View> find(long id);
  }

  static class Projections implements FilteredRows {
    @Override
    public Optional<View> find(long id) {
      return Optional.empty();
    }
  }

  @Test
  void aProjectionHasTheFilterOfItsRepositorysEntity() {
    FailureAnalysis failure = Wiring.failure(with(application(Filtered.class), Projections.class));
    assertThat(failure.getDescription())
        .contains("Projections.find(long)")
        .contains("Filtered has the @Filter 'org'");
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void aFilterThatASessionMayEnableIsNamedOnce(CapturedOutput output) {
    with(application(Filtered.class), Views.class)
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output.toString()).containsOnlyOnce("Sessions may enable Hibernate's filter 'org'");
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void aFilterWithoutParametersIsNotNamed(CapturedOutput output) {
    with(application(Undeleted.class), Views.class)
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output).doesNotContain("Sessions may enable");
  }

  @Entity(name = "Always")
  @FilterDef(
      name = "always",
      autoEnabled = true,
      parameters = @ParamDef(name = "org", type = String.class, resolver = Org.class))
  @Filter(name = "always", condition = "org = :org")
  static class Always {
    @Id long id;
    String org;
  }

  /** The tenant of the calling thread. */
  static class Org implements Supplier<String> {
    @Override
    public String get() {
      return "one";
    }
  }

  @Test
  void aFilterOfEverySessionConcernsEveryMethod() {
    FailureAnalysis failure = Wiring.failure(with(application(Always.class), Views.class));
    assertThat(failure.getDescription())
        .contains("Views.find(long)")
        .contains("enables the filter 'always' in each session");
  }

  /** A resolver that always says the same. */
  static class OneTenant implements CurrentTenantIdentifierResolver<String> {
    @Override
    public String resolveCurrentTenantIdentifier() {
      return "one";
    }

    @Override
    public boolean validateExistingCurrentSessions() {
      return false;
    }
  }

  @Entity(name = "Shelf")
  static class Shelf {
    @Id long id;

    @ElementCollection List<String> books = new ArrayList<>();
  }

  record Labelled(long id, Shelf shelf) {}

  static class Unread {
    private final EntityManager entities;

    Unread(EntityManagerFactory factory) {
      entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
    }

    @BloomGuarded(filter = "things", key = "#id")
    public Shelf shelf(long id) {
      return entities.getReference(Shelf.class, id);
    }

    @BloomGuarded(filter = "things", key = "#id", caching = Caching.NONE)
    public Optional<Shelf> optional(long id) {
      return Optional.of(shelf(id));
    }

    @BloomGuarded(filter = "things", key = "#id", caching = Caching.NONE)
    public CompletableFuture<Labelled> labelled(long id) {
      return CompletableFuture.completedFuture(new Labelled(id, shelf(id)));
    }

    @BloomGuarded(filter = "things", key = "#ids", cache = "shelves")
    public Map<Long, Shelf> shelves(List<Long> ids) {
      return ids.stream().collect(Collectors.toMap(id -> id, this::shelf));
    }

    @BloomGuarded(filter = "things", key = "#id", cache = "books", caching = Caching.NULLS)
    public List<String> books(long id) {
      return entities.find(Shelf.class, 1).books; // of a closed session
    }
  }

  /** What has not been read shows nothing of its row, and stays unread. */
  @Test
  void aReferenceThatHasNotBeenReadIsNoVerdict() {
    ApplicationContextRunner shelves =
        Wiring.application()
            .withPropertyValues("bloomguard.filters.things.expected-insertions=1000")
            .withBean(
                LocalContainerEntityManagerFactoryBean.class,
                () -> {
                  LocalContainerEntityManagerFactoryBean bean = factory(Shelf.class);
                  bean.getJpaPropertyMap().put("hibernate.hbm2ddl.auto", "create");
                  return bean;
                });
    with(shelves, Unread.class)
        .withBean(JpaTransactionManager.class)
        .withBean("none", KeySource.class, () -> sink -> sink.accept(1L))
        .withPropertyValues(
            "bloomguard.filters.things.source.bean=none",
            "bloomguard.filters.things.warm-up.mode=blocking")
        .run(
            context -> {
              new TransactionTemplate(context.getBean(JpaTransactionManager.class))
                  .executeWithoutResult(status -> save(context, 1));
              Unread unread = context.getBean(Unread.class);
              assertThat(Hibernate.isInitialized(unread.shelf(901))).isFalse();
              assertThat(unread.optional(902)).isPresent();
              assertThat(unread.labelled(903).join().id()).isEqualTo(903);
              assertThat(unread.shelves(List.of(904L, 905L))).hasSize(2);
              assertThat(Hibernate.isInitialized(unread.books(906))).isFalse();
              assertThat(Hibernate.isInitialized(unread.books(1))).isFalse();
              BloomGuard<Shelf> inCode =
                  context.getBean(BloomGuards.class).guard("things", Shelf.class);
              assertThat(inCode.get(907L, () -> unread.shelf(1))).isNotNull();
              var guarded = context.getBean(ConfiguredFilters.class).all().get(0).guarded();
              assertThat(guarded.verification().wrong()).isZero();
              assertThat(inCode.check(901L)).isEqualTo(Membership.ABSENT);
            });
  }

  private static void save(ApplicationContext context, long id) {
    EntityManager entities =
        SharedEntityManagerCreator.createSharedEntityManager(
            context.getBean(EntityManagerFactory.class));
    Shelf shelf = new Shelf();
    shelf.id = id;
    shelf.books.add("a");
    entities.persist(shelf);
  }

  static class Writer {
    @BloomPut(filter = "things", key = "#id")
    public void save(long id) {}
  }

  @Test
  void aCommitWhoseAnswerIsLostKeepsTheBarrierOfAnAnnotatedWrite() {
    with(application(Plain.class), Writer.class)
        .withBean(JpaTransactionManager.class)
        .run(
            context -> {
              Writer writer = context.getBean(Writer.class);
              EntityManager entities =
                  SharedEntityManagerCreator.createSharedEntityManager(
                      context.getBean(EntityManagerFactory.class));
              TransactionTemplate transaction =
                  new TransactionTemplate(context.getBean(JpaTransactionManager.class));
              assertThatThrownBy(
                      () ->
                          transaction.executeWithoutResult(
                              status -> {
                                writer.save(7);
                                entities
                                    .unwrap(Session.class)
                                    .doWork(c -> c.unwrap(JdbcConnection.class).close());
                              }))
                  .hasStackTraceContaining("Unable to commit");
              long asked = System.nanoTime();
              assertThat(context.getBean(GuardRegistry.class).cache("things").lastWrite("7"))
                  .as("open")
                  .isGreaterThanOrEqualTo(asked);
            });
  }

  private static ApplicationContextRunner with(
      ApplicationContextRunner application, Class<?> bean) {
    return application.withBean(bean.getSimpleName(), bean);
  }

  private static ApplicationContextRunner application(Class<?>... entities) {
    return Wiring.application()
        .withPropertyValues("bloomguard.filters.things.expected-insertions=1000")
        .withBean(LocalContainerEntityManagerFactoryBean.class, () -> factory(entities));
  }

  private static LocalContainerEntityManagerFactoryBean factory(Class<?>... entities) {
    LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    bean.setDataSource(
        new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"));
    bean.setManagedTypes(
        PersistenceManagedTypes.of(
            Arrays.stream(entities).map(Class::getName).toArray(String[]::new)));
    bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    bean.setMappingResources("io/bloomguard/autoconfigure/mapped.orm.xml");
    return bean;
  }
}
