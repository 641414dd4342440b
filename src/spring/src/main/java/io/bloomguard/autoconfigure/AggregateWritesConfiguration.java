package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.data.internal.AggregateWrites;
import io.bloomguard.guard.KeyedClasses;
import io.bloomguard.guard.ReadSessions;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.writes.GatheredWrites;
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
      ObjectProvider<EntryGuards> guards,
      Transactions transactions,
      ObjectProvider<ReadSessions> sessions,
      JdbcMappingContext context,
      ObjectProvider<DataAccessStrategy> stored,
      ObjectProvider<JdbcConverter> converter,
      ObjectProvider<BloomguardProperties> properties) {
    return new AggregateWrites(
        guards::getObject,
        transactions.reading(sessions.stream().toList()),
        context,
        stored::getObject,
        converter::getObject,
        GatheredWrites.MAX_KEYS,
        filter -> properties.getObject().scopeColumn(filter));
  }

  @Bean
  KeyedClasses bloomguardKeyedAggregates(AggregateWrites writes) {
    return writes::maps;
  }
}
