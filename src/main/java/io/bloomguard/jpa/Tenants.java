package io.bloomguard.jpa;

import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.springframework.util.ClassUtils;

/** The check whether the rows of an entity manager factory are divided among tenants. */
final class Tenants {

  private static final boolean HIBERNATE =
      ClassUtils.isPresent("org.hibernate.SessionFactory", Tenants.class.getClassLoader());

  private Tenants() {}

  static boolean areResolved(EntityManagerFactory factory) {
    return HIBERNATE && Hibernate.resolves(factory);
  }

  /** Loaded only if Hibernate is present. */
  private static final class Hibernate {

    static boolean resolves(EntityManagerFactory factory) {
      try {
        return factory
                .unwrap(SessionFactoryImplementor.class)
                .getSessionFactoryOptions()
                .getCurrentTenantIdentifierResolver()
            != null;
      } catch (PersistenceException e) {
        return false; // of another provider
      }
    }
  }
}
