package io.bloomguard.autoconfigure;

import io.bloomguard.data.internal.R2dbcRepositories;
import io.bloomguard.data.internal.R2dbcWrites;
import io.bloomguard.data.internal.row.RowGuards;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.data.r2dbc.core.R2dbcEntityOperations;
import org.springframework.data.r2dbc.mapping.R2dbcMappingContext;

/** Keys that are added and dropped as Spring Data R2DBC saves rows. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(R2dbcMappingContext.class)
@ConditionalOnBean(R2dbcMappingContext.class)
class R2dbcWritesConfiguration {

  @Bean
  R2dbcWrites bloomguardR2dbcWrites(
      RowGuards guards, R2dbcMappingContext context, ObjectProvider<R2dbcEntityOperations> stored) {
    return new R2dbcWrites(guards, context, stored::getObject);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static R2dbcRepositories bloomguardR2dbcRepositories(ObjectProvider<R2dbcWrites> writes) {
    return new R2dbcRepositories(writes::getObject);
  }
}
