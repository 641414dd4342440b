package io.bloomguard.jpa.internal;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.jpa.boot.spi.IntegratorProvider;
import org.hibernate.jpa.boot.spi.JpaSettings;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.JpaVendorAdapter;
import org.springframework.util.ClassUtils;

/**
 * The post-processor that connects every entity manager factory of the application with the guard:
 * its entities, their writes and the ages of its sessions.
 */
public final class EntityManagerFactoryWatch implements BeanPostProcessor {

  private final Supplier<ThreadSessions> sessions;

  /**
   * Takes a supplier, which is called when the first factory is made, not before.
   *
   * @param sessions get each factory that is built, as their writes do
   */
  public EntityManagerFactoryWatch(Supplier<ThreadSessions> sessions) {
    this.sessions = sessions;
  }

  /**
   * Registers with Hibernate, because Spring's own factory beans may build their factory in the
   * background.
   */
  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    if (bean instanceof AbstractEntityManagerFactoryBean factory) {
      integrate(factory.getJpaPropertyMap());
      JpaVendorAdapter adapter = factory.getJpaVendorAdapter();
      if (adapter != null) {
        factory.setJpaVendorAdapter(watched(adapter));
      }
    }
    return bean;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof EntityManagerFactory factory) {
      sessions.get().follow(factory);
      if (!(bean instanceof EntityManagerFactoryInfo)
          && bean instanceof SessionFactoryImplementor hibernate) {
        writes().follow(hibernate);
      }
    }
    return bean;
  }

  /**
   * The adapter, which Spring calls with every session that it opens. A proxy, since the interface
   * differs between versions of Spring.
   */
  private JpaVendorAdapter watched(JpaVendorAdapter adapter) {
    return (JpaVendorAdapter)
        Proxy.newProxyInstance(
            JpaVendorAdapter.class.getClassLoader(),
            new Class<?>[] {JpaVendorAdapter.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("postProcessEntityManager")) {
                sessions.get().opened((EntityManager) arguments[0]);
              }
              try {
                return method.invoke(adapter, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  private EntityWrites writes() {
    return sessions.get().writes();
  }

  private void integrate(Map<String, Object> properties) {
    properties.compute(
        JpaSettings.INTEGRATOR_PROVIDER,
        (setting, others) -> (IntegratorProvider) () -> with(others));
    properties.compute(
        JdbcSettings.STATEMENT_INSPECTOR,
        (setting, other) ->
            new BulkStatements(
                () -> writes().entities(),
                (keys, writer) -> writes().unseen(keys, writer),
                instance(other, StatementInspector.class)));
  }

  /** Our integrator and those of the application. */
  private List<Integrator> with(@Nullable Object others) {
    List<Integrator> all = new ArrayList<>();
    IntegratorProvider provider = instance(others, IntegratorProvider.class);
    if (provider != null) {
      all.addAll(provider.getIntegrators());
    }
    all.add(writes());
    all.add(sessions.get());
    return all;
  }

  /** The object that a setting names: an instance, its class, or the class' name; null for none. */
  private static <T> @Nullable T instance(@Nullable Object setting, Class<T> type) {
    if (setting == null || type.isInstance(setting)) {
      return type.cast(setting);
    }
    Class<?> named =
        setting instanceof Class<?> given
            ? given
            : ClassUtils.resolveClassName(setting.toString(), null);
    return type.cast(BeanUtils.instantiateClass(named));
  }
}
