package io.bloomguard.aop.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.aop.internal.call.GuardInterceptor;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.Transactions;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Optional;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The guard beside other proxies: caches, repositories made by factories, mocks. */
class AdvisorOrderTest {

  static class Service {
    @Cacheable("values")
    @BloomGuarded(filter = "products", key = "#id", caching = io.bloomguard.annotation.Caching.NONE)
    public @Nullable String find(long id) {
      return "v" + id;
    }
  }

  /** Another proxy creator beside that of the guard, as Shiro's starter brings. */
  @Configuration(proxyBeanMethods = false)
  static class AllAdvisors {
    @Bean
    static DefaultAdvisorAutoProxyCreator creator() {
      DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
      creator.setProxyTargetClass(true);
      return creator;
    }
  }

  /** One that has interceptors of its own. */
  @Configuration(proxyBeanMethods = false)
  static class Named {
    @Bean
    static BeanNameAutoProxyCreator creator() {
      BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
      creator.setBeanNames("*ervice");
      creator.setInterceptorNames("tracing");
      creator.setProxyTargetClass(true);
      return creator;
    }

    @Bean
    static MethodInterceptor tracing() {
      return MethodInvocation::proceed;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caching {
    @Bean
    CacheManager cacheManager() {
      return new ConcurrentMapCacheManager("values");
    }
  }

  interface Crud<T, I> {
    Optional<T> findById(I id);
  }

  interface Names extends Crud<String, Long> {
    @Override
    @BloomGuarded(filter = "products", key = "#id")
    Optional<String> findById(Long id);
  }

  /** Makes the proxy of an interface itself, as Spring Data does. */
  static class NamesFactory implements FactoryBean<Names> {
    @Override
    public Names getObject() {
      return (Names)
          Proxy.newProxyInstance(
              Names.class.getClassLoader(),
              new Class<?>[] {Names.class},
              (proxy, method, arguments) -> Optional.of("n" + arguments[0]));
    }

    @Override
    public Class<?> getObjectType() {
      return Names.class;
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {AllAdvisors.class, Named.class})
  void oneOfTwoProxiesGuards(Class<?> creator) {
    TestGuards guards = new TestGuards();
    guards.keys.add("1");
    try (var context = Guarding.context(guards, creator, Service.class)) {
      Service service = context.getBean(Service.class);
      assertThat(service.find(99)).isNull();
      assertThat(service.find(1)).isEqualTo("v1");
      assertThat(guards(service)).isFalse();
      assertThat(guards(AopProxyUtils.getSingletonTarget(service))).isTrue();
    }
  }

  private static boolean guards(@Nullable Object proxy) {
    return proxy instanceof Advised advised
        && Arrays.stream(advised.getAdvisors())
            .anyMatch(advisor -> advisor.getAdvice() instanceof GuardInterceptor<?>);
  }

  @Test
  void guardIsOutsideOfCacheable() {
    TestGuards guards = new TestGuards();
    guards.keys.add("1");
    try (var context = Guarding.context(guards, Caching.class, Service.class)) {
      Service service = context.getBean(Service.class);
      assertThat(service.find(99)).isNull();
      assertThat(service.find(1)).isEqualTo("v1");

      var cache = context.getBean(CacheManager.class).getCache("values");
      assertThat(cache).isNotNull();
      assertThat(cache.get(1L)).isNotNull();
      assertThat(cache.get(99L)).isNull();
    }
  }

  @Test
  void repositoryMadeByAFactoryIsGuardedThroughEitherInterface() {
    TestGuards guards = new TestGuards();
    guards.keys.add("1");
    try (var context = Guarding.context(guards, NamesFactory.class)) {
      Names names = context.getBean(Names.class);
      assertThat(names.findById(99L)).isEmpty();
      assertThat(names.findById(1L)).contains("n1");
      Crud<String, Long> crud = names;
      assertThat(crud.findById(98L)).isEmpty();
    }
  }

  @Test
  void objectInPlaceOfAnAnnotatedBeanNeedsNoProxy() {
    TestGuards guards = new TestGuards();
    try (var context = new AnnotationConfigApplicationContext()) {
      context.registerBean(
          GuardedMethods.class,
          () ->
              new GuardedMethods(
                  () -> guards, Transactions.NONE, TestGuards.OWNED, Findings.PLAIN));
      context.register(Guarding.Advisors.class);
      context.registerBean("service", Service.class);
      Service mock = Mockito.mock(Service.class);
      context.getBeanFactory().registerSingleton("service", mock);
      context.refresh();
      assertThat(context.getBean(Service.class)).isSameAs(mock);
    }
  }
}
