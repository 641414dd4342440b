package io.bloomguard.data.internal;

import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.data.r2dbc.repository.support.R2dbcRepositoryFactoryBean;

/** Gives the saves of repositories of Spring Data R2DBC the transaction that their keys need. */
public final class R2dbcRepositories implements BeanPostProcessor {

  private final Supplier<R2dbcWrites> writes;

  /**
   * A processor of the factories of repositories.
   *
   * @param writes those of the rows, called at the first save
   */
  public R2dbcRepositories(Supplier<R2dbcWrites> writes) {
    this.writes = writes;
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    if (bean instanceof R2dbcRepositoryFactoryBean<?, ?, ?> repositories) {
      repositories.addRepositoryFactoryCustomizer(
          factory ->
              factory.addRepositoryProxyPostProcessor(
                  (proxy, repository) -> proxy.addAdvice(saves(repository.getDomainType()))));
    }
    return bean;
  }

  private MethodInterceptor saves(Class<?> type) {
    return invocation -> {
      @Nullable Object saved = invocation.proceed();
      return saved instanceof Publisher<?> && invocation.getMethod().getName().startsWith("save")
          ? writes.get().transactional(type, saved)
          : saved;
    };
  }
}
