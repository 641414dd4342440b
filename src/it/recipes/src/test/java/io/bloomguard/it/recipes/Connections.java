package io.bloomguard.it.recipes;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A count of the connections that were taken: no query runs without one. */
public final class Connections implements BeanPostProcessor {

  private final AtomicInteger taken = new AtomicInteger();

  /** How many so far. */
  public int taken() {
    return taken.get();
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    return bean instanceof DataSource dataSource ? new Counted(dataSource) : bean;
  }

  private final class Counted extends DelegatingDataSource {

    Counted(DataSource target) {
      super(target);
    }

    @Override
    public Connection getConnection() throws SQLException {
      taken.incrementAndGet();
      return super.getConnection();
    }
  }
}
