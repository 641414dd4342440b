package io.bloomguard.autoconfigure;

import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.guard.KeyedClasses;
import io.bloomguard.jpa.internal.EntityManagerFactoryWatch;
import io.bloomguard.jpa.internal.EntityWrites;
import io.bloomguard.jpa.internal.SessionAges;
import io.bloomguard.jpa.internal.UnflushedEntities;
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
  static EntityWrites bloomguardEntityWrites(RowGuards guards) {
    return new EntityWrites(guards);
  }

  /** Builds a lazy factory, and waits for one that is built in the background, before it denies. */
  @Bean
  static KeyedClasses bloomguardKeyedEntities(
      EntityWrites writes, ObjectProvider<EntityManagerFactory> factories) {
    return type -> {
      if (!writes.maps(type)) {
        factories.stream().forEach(EntityManagerFactory::getMetamodel);
      }
      return writes.maps(type);
    };
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static UnflushedEntities bloomguardUnflushedEntities(EntityWrites writes) {
    return new UnflushedEntities(writes);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static SessionAges bloomguardSessionAges() {
    return new SessionAges();
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static EntityManagerFactoryWatch bloomguardEntityManagerFactoryWatch(
      ObjectProvider<EntityWrites> writes,
      ObjectProvider<UnflushedEntities> unflushed,
      ObjectProvider<SessionAges> ages) {
    return new EntityManagerFactoryWatch(writes::getObject, unflushed::getObject, ages::getObject);
  }
}
