package io.bloomguard.autoconfigure;

import io.bloomguard.data.internal.MyBatisPlugins;
import io.bloomguard.data.internal.RoutedRows;
import io.bloomguard.guard.OwnedTypes;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.jpa.internal.EntityTypes;
import io.r2dbc.spi.ConnectionFactory;
import jakarta.persistence.EntityManagerFactory;
import javax.sql.DataSource;
import org.apache.ibatis.session.SqlSessionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/**
 * Which values belong to one caller: entities, rows that plugins or pools choose for each caller,
 * and what beans of the application say.
 */
@Configuration(proxyBeanMethods = false)
class OwnedTypesConfiguration {

  /** Static and lazy about the types: the advisors, which need it, are made before most beans. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static OwnedValues bloomguardOwnedValues(ObjectProvider<OwnedTypes> types) {
    return new OwnedValues(
        SingletonSupplier.of(() -> OwnedTypes.of(types.orderedStream().toList())));
  }

  @Bean
  static RoutedRows bloomguardRoutedRows(ObjectProvider<DataSource> pools) {
    return new RoutedRows(SingletonSupplier.of(() -> pools.stream().toList()));
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "io.r2dbc.spi.ConnectionFactory")
  static class R2dbcConfiguration {

    @Bean
    static RoutedRows bloomguardRoutedConnections(ObjectProvider<ConnectionFactory> pools) {
      return new RoutedRows(SingletonSupplier.of(() -> pools.stream().toList()));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "jakarta.persistence.Entity")
  static class JpaConfiguration {

    @Bean
    static EntityTypes bloomguardEntityTypes(ObjectProvider<EntityManagerFactory> factories) {
      return new EntityTypes(SingletonSupplier.of(() -> factories.stream().toList()));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.apache.ibatis.session.SqlSessionFactory")
  static class MyBatisConfiguration {

    @Bean
    static MyBatisPlugins bloomguardMyBatisPlugins(ObjectProvider<SqlSessionFactory> factories) {
      return new MyBatisPlugins(
          () -> factories.stream().map(SqlSessionFactory::getConfiguration).toList());
    }
  }
}
