package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.data.internal.MyBatisWrites;
import io.bloomguard.guard.KeyedClasses;
import io.bloomguard.guard.ReadSessions;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/** Keys that are added and dropped as MyBatis' statements write rows. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(
    name = {
      "org.apache.ibatis.session.SqlSessionFactory",
      "org.springframework.transaction.support.TransactionSynchronizationManager"
    })
class MapperWritesConfiguration {

  /** Static and lazy: it sees every factory, so it is made before most beans. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static MyBatisWrites bloomguardMyBatisWrites(
      ObjectProvider<EntryGuards> guards,
      ObjectProvider<Transactions> transactions,
      ObjectProvider<ReadSessions> sessions,
      ObjectProvider<BloomguardProperties> properties) {
    return new MyBatisWrites(
        guards::getObject,
        SingletonSupplier.of(() -> transactions.getObject().reading(sessions.stream().toList())),
        GatheredWrites.MAX_KEYS,
        filter -> properties.getObject().scopeColumn(filter));
  }

  @Bean
  KeyedClasses bloomguardKeyedRows(MyBatisWrites writes) {
    return writes::maps;
  }
}
