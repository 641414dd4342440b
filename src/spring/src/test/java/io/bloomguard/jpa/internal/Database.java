package io.bloomguard.jpa.internal;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.guard.RecordedGuards;
import io.bloomguard.transaction.internal.SpringTransactions;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Version;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionTemplate;

/** H2 under Hibernate under Spring, with the filters of {@link Entities}. */
final class Database implements AutoCloseable {

  /** The most keys of one transaction. */
  static final int MAX_KEYS = 30_000;

  private final SpringTransactions transactions = new SpringTransactions();
  final EntityWrites writes =
      new EntityWrites(
          new RowGuards(() -> this.guards, () -> this.transactions, MAX_KEYS, filter -> null),
          List::of);
  final ThreadSessions ages = new ThreadSessions(writes);

  final RecordedGuards guards =
      new RecordedGuards(
          transactions.reading(List.of(ages)),
          ages,
          "owners",
          "owner-names",
          "pets",
          "pet-names",
          "skus",
          "receipts",
          "lines",
          "seats",
          "rows",
          "vehicles",
          "payments",
          "cards",
          "coupons",
          "places",
          "halls");

  final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
  final EntityManagerFactory factory;
  final EntityManager shared;
  final TransactionTemplate transaction;

  /** Ends a test whose stateless session Hibernate 6 would not name, and the library refuses. */
  static void assumeNamedStatelessSessions() {
    assumeFalse(Version.getVersionString().startsWith("6."));
  }

  Database(String packages, Map<String, Object> properties) {
    this(packages, properties, source -> {});
  }

  Database(String packages, Map<String, Object> properties, Consumer<HikariDataSource> settings) {
    context.registerBean(EntityWrites.class, () -> writes);
    context.registerBean(
        EntityManagerFactoryWatch.class, () -> new EntityManagerFactoryWatch(() -> ages));
    context.registerBean(
        "entityManagerFactory",
        LocalContainerEntityManagerFactoryBean.class,
        () -> bean(packages, properties, settings));
    context.refresh();
    factory = context.getBean(EntityManagerFactory.class);
    shared = SharedEntityManagerCreator.createSharedEntityManager(factory);
    JpaTransactionManager manager = new JpaTransactionManager(factory);
    transactions.postProcessBeforeInitialization(manager, "transactionManager");
    transaction = new TransactionTemplate(manager);
  }

  private static LocalContainerEntityManagerFactoryBean bean(
      String packages, Map<String, Object> properties, Consumer<HikariDataSource> settings) {
    HikariDataSource source = new HikariDataSource();
    settings.accept(source);
    source.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    bean.setDataSource(source);
    bean.setPackagesToScan(packages);
    bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    bean.setJpaPropertyMap(properties);
    bean.getJpaPropertyMap().put("hibernate.hbm2ddl.auto", "create");
    return bean;
  }

  /** Works in a transaction that commits. */
  void write(Consumer<EntityManager> work) {
    transaction.executeWithoutResult(status -> work.accept(shared));
  }

  /** Works in a transaction that commits. */
  <T> T get(Function<EntityManager, T> work) {
    return transaction.execute(status -> work.apply(shared));
  }

  SessionFactory sessions() {
    return factory.unwrap(SessionFactory.class);
  }

  Session session(EntityManager manager) {
    return manager.unwrap(Session.class);
  }

  @Override
  public void close() {
    context.close();
  }
}
