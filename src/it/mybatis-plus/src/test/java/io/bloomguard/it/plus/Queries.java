package io.bloomguard.it.plus;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;

/** A count of the queries that MyBatis runs. */
@Intercepts(
    @Signature(
        type = Executor.class,
        method = "query",
        args = {MappedStatement.class, Object.class, RowBounds.class, ResultHandler.class}))
class Queries implements Interceptor {

  final AtomicInteger run = new AtomicInteger();

  @Override
  public Object intercept(Invocation invocation) throws Throwable {
    run.incrementAndGet();
    return invocation.proceed();
  }
}
