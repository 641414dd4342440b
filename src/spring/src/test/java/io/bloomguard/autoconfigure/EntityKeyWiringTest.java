package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Transient;
import java.io.Serializable;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/** {@code @BloomKey} in an application: applied in every factory, or the reason why not. */
class EntityKeyWiringTest {

  private static final String[] FILTER = {
    "bloomguard.filters.things.expected-insertions=1000",
    "bloomguard.filters.things.source.added-only=true"
  };

  @Entity(name = "Thing")
  @BloomKey(filter = "things")
  static class Thing {
    @Id long id;
  }

  @Entity(name = "Misnamed")
  @BloomKey(filter = "thinks")
  static class Misnamed {
    @Id long id;
  }

  @Entity(name = "Nameless")
  @BloomKey(filter = "things", attribute = "label")
  static class Nameless {
    @Id long id;
    String name;
  }

  @Entity(name = "Dated")
  static class Dated {
    @Id long id;

    @BloomKey(filter = "things")
    LocalDate born;
  }

  @Entity(name = "Associated")
  static class Associated {
    @Id long id;

    @BloomKey(filter = "things")
    @ManyToOne(cascade = CascadeType.ALL)
    Thing thing;
  }

  @Entity(name = "Passing")
  static class Passing {
    @Id long id;

    @BloomKey(filter = "things")
    @Transient
    String name;
  }

  @Entity(name = "Twice")
  static class Twice {
    @Id long id;

    @BloomKey(filter = "things", attribute = "other")
    String name;
  }

  @Embeddable
  static class Pair implements Serializable {
    long two;
    long one;
  }

  @Entity(name = "Paired")
  @BloomKey(filter = "things")
  static class Paired {
    @EmbeddedId Pair id;
  }

  static List<Arguments> refusals() {
    return List.of(
        refused(Misnamed.class, "'thinks', which is not configured", "[things]"),
        refused(Nameless.class, "'label', which it does not have", "[id, name]"),
        refused(Dated.class, "'born', which is of type java.time.LocalDate", "text, an integral"),
        refused(Associated.class, "'thing', which is an association", "text, an integral"),
        refused(Passing.class, "'name', which it does not have", "[id]"),
        refused(Twice.class, "'other' while it stands on 'name'", "move the annotation"),
        refused(
            Paired.class,
            "an id of several columns [one, two], whose order is not known",
            "(attribute = \"id.one, id.two\")"));
  }

  private static Arguments refused(Class<?> entity, String problem, String action) {
    return Arguments.of(entity, problem, action);
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void aKeyThatCannotBeAppliedStopsTheStart(Class<?> entity, String problem, String action) {
    FailureAnalysis failure = Wiring.failure(application(Thing.class, entity));
    assertThat(failure.getDescription())
        .startsWith("@BloomKey on " + entity.getName() + " ")
        .contains(problem);
    assertThat(failure.getAction()).contains(action);
  }

  @Test
  void everyFactoryIsFollowed() {
    application(Thing.class)
        .withBean(
            "second", LocalContainerEntityManagerFactoryBean.class, () -> factory(Thing.class))
        .withBean(
            "byHand",
            EntityManagerFactory.class,
            () -> {
              Properties settings = new Properties();
              settings.put("hibernate.connection.url", url());
              settings.put("hibernate.hbm2ddl.auto", "create");
              return new Configuration()
                  .addProperties(settings)
                  .addAnnotatedClass(Thing.class)
                  .buildSessionFactory();
            })
        .run(
            context -> {
              long id = 0;
              for (EntityManagerFactory factory :
                  context.getBeansOfType(EntityManagerFactory.class).values()) {
                Thing thing = new Thing();
                thing.id = ++id;
                factory
                    .unwrap(SessionFactory.class)
                    .inTransaction(session -> session.persist(thing));
                assertThat(context.getBean(BloomGuards.class).guard("things").check(thing.id))
                    .isEqualTo(Membership.POSSIBLY_PRESENT);
              }
              assertThat(id).isEqualTo(3);
            });
  }

  @Test
  void anApplicationWithoutHibernateStarts() {
    Wiring.application()
        .withPropertyValues(FILTER)
        .withClassLoader(new FilteredClassLoader("org.hibernate", "jakarta.persistence"))
        .run(context -> assertThat(context).hasNotFailed());
    Wiring.application()
        .withPropertyValues(FILTER)
        .withClassLoader(new FilteredClassLoader("org.springframework.orm"))
        .run(context -> assertThat(context).hasNotFailed());
  }

  private static ApplicationContextRunner application(Class<?>... entities) {
    return Wiring.application()
        .withPropertyValues(FILTER)
        .withBean("first", LocalContainerEntityManagerFactoryBean.class, () -> factory(entities));
  }

  private static LocalContainerEntityManagerFactoryBean factory(Class<?>... entities) {
    LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    bean.setDataSource(new DriverManagerDataSource(url()));
    bean.setManagedTypes(
        PersistenceManagedTypes.of(
            Arrays.stream(entities).map(Class::getName).toArray(String[]::new)));
    bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    bean.getJpaPropertyMap().put("hibernate.hbm2ddl.auto", "create");
    return bean;
  }

  private static String url() {
    return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
  }
}
