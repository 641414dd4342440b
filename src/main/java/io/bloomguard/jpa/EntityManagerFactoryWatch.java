package io.bloomguard.jpa;

import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.jpa.boot.spi.IntegratorProvider;
import org.hibernate.jpa.boot.spi.JpaSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.util.ClassUtils;

/** Has every entity manager factory of the application tell of its entities and their writes. */
public final class EntityManagerFactoryWatch implements BeanPostProcessor {

  private final Supplier<EntityWrites> writes;

  /**
   * @param writes asked when the first factory is made, not before
   */
  public EntityManagerFactoryWatch(Supplier<EntityWrites> writes) {
    this.writes = writes;
  }

  /**
   * Spring's own factory beans may build theirs in the background, so Hibernate does the telling.
   */
  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    if (bean instanceof AbstractEntityManagerFactoryBean factory) {
      integrate(factory.getJpaPropertyMap());
    }
    return bean;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof EntityManagerFactory factory
        && !(bean instanceof EntityManagerFactoryInfo)
        && bean instanceof SessionFactoryImplementor hibernate) {
      writes.get().follow(hibernate);
    }
    return bean;
  }

  private void integrate(Map<String, Object> properties) {
    properties.compute(
        JpaSettings.INTEGRATOR_PROVIDER,
        (setting, others) -> (IntegratorProvider) () -> with(others));
  }

  /** Ours and those of the application, which names a provider, its class or the class' name. */
  private List<Integrator> with(@Nullable Object others) {
    List<Integrator> all = new ArrayList<>();
    Object provider =
        others instanceof String name ? ClassUtils.resolveClassName(name, null) : others;
    if (provider instanceof Class<?> type) {
      provider = BeanUtils.instantiateClass(type);
    }
    if (provider instanceof IntegratorProvider instance) {
      all.addAll(instance.getIntegrators());
    }
    all.add(writes.get());
    return all;
  }
}
