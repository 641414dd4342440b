package io.bloomguard.autoconfigure;

import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.jpa.internal.EntityManagerFactoryWatch;
import io.bloomguard.jpa.internal.EntityWrites;
import io.bloomguard.jpa.internal.ThreadSessions;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.SessionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/** Keys that are added and dropped as Hibernate writes entities. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({SessionFactory.class, AbstractEntityManagerFactoryBean.class})
class EntityWritesConfiguration {

  /** Lazy about the guards: their filters may read from what a factory is made of. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static EntityWrites bloomguardEntityWrites(
      RowGuards guards, ObjectProvider<EntityManagerFactory> factories) {
    return new EntityWrites(guards, () -> factories);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static ThreadSessions bloomguardSessions(EntityWrites writes) {
    return new ThreadSessions(writes);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static EntityManagerFactoryWatch bloomguardEntityManagerFactoryWatch(
      ObjectProvider<ThreadSessions> sessions) {
    return new EntityManagerFactoryWatch(sessions::getObject);
  }
}
