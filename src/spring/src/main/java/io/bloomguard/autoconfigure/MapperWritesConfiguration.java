package io.bloomguard.autoconfigure;

import io.bloomguard.data.internal.MyBatisWrites;
import io.bloomguard.data.internal.row.RowGuards;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

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
  static MyBatisWrites bloomguardMyBatisWrites(RowGuards guards) {
    return new MyBatisWrites(guards);
  }
}
