package io.bloomguard.it.realinput;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Counts what is executed on the data sources of all applications that it is given to. */
final class QueryMonitor implements BeanPostProcessor {

  private final AtomicInteger executed = new AtomicInteger();
  private volatile CountDownLatch gate = new CountDownLatch(0);

  int executed() {
    return executed.get();
  }

  /** From now on a query is counted and then waits until {@code open} has counted down. */
  void holdUntil(CountDownLatch open) {
    gate = open;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    return bean instanceof DataSource dataSource ? new Monitored(dataSource) : bean;
  }

  private final class Monitored extends DelegatingDataSource {

    Monitored(DataSource target) {
      super(target);
    }

    @Override
    public Connection getConnection() throws SQLException {
      return (Connection) monitored(Connection.class, super.getConnection());
    }
  }

  /** {@code target}, whose statements tell of their executions. */
  private Object monitored(Class<?> type, Object target) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (self, method, arguments) -> {
          if (target instanceof Statement && method.getName().startsWith("execute")) {
            onExecute();
          }
          Object result;
          try {
            result = method.invoke(target, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
          return result instanceof Statement ? monitored(method.getReturnType(), result) : result;
        });
  }

  private void onExecute() throws InterruptedException {
    executed.incrementAndGet();
    if (!gate.await(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("The gate did not open");
    }
  }
}
