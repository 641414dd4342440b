package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.defaults.DefaultSqlSessionFactory;
import org.apache.ibatis.transaction.managed.ManagedTransactionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.annotation.PersistenceCreator;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Rows whose keys have the scope of a column of theirs, else that of the thread. */
class ScopedRowsTest {

  private static final ThreadLocal<@Nullable Long> SHOP = new ThreadLocal<>();

  /** Of MyBatis; its scope is known by the source's first column. */
  @BloomKey(filter = "items")
  public static class Mapped {
    public Long id;
    public Long shopId;

    public Mapped(@Nullable Long shopId, long id) {
      this.id = id;
      this.shopId = shopId;
    }

    public Long getId() {
      return id;
    }

    public Long getShopId() {
      return shopId;
    }
  }

  public interface Items {
    @Insert("insert into items values (#{shopId}, #{id})")
    int insert(Mapped item);
  }

  @Entity(name = "Managed")
  @BloomKey(filter = "items", attribute = "shopId, id")
  static class Managed {
    @Id long id;
    Long shopId;

    Managed() {}

    Managed(@Nullable Long shopId, long id) {
      this.id = id;
      this.shopId = shopId;
    }
  }

  @Table("items")
  @BloomKey(filter = "items")
  record Aggregate(Long shopId, @org.springframework.data.annotation.Id Long id) {
    @PersistenceCreator
    Aggregate {}
  }

  @org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
  static class Aggregates extends AbstractJdbcConfiguration {
    @Override
    protected Set<Class<?>> getInitialEntitySet() {
      return Set.of(Aggregate.class);
    }
  }

  private final ApplicationContextRunner application =
      Wiring.application()
          .withConfiguration(
              AutoConfigurations.of(
                  DataSourceAutoConfiguration.class,
                  JdbcTemplateAutoConfiguration.class,
                  DataSourceTransactionManagerAutoConfiguration.class))
          .withBean("shop", Supplier.class, () -> SHOP::get)
          .withPropertyValues(
              "spring.datasource.generate-unique-name=true",
              "bloomguard.filters.items.keys.scope=shop",
              "bloomguard.filters.items.source.jdbc.query="
                  + "select i.shop_id, i.id from (values (1, 1)) i (shop_id, id)",
              "bloomguard.filters.items.warm-up.mode=blocking",
              "bloomguard.filters.items.false-positive-probability=0.000001");

  @AfterEach
  void end() {
    SHOP.remove();
  }

  private static void as(@Nullable Long shop, Runnable work) {
    SHOP.set(shop);
    try {
      work.run();
    } finally {
      SHOP.remove();
    }
  }

  private static void holds(ApplicationContext context, long shop, long id) {
    BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("items");
    as(shop, () -> assertThat(guard.check(id)).isEqualTo(Membership.POSSIBLY_PRESENT));
    as(7L, () -> assertThat(guard.check(id)).isEqualTo(Membership.ABSENT));
  }

  @Test
  void rowsOfMyBatis() {
    application
        .withBean(SqlSessionFactory.class, () -> factory())
        .run(
            context -> {
              DataSource source = context.getBean(DataSource.class);
              SqlSessionFactory factory = context.getBean(SqlSessionFactory.class);
              factory
                  .getConfiguration()
                  .setEnvironment(
                      new Environment(
                          "test",
                          new ManagedTransactionFactory(),
                          new TransactionAwareDataSourceProxy(source)));
              context
                  .getBean(JdbcTemplate.class)
                  .execute("create table items (shop_id bigint, id bigint)");
              Consumer<Mapped> insert =
                  item -> {
                    try (SqlSession session = factory.openSession()) {
                      session.getMapper(Items.class).insert(item);
                    }
                  };
              as(7L, () -> insert.accept(new Mapped(2L, 20)));
              holds(context, 2, 20);
              as(3L, () -> insert.accept(new Mapped(null, 21)));
              holds(context, 3, 21);
              // The scope at the statement, not at the commit.
              as(
                  7L,
                  () ->
                      new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                          .executeWithoutResult(
                              status -> {
                                SHOP.set(4L);
                                insert.accept(new Mapped(null, 22));
                                SHOP.set(7L);
                              }));
              holds(context, 4, 22);
              assertThatThrownBy(() -> insert.accept(new Mapped(null, 666)))
                  .hasStackTraceContaining("'shop' tells, is null here")
                  .hasStackTraceContaining("The write is refused");
            });
  }

  private static SqlSessionFactory factory() {
    Configuration configuration = new Configuration();
    configuration.addMapper(Items.class);
    return new DefaultSqlSessionFactory(configuration);
  }

  @Test
  void rowsOfJpa() {
    application
        .withBean(
            LocalContainerEntityManagerFactoryBean.class,
            LocalContainerEntityManagerFactoryBean::new,
            bean -> bean.setLazyInit(false))
        .withInitializer(
            context ->
                context
                    .getBeanFactory()
                    .addBeanPostProcessor(
                        new org.springframework.beans.factory.config.BeanPostProcessor() {
                          @Override
                          public Object postProcessBeforeInitialization(Object bean, String name) {
                            if (bean instanceof LocalContainerEntityManagerFactoryBean factory) {
                              prepare(factory, context.getBean(DataSource.class));
                            }
                            return bean;
                          }
                        }))
        .run(
            context -> {
              EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
              as(7L, () -> persist(factory, new Managed(2L, 20)));
              holds(context, 2, 20);
              as(3L, () -> persist(factory, new Managed(null, 21)));
              holds(context, 3, 21);
              as(
                  7L,
                  () -> {
                    try (EntityManager entities = factory.createEntityManager()) {
                      entities.getTransaction().begin();
                      entities.find(Managed.class, 20L).shopId = 5L;
                      entities.getTransaction().commit();
                    }
                  });
              holds(context, 5, 20);
            });
  }

  private static void prepare(LocalContainerEntityManagerFactoryBean bean, DataSource source) {
    bean.setDataSource(source);
    bean.setManagedTypes(PersistenceManagedTypes.of(Managed.class.getName()));
    bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    bean.getJpaPropertyMap().put("hibernate.hbm2ddl.auto", "create");
  }

  private static void persist(EntityManagerFactory factory, Managed item) {
    try (EntityManager entities = factory.createEntityManager()) {
      entities.getTransaction().begin();
      entities.persist(item);
      entities.getTransaction().commit();
    }
  }

  @Test
  void rowsOfSpringDataJdbc() {
    application
        .withUserConfiguration(Aggregates.class)
        .run(
            context -> {
              context
                  .getBean(JdbcTemplate.class)
                  .execute("create table \"items\" (shop_id bigint, id bigint primary key)");
              JdbcAggregateTemplate template = context.getBean(JdbcAggregateTemplate.class);
              as(7L, () -> template.insert(new Aggregate(2L, 20L)));
              holds(context, 2, 20);
              as(3L, () -> template.insert(new Aggregate(null, 21L)));
              holds(context, 3, 21);
            });
  }
}
