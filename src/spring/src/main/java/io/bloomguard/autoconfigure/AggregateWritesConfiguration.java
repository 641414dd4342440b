package io.bloomguard.autoconfigure;

import io.bloomguard.data.internal.AggregateWrites;
import io.bloomguard.data.internal.row.RowGuards;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.core.convert.DataAccessStrategy;
import org.springframework.data.jdbc.core.convert.JdbcConverter;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;

/** Keys that are added and dropped as Spring Data JDBC writes aggregates. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(JdbcMappingContext.class)
@ConditionalOnBean(JdbcMappingContext.class)
class AggregateWritesConfiguration {

  @Bean
  AggregateWrites bloomguardAggregateWrites(
      RowGuards guards,
      JdbcMappingContext context,
      ObjectProvider<DataAccessStrategy> stored,
      ObjectProvider<JdbcConverter> converter) {
    return new AggregateWrites(guards, context, stored::getObject, converter::getObject);
  }
}
