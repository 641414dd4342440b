package io.bloomguard.bench;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.reflect.MethodSignature;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** One application for each contestant: a service, and what stands before it. */
final class GuardedCallServices {

  private GuardedCallServices() {}

  record Query(String id) {}

  /** The calls. Without what stands before them they find something. */
  abstract static class Products {

    abstract Object byText(String id);

    abstract Object byNumber(long id);

    abstract Object byQuery(Query query);
  }

  /** Our starter with its defaults. */
  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration(BloomguardAutoConfiguration.class)
  static class Starter {

    @Bean
    KeySource keys(@Value("${benchmark.keys}") int n) {
      return sink -> {
        for (int i = 0; i < n; i++) {
          sink.accept(BenchKeys.id(BenchKeys.present(i)));
        }
      };
    }
  }

  @Import({Starter.class, GuardedProducts.class})
  static class Guarded {}

  static class GuardedProducts extends Products {

    @Override
    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public String byText(String id) {
      return "found";
    }

    @Override
    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public String byNumber(long id) {
      return "found";
    }

    @Override
    @BloomGuarded(filter = "products", key = "#query.id", cache = "products")
    public String byQuery(Query query) {
      return "found";
    }
  }

  /** Asks the same filter from an aspect, with an expression that is parsed once. */
  @Import({Starter.class, CheckedProducts.class})
  @EnableAspectJAutoProxy
  static class Aspected {

    @Bean
    CheckAspect aspect(BloomGuards guards) {
      Map<String, Expression> parsed = new ConcurrentHashMap<>();
      SpelExpressionParser parser = new SpelExpressionParser();
      return new CheckAspect(guards, key -> parsed.computeIfAbsent(key, parser::parseExpression));
    }
  }

  /** The same, with an expression that each call parses. */
  @Import({Starter.class, CheckedProducts.class})
  @EnableAspectJAutoProxy
  static class Parsed {

    @Bean
    CheckAspect aspect(BloomGuards guards) {
      return new CheckAspect(guards, key -> new SpelExpressionParser().parseExpression(key));
    }
  }

  @Retention(RetentionPolicy.RUNTIME)
  @interface Checked {
    String key();
  }

  static class CheckedProducts extends Products {

    @Override
    @Checked(key = "#id")
    public String byText(String id) {
      return "found";
    }

    @Override
    @Checked(key = "#id")
    public String byNumber(long id) {
      return "found";
    }

    @Override
    @Checked(key = "#query.id")
    public String byQuery(Query query) {
      return "found";
    }
  }

  /** The aspect of many tutorials. */
  @Aspect
  static class CheckAspect {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final BloomGuard<Object> guard;
    private final Function<String, Expression> expressions;

    CheckAspect(BloomGuards guards, Function<String, Expression> expressions) {
      this.guard = guards.guard("products");
      this.expressions = expressions;
    }

    @Around("@annotation(checked)")
    public Object check(ProceedingJoinPoint call, Checked checked) throws Throwable {
      MethodSignature signature = (MethodSignature) call.getSignature();
      MethodBasedEvaluationContext context =
          new MethodBasedEvaluationContext(
              call.getTarget(), signature.getMethod(), call.getArgs(), NAMES);
      Object key = expressions.apply(checked.key()).getValue(context);
      return guard.admit(key) ? call.proceed() : null;
    }
  }

  /** Spring's cache on Caffeine, which has the value. */
  @Import(CacheableProducts.class)
  @EnableCaching
  static class Kept {

    @Bean
    CaffeineCacheManager cacheManager() {
      return new CaffeineCacheManager("products");
    }
  }

  static class CacheableProducts extends Products {

    @Override
    @Cacheable(cacheNames = "products", key = "#id")
    public String byText(String id) {
      return "found";
    }

    @Override
    @Cacheable(cacheNames = "products", key = "#id")
    public String byNumber(long id) {
      return "found";
    }

    @Override
    @Cacheable(cacheNames = "products", key = "#query.id")
    public String byQuery(Query query) {
      return "found";
    }
  }

  /** A proxy whose one interceptor answers at once: what no interceptor can be cheaper than. */
  @Import(CheckedProducts.class)
  static class Untouched {

    @Bean
    static DefaultAdvisorAutoProxyCreator proxies() {
      return new DefaultAdvisorAutoProxyCreator();
    }

    @Bean
    static Advisor answeringNothing() {
      MethodInterceptor nothing = invocation -> null;
      return new DefaultPointcutAdvisor(
          AnnotationMatchingPointcut.forMethodAnnotation(Checked.class), nothing);
    }
  }
}
