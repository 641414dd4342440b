package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.autoconfigure.keyed.aggregate.Order;
import io.bloomguard.autoconfigure.keyed.embeddable.Address;
import io.bloomguard.autoconfigure.keyed.entity.Author;
import io.bloomguard.autoconfigure.keyed.parent.Base;
import io.bloomguard.autoconfigure.keyed.plain.Book;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.persistence.autoconfigure.EntityScanPackages;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.r2dbc.convert.MappingR2dbcConverter;
import org.springframework.data.r2dbc.core.DefaultReactiveDataAccessStrategy;
import org.springframework.data.r2dbc.core.R2dbcEntityOperations;
import org.springframework.data.r2dbc.core.R2dbcEntityTemplate;
import org.springframework.data.r2dbc.dialect.H2Dialect;
import org.springframework.data.r2dbc.mapping.R2dbcMappingContext;
import org.springframework.data.r2dbc.repository.support.R2dbcRepositoryFactoryBean;
import org.springframework.data.repository.NoRepositoryBean;
import org.springframework.data.repository.reactive.ReactiveCrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** A {@code @BloomKey} that nothing applies stops the start, with the class and the reason. */
class EntityKeyVerifierTest {

  private static final String KEYED = "io.bloomguard.autoconfigure.keyed.";

  @Test
  void whatIsMappedIsApplied() {
    with(application("entity"), "entity").run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void aClassOutsideTheEntityScanIsRefused() {
    refused(
        with(application("entity", "plain"), "plain"),
        Author.class,
        "maps this class",
        "@EntityScan");
  }

  @Test
  void aClassThatNothingMapsIsRefused() {
    refused(with(application("plain"), "entity"), Book.class, "maps this class", "@BloomPut");
  }

  @Test
  void anEmbeddableIsRefused() {
    refused(
        with(application("embeddable"), "embeddable"),
        Address.class,
        "an embeddable",
        "attribute =");
  }

  @Test
  void aMappedSuperclassOfNoEntityIsRefused() {
    refused(with(application("parent"), "parent"), Base.class, "no mapped entity extends", "move");
  }

  @Test
  void withoutAnyMappingItIsRefused() {
    refused(
        application("plain")
            .withClassLoader(
                new FilteredClassLoader("org.hibernate", "org.springframework.data.jdbc")),
        Book.class,
        "neither Hibernate nor Spring Data JDBC",
        "@BloomPut");
    refused(application("entity"), Author.class, "maps this class", "@EntityScan");
  }

  @Test
  void packagesOfTheEntityScanAreLookedAtToo() {
    refused(
        with(application(), "entity")
            .withInitializer(
                context ->
                    EntityScanPackages.register(
                        (BeanDefinitionRegistry) context.getBeanFactory(), KEYED + "plain")),
        Book.class,
        "maps this class",
        "@EntityScan");
    application()
        .withClassLoader(new FilteredClassLoader("org.springframework.boot.persistence"))
        .run(context -> assertThat(context).hasNotFailed());
  }

  /** A factory that would be built later is built for it. */
  @Test
  void aLazyFactoryIsAsked() {
    lazy(application("entity")).run(context -> assertThat(context).hasNotFailed());
    refused(lazy(application("plain")), Book.class, "maps this class", "remove");
  }

  @Test
  void aFactoryBuiltInTheBackgroundIsWaitedFor() {
    application("entity")
        .withBean(
            LocalContainerEntityManagerFactoryBean.class,
            () -> {
              LocalContainerEntityManagerFactoryBean factory = factory("entity");
              factory.setBootstrapExecutor(new SimpleAsyncTaskExecutor());
              return factory;
            })
        .run(context -> assertThat(context).hasNotFailed());
  }

  @ParameterizedTest
  @ValueSource(strings = {"bloomguard.enabled", "spring.boot.enableautoconfiguration"})
  void nothingIsLookedAtWhereItIsOffOrASlice(String property) {
    application("plain")
        .withPropertyValues(property + "=false")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Configuration(proxyBeanMethods = false)
  static class Aggregates extends AbstractJdbcConfiguration {

    @Override
    protected Set<Class<?>> getInitialEntitySet() {
      return Set.of(Order.class);
    }

    @Bean
    DataSource dataSource() {
      DataSource source = new DriverManagerDataSource(url());
      new JdbcTemplate(source)
          .execute(
              "create table \"orders\" (\"ID\" bigint generated always as identity primary key,"
                  + " \"NAME\" varchar)");
      return source;
    }

    @Bean
    NamedParameterJdbcTemplate template(DataSource source) {
      return new NamedParameterJdbcTemplate(source);
    }

    @Bean
    PlatformTransactionManager transactionManager(DataSource source) {
      return new DataSourceTransactionManager(source);
    }
  }

  @Test
  void aggregatesTellTheGuardsOfTheApplication() {
    application("aggregate")
        .withUserConfiguration(Aggregates.class)
        .run(
            context -> {
              Order saved =
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                      .execute(
                          status ->
                              context
                                  .getBean(JdbcAggregateTemplate.class)
                                  .insert(new Order(null, "first")));
              BloomGuards guards = context.getBean(BloomGuards.class);
              assertThat(guards.guard("things").check(saved.id()))
                  .isEqualTo(Membership.POSSIBLY_PRESENT);
              assertThat(guards.guard("things").check(saved.id() + 1)).isEqualTo(Membership.ABSENT);
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Rows {

    @Bean
    ConnectionFactory connections() {
      return ConnectionFactories.get(
          "r2dbc:h2:mem:///" + UUID.randomUUID() + "?options=DB_CLOSE_DELAY=-1");
    }

    @Bean
    ReactiveTransactionManager transactionManager(ConnectionFactory connections) {
      return new R2dbcTransactionManager(connections);
    }

    @Bean
    R2dbcMappingContext mapping() {
      R2dbcMappingContext mapping = new R2dbcMappingContext();
      mapping.setForceQuote(false);
      mapping.setInitialEntitySet(Set.of(Order.class));
      return mapping;
    }

    @Bean
    R2dbcEntityTemplate template(ConnectionFactory connections, R2dbcMappingContext mapping) {
      DatabaseClient client = DatabaseClient.create(connections);
      client
          .sql(
              "create table orders (id bigint generated always as identity primary key, name"
                  + " varchar)")
          .then()
          .block();
      return new R2dbcEntityTemplate(
          client,
          new DefaultReactiveDataAccessStrategy(
              H2Dialect.INSTANCE, new MappingR2dbcConverter(mapping)));
    }

    @Bean
    R2dbcRepositoryFactoryBean<Orders, Order, Long> orders(R2dbcEntityOperations operations) {
      R2dbcRepositoryFactoryBean<Orders, Order, Long> repositories =
          new R2dbcRepositoryFactoryBean<>(Orders.class);
      repositories.setEntityOperations(operations);
      return repositories;
    }
  }

  @NoRepositoryBean
  interface Orders extends ReactiveCrudRepository<Order, Long> {}

  /** A repository's save has no transaction but that of the guard. */
  @Test
  void rowsOfR2dbcTellTheGuardsOfTheApplication() {
    application("aggregate")
        .withUserConfiguration(Rows.class)
        .run(
            context -> {
              Order saved = context.getBean(Orders.class).save(new Order(null, "first")).block();
              BloomGuards guards = context.getBean(BloomGuards.class);
              assertThat(guards.guard("things").check(saved.id()))
                  .isEqualTo(Membership.POSSIBLY_PRESENT);
              assertThat(guards.guard("things").check(saved.id() + 1)).isEqualTo(Membership.ABSENT);
            });
  }

  @Test
  void keysOfR2dbcHaveTheScopeOfTheSubscriber() {
    application("aggregate")
        .withUserConfiguration(Rows.class)
        .withBean("shop", Shop.class)
        .withPropertyValues("bloomguard.filters.things.keys.scope=shop")
        .run(
            context -> {
              Mono<Order> save = context.getBean(Orders.class).save(new Order(null, "first"));
              long id = save.contextWrite(c -> c.put("shop", 3L)).block().id();
              BloomGuard<?> things = context.getBean(BloomGuards.class).guard("things");
              assertThatThrownBy(save::block).hasMessageContaining("'shop'");
              Shop shop = context.getBean(Shop.class);
              shop.ofThread = 3L;
              assertThat(things.check(id)).isEqualTo(Membership.POSSIBLY_PRESENT);
              shop.ofThread = 4L;
              assertThat(things.check(id)).isEqualTo(Membership.ABSENT);
            });
  }

  static class Shop implements Function<ContextView, Long>, Supplier<Long> {

    volatile @Nullable Long ofThread;

    @Override
    public @Nullable Long get() {
      return ofThread;
    }

    @Override
    public @Nullable Long apply(ContextView context) {
      return context.getOrDefault("shop", null);
    }
  }

  @Test
  void aClassThatIsNoAggregateIsRefused() {
    refused(
        application("aggregate", "plain").withUserConfiguration(Aggregates.class),
        Book.class,
        "maps this class",
        "@Table");
  }

  /** The time is logged and not judged: it is that of reading the files. */
  @Test
  void thousandsOfClassesAreLookedAt(@TempDir Path root) throws IOException {
    Path folder = Files.createDirectories(root.resolve("app/big"));
    byte[] model = model();
    int classes = 4_000;
    for (int i = 0; i < classes; i++) {
      Files.write(folder.resolve("C" + i + ".class"), model);
    }
    try (URLClassLoader loader = new URLClassLoader(new URL[] {root.toUri().toURL()})) {
      PathMatchingResourcePatternResolver resources =
          new PathMatchingResourcePatternResolver(loader);
      long start = System.nanoTime();
      List<Class<?>> found = AnnotatedClasses.in(List.of("app.big", "app"), resources);
      LoggerFactory.getLogger(EntityKeyVerifierTest.class)
          .info(
              "{} classes of {} bytes in {}",
              classes,
              model.length,
              Duration.ofNanos(System.nanoTime() - start));
      assertThat(found).isEmpty();
    }
  }

  /** A class of common size. */
  private static byte[] model() throws IOException {
    try (InputStream in =
        EntityKeyVerifierTest.class.getResourceAsStream("BloomguardAutoConfigurationTest.class")) {
      return in.readAllBytes();
    }
  }

  private static ApplicationContextRunner application(String... packages) {
    return Wiring.application()
        .withPropertyValues(
            "bloomguard.filters.things.expected-insertions=1000",
            "bloomguard.filters.things.source.added-only=true")
        .withInitializer(
            context -> {
              for (String name : packages) {
                AutoConfigurationPackages.register(
                    (BeanDefinitionRegistry) context.getBeanFactory(), KEYED + name);
              }
            });
  }

  private static ApplicationContextRunner lazy(ApplicationContextRunner application) {
    return application.withBean(
        LocalContainerEntityManagerFactoryBean.class,
        () -> factory("entity"),
        definition -> definition.setLazyInit(true));
  }

  private static ApplicationContextRunner with(
      ApplicationContextRunner application, String entities) {
    return application.withBean(
        LocalContainerEntityManagerFactoryBean.class, () -> factory(entities));
  }

  private static LocalContainerEntityManagerFactoryBean factory(String entities) {
    LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    bean.setDataSource(new DriverManagerDataSource(url()));
    bean.setPackagesToScan(KEYED + entities);
    bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    bean.getJpaPropertyMap().put("hibernate.hbm2ddl.auto", "create");
    return bean;
  }

  private static String url() {
    return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
  }

  private static void refused(
      ApplicationContextRunner application, Class<?> type, String problem, String action) {
    FailureAnalysis failure = Wiring.failure(application);
    assertThat(failure.getDescription())
        .startsWith("@BloomKey on " + type.getName() + " is not applied")
        .contains(problem);
    assertThat(failure.getAction()).contains(action);
  }
}
