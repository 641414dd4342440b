package io.bloomguard.server;

import com.zaxxer.hikari.HikariDataSource;
import io.bloomguard.console.ConsolePanel;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.context.annotation.PropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A catalogue of 100,000 products in memory, so that a server without configuration has something
 * to guard.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(DemoCatalogue.NothingConfigured.class)
@PropertySource("classpath:io/bloomguard/server/demo.properties")
class DemoCatalogue {

  /** The database lives as long as the pool holds a connection to it. */
  @Bean
  HikariDataSource dataSource() {
    HikariDataSource dataSource =
        DataSourceBuilder.create()
            .type(HikariDataSource.class)
            .url("jdbc:h2:mem:catalogue-" + UUID.randomUUID())
            .username("sa")
            .build();
    dataSource.setPoolName("catalogue");
    DatabasePopulatorUtils.execute(
        new ResourceDatabasePopulator(new ClassPathResource("catalogue.sql", DemoCatalogue.class)),
        dataSource);
    return dataSource;
  }

  @Bean
  ProductRepository productRepository(HikariDataSource dataSource) {
    return new ProductRepository(JdbcClient.create(dataSource));
  }

  @Bean
  ProductController productController(ProductRepository products) {
    return new ProductController(products);
  }

  @Bean
  ConsolePanel randomIdAttack(ProductRepository products) {
    return new RandomIdAttack(products);
  }

  /** Shows by its absence which requests cost the database nothing. */
  @Bean
  MeterBinder catalogueQueries(ProductRepository products) {
    return registry ->
        FunctionCounter.builder("catalogue.queries", products, ProductRepository::lookups)
            .description("How often the demo's database has been asked for a product")
            .register(registry);
  }

  /** Matches where neither a filter nor a data source is configured. */
  static final class NothingConfigured implements ConfigurationCondition {

    /** Once only: what this class configures must not count against it later. */
    @Override
    public ConfigurationPhase getConfigurationPhase() {
      return ConfigurationPhase.PARSE_CONFIGURATION;
    }

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      Environment environment = context.getEnvironment();
      return !environment.containsProperty("spring.datasource.url")
          && Binder.get(environment)
              .bind("bloomguard.filters", Bindable.mapOf(String.class, Object.class))
              .orElse(Map.of())
              .isEmpty();
    }
  }
}
