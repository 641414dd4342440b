package io.bloomguard.it.library;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Counts what is executed on the application's data source. */
final class QueryCounter implements BeanPostProcessor {

  private final AtomicInteger executed = new AtomicInteger();

  int executed() {
    return executed.get();
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    return bean instanceof DataSource dataSource ? new Counting(dataSource) : bean;
  }

  private final class Counting extends DelegatingDataSource {

    Counting(DataSource target) {
      super(target);
    }

    @Override
    public Connection getConnection() throws SQLException {
      return (Connection) counting(Connection.class, super.getConnection());
    }
  }

  /** {@code target}, whose statements count their executions. */
  private Object counting(Class<?> type, Object target) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (self, method, arguments) -> {
          if (target instanceof Statement && method.getName().startsWith("execute")) {
            executed.incrementAndGet();
          }
          Object result;
          try {
            result = method.invoke(target, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
          return result instanceof Statement ? counting(method.getReturnType(), result) : result;
        });
  }
}
