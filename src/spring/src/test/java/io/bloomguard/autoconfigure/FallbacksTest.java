package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.internal.verify.Verification;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.spring6.circuitbreaker.configure.CircuitBreakerConfiguration;
import io.github.resilience4j.spring6.circuitbreaker.configure.CircuitBreakerConfigurationProperties;
import io.github.resilience4j.spring6.fallback.configure.FallbackConfiguration;
import io.github.resilience4j.spring6.retry.configure.RetryConfiguration;
import io.github.resilience4j.spring6.retry.configure.RetryConfigurationProperties;
import io.github.resilience4j.spring6.spelresolver.configure.SpelResolverConfiguration;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Recover;
import org.springframework.retry.annotation.Retryable;
import org.springframework.test.util.AopTestUtils;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Aspects between guard and method, which answer in the method's place. */
class FallbacksTest {

  /** Rows 1 to 100, and from 7,000,000 on, of which the filter knows none. */
  static class Rows {
    final AtomicInteger reads = new AtomicInteger();

    /** The reads that fail from now on. */
    final AtomicInteger failures = new AtomicInteger();

    final CompletableFuture<@Nullable String> never = new CompletableFuture<>();

    @Nullable String read(long id) {
      reads.incrementAndGet();
      if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IllegalStateException("the database is away");
      }
      return id <= 100 || id >= 7_000_000 ? "row " + id : null;
    }

    CompletableFuture<@Nullable String> readLater(long id) {
      return CompletableFuture.supplyAsync(() -> read(id));
    }

    String readOrThrow(long id) {
      return Optional.ofNullable(read(id)).orElseThrow();
    }

    CompletableFuture<String> readLaterOrThrow(long id) {
      return CompletableFuture.supplyAsync(() -> readOrThrow(id));
    }
  }

  /** Has an aspect without an order answer "fallback", or that none is there, for a failure. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface OrElse {
    String value() default "fallback";
  }

  /** Has an aspect ask the method for row 1 where there is none. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface OrOther {}

  /** Has an aspect call the method on another thread, and not wait for one that takes long. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface Waiting {}

  /** Has an aspect complete a future that takes long with null. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface Limited {}

  /** Has an aspect change what the method returns. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface Replacing {}

  @Aspect
  static class Aspects {
    @Around("@annotation(orElse)")
    @Nullable Object orElse(ProceedingJoinPoint call, OrElse orElse) throws Throwable {
      try {
        return call.proceed();
      } catch (IllegalStateException e) {
        if (orElse.value().equals("absent")) {
          throw new NoSuchElementException();
        }
        return orElse.value().isEmpty() ? null : orElse.value();
      }
    }

    @Around("@annotation(other)")
    @Nullable Object other(ProceedingJoinPoint call, OrOther other) throws Throwable {
      Object row = call.proceed(call.getArgs());
      return row == null ? call.proceed(new Object[] {1L}) : row;
    }

    @Around("@annotation(waiting)")
    @Nullable Object waiting(ProceedingJoinPoint call, Waiting waiting) throws Throwable {
      CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  answer.complete(call.proceed());
                } catch (Throwable e) {
                  answer.complete("fallback");
                }
              });
      thread.start();
      return answer.join();
    }

    @Around("@annotation(limited)")
    @Nullable Object limited(ProceedingJoinPoint call, Limited limited) throws Throwable {
      CompletableFuture<?> answer = (CompletableFuture<?>) call.proceed();
      return answer.completeOnTimeout(null, 20, TimeUnit.MILLISECONDS);
    }

    @Around("@annotation(replacing)")
    @Nullable Object replacing(ProceedingJoinPoint call, Replacing replacing) throws Throwable {
      Object row = call.proceed();
      return row == null ? "none" : row + " for you";
    }
  }

  static class Products {
    private final Rows rows;

    private final ObjectProvider<Products> self;

    Products(Rows rows, ObjectProvider<Products> self) {
      this.rows = rows;
      this.self = self;
    }

    @CircuitBreaker(name = "value", fallbackMethod = "fallback")
    @BloomGuarded(filter = "products", key = "#id", cache = "breaker")
    public @Nullable String breaker(long id) {
      return rows.read(id);
    }

    @CircuitBreaker(name = "null", fallbackMethod = "none")
    @BloomGuarded(filter = "products", key = "#id", cache = "breaker-none")
    public Optional<String> breakerNone(long id) {
      return Optional.ofNullable(rows.read(id));
    }

    @Retry(name = "twice", fallbackMethod = "fallback")
    @BloomGuarded(filter = "products", key = "#id", cache = "retry")
    public @Nullable String retry(long id) {
      return rows.read(id);
    }

    @Retryable(maxAttempts = 2, backoff = @Backoff(delay = 0))
    @BloomGuarded(filter = "products", key = "#id", cache = "recover")
    public @Nullable String recover(long id) {
      return rows.read(id);
    }

    @Recover
    public @Nullable String recovered(IllegalStateException failure, long id) {
      return "fallback";
    }

    @OrElse
    @BloomGuarded(filter = "products", key = "#id", cache = "unordered")
    public @Nullable String unordered(long id) {
      return rows.read(id);
    }

    @OrElse("")
    @BloomGuarded(filter = "products", key = "#id", cache = "unordered-null")
    public @Nullable String unorderedNull(long id) {
      return rows.read(id);
    }

    @OrElse
    @BloomGuarded(filter = "products", key = "#id", cache = "deciding", caching = Caching.NONE)
    public @Nullable String deciding(long id) {
      return rows.read(id);
    }

    @Waiting
    @BloomGuarded(filter = "products", key = "#id", cache = "waiting")
    public @Nullable String waiting(long id) {
      return rows.read(id);
    }

    @CircuitBreaker(name = "future", fallbackMethod = "later")
    @BloomGuarded(filter = "products", key = "#id", cache = "future")
    public CompletableFuture<@Nullable String> future(long id) {
      return rows.readLater(id);
    }

    @Limited
    @BloomGuarded(filter = "products", key = "#id", cache = "limited")
    public CompletableFuture<@Nullable String> limited(long id) {
      return rows.failures.getAndSet(0) > 0 ? rows.never : rows.readLater(id);
    }

    @CircuitBreaker(name = "stage", fallbackMethod = "laterNone")
    @BloomGuarded(filter = "products", key = "#id", cache = "stage", caching = Caching.NONE)
    public CompletionStage<@Nullable String> stage(long id) {
      return rows.readLater(id).minimalCompletionStage();
    }

    @CircuitBreaker(name = "mono", fallbackMethod = "mono")
    @BloomGuarded(filter = "products", key = "#id", cache = "mono")
    public Mono<String> mono(long id) {
      return Mono.fromSupplier(() -> rows.read(id));
    }

    @CircuitBreaker(name = "empty", fallbackMethod = "empty")
    @BloomGuarded(filter = "products", key = "#id", cache = "empty")
    public Mono<String> monoNone(long id) {
      return Mono.fromSupplier(() -> rows.read(id));
    }

    @CircuitBreaker(name = "published", fallbackMethod = "mono")
    @BloomGuarded(filter = "products", key = "#id", cache = "published", caching = Caching.NONE)
    public Mono<String> monoDeciding(long id) {
      return Mono.fromSupplier(() -> rows.read(id));
    }

    @Retry(name = "twice", fallbackMethod = "flux")
    @BloomGuarded(filter = "products", key = "#id", cache = "flux", caching = Caching.VALUES)
    public Flux<String> flux(long id) {
      return Mono.fromSupplier(() -> rows.read(id)).flux();
    }

    @Retry(name = "twice", fallbackMethod = "flux")
    @BloomGuarded(filter = "products", key = "#id", cache = "streamed", caching = Caching.NONE)
    public Flux<String> fluxDeciding(long id) {
      return Mono.fromSupplier(() -> rows.read(id)).flux();
    }

    @CircuitBreaker(name = "several", fallbackMethod = "several")
    @BloomGuarded(filter = "products", key = "#ids", cache = "several")
    public Map<Long, String> all(List<Long> ids) {
      Map<Long, String> found =
          ids.stream()
              .filter(id -> rows.read(id) != null)
              .collect(Collectors.toMap(id -> id, id -> "row " + id, (a, b) -> a));
      return found;
    }

    @CircuitBreaker(name = "none-of-several", fallbackMethod = "noneOf")
    @BloomGuarded(filter = "products", key = "#ids", cache = "none-of-several")
    public Map<Long, String> allOrNone(List<Long> ids) {
      return all(ids);
    }

    @CircuitBreaker(name = "allUnkept", fallbackMethod = "several")
    @BloomGuarded(filter = "products", key = "#ids", cache = "allunkept", caching = Caching.NONE)
    public Map<Long, String> allUnkept(List<Long> ids) {
      return all(ids);
    }

    @CircuitBreaker(name = "allLinked", fallbackMethod = "severalLinked")
    @BloomGuarded(filter = "products", key = "#ids", cache = "alllinked")
    public LinkedHashMap<Long, String> allLinked(List<Long> ids) {
      return new LinkedHashMap<>(all(ids));
    }

    @CircuitBreaker(name = "allLater", fallbackMethod = "severalLater")
    @BloomGuarded(filter = "products", key = "#ids", cache = "alllater")
    public CompletableFuture<Map<Long, String>> allLater(List<Long> ids) {
      return CompletableFuture.supplyAsync(() -> all(ids));
    }

    @CircuitBreaker(name = "allMono", fallbackMethod = "severalMono")
    @BloomGuarded(filter = "products", key = "#ids", cache = "allmono")
    public Mono<Map<Long, String>> allMono(List<Long> ids) {
      return Mono.fromSupplier(() -> all(ids));
    }

    @OrOther
    @BloomGuarded(filter = "products", key = "#id", cache = "other")
    public @Nullable String other(long id) {
      return rows.read(id);
    }

    @CircuitBreaker(name = "again", fallbackMethod = "monoAgain")
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<String> againMono(long id) {
      return Mono.fromSupplier(() -> rows.read(id));
    }

    @CircuitBreaker(name = "again-flux", fallbackMethod = "fluxAgain")
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Flux<String> againFlux(long id) {
      return Flux.defer(() -> Flux.just(rows.readOrThrow(id)));
    }

    Mono<String> monoAgain(long id, Throwable failure) {
      return self.getObject().againMono(1);
    }

    Flux<String> fluxAgain(long id, Throwable failure) {
      return self.getObject().againFlux(1);
    }

    /** Its keys are the names of its parts, which show nothing of those asked for. */
    @BloomGuarded(filter = "products", key = "#ids", caching = Caching.NONE)
    public Map<String, Object> allInParts(List<Long> ids) {
      return Map.of("rows", all(ids), "total", ids.size());
    }

    @Replacing
    @BloomGuarded(filter = "products", key = "#id", cache = "replacing")
    public @Nullable String replacing(long id) {
      return rows.read(id);
    }

    @Cacheable("views")
    @BloomGuarded(filter = "products", key = "#id", cache = "views")
    public @Nullable String cached(long id) {
      return rows.read(id);
    }

    @org.springframework.resilience.annotation.Retryable(maxRetries = 1, delay = 0)
    @BloomGuarded(filter = "products", key = "#id", cache = "resilient")
    public @Nullable String resilient(long id) {
      return rows.read(id);
    }

    @org.springframework.resilience.annotation.Retryable(maxRetries = 1, delay = 0)
    @BloomGuarded(filter = "products", key = "#id", cache = "resilient-mono")
    public Mono<String> resilientMono(long id) {
      return Mono.fromSupplier(() -> rows.read(id));
    }

    @CircuitBreaker(name = "absentKept", fallbackMethod = "noSuch")
    @BloomGuarded(filter = "products", key = "#id", cache = "absentkept")
    public @Nullable String absentKept(long id) {
      return rows.readOrThrow(id);
    }

    @CircuitBreaker(name = "absentDeciding", fallbackMethod = "noSuch")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        cache = "absentdeciding",
        caching = Caching.NONE)
    public @Nullable String absentDeciding(long id) {
      return rows.readOrThrow(id);
    }

    @CircuitBreaker(name = "absentFuture", fallbackMethod = "noSuchLater")
    @BloomGuarded(filter = "products", key = "#id", cache = "absentfuture")
    public CompletableFuture<String> absentFuture(long id) {
      return rows.readLaterOrThrow(id);
    }

    @CircuitBreaker(name = "absentStage", fallbackMethod = "noSuchStage")
    @BloomGuarded(filter = "products", key = "#id", cache = "absentstage", caching = Caching.NONE)
    public CompletionStage<String> absentStage(long id) {
      return rows.readLaterOrThrow(id);
    }

    @CircuitBreaker(name = "absentMono", fallbackMethod = "noSuchMono")
    @BloomGuarded(filter = "products", key = "#id", cache = "absentmono")
    public Mono<String> absentMono(long id) {
      return Mono.fromSupplier(() -> rows.readOrThrow(id));
    }

    @CircuitBreaker(name = "absentMonoDeciding", fallbackMethod = "noSuchMono")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        cache = "absentmonodeciding",
        caching = Caching.NONE)
    public Mono<String> absentMonoDeciding(long id) {
      return Mono.fromSupplier(() -> rows.readOrThrow(id));
    }

    @OrElse("absent")
    @BloomGuarded(filter = "products", key = "#id", cache = "absentcalled", caching = Caching.NONE)
    public Mono<String> absentCalled(long id) {
      return Mono.just(rows.readOrThrow(id));
    }

    @CircuitBreaker(name = "absentFlux", fallbackMethod = "noSuchFlux")
    @BloomGuarded(filter = "products", key = "#id", cache = "absentflux", caching = Caching.NONE)
    public Flux<String> absentFlux(long id) {
      return Flux.defer(() -> Flux.just(rows.readOrThrow(id)));
    }

    String fallback(long id, Throwable failure) {
      return "fallback";
    }

    Optional<String> none(long id, Throwable failure) {
      return Optional.empty();
    }

    CompletableFuture<String> later(long id, Throwable failure) {
      return CompletableFuture.completedFuture("fallback");
    }

    CompletionStage<@Nullable String> laterNone(long id, Throwable failure) {
      return CompletableFuture.completedFuture(null);
    }

    Mono<String> mono(long id, Throwable failure) {
      return Mono.just("fallback");
    }

    Mono<String> empty(long id, Throwable failure) {
      return Mono.empty();
    }

    Flux<String> flux(long id, Throwable failure) {
      return Flux.just("fallback");
    }

    Map<Long, String> several(List<Long> ids, Throwable failure) {
      return ids.stream().distinct().collect(Collectors.toMap(id -> id, id -> "fallback"));
    }

    String noSuch(long id, Throwable failure) {
      throw new NoSuchElementException("instead of a failure");
    }

    CompletableFuture<String> noSuchLater(long id, Throwable failure) {
      return CompletableFuture.failedFuture(new NoSuchElementException());
    }

    CompletionStage<String> noSuchStage(long id, Throwable failure) {
      return noSuchLater(id, failure);
    }

    Mono<String> noSuchMono(long id, Throwable failure) {
      return Mono.error(new NoSuchElementException());
    }

    Flux<String> noSuchFlux(long id, Throwable failure) {
      return Flux.error(new NoSuchElementException());
    }

    LinkedHashMap<Long, String> severalLinked(List<Long> ids, Throwable failure) {
      return new LinkedHashMap<>(several(ids, failure));
    }

    CompletableFuture<Map<Long, String>> severalLater(List<Long> ids, Throwable failure) {
      return CompletableFuture.completedFuture(several(ids, failure));
    }

    Mono<Map<Long, String>> severalMono(List<Long> ids, Throwable failure) {
      return Mono.just(several(ids, failure));
    }

    Map<Long, String> noneOf(List<Long> ids, Throwable failure) {
      return Map.of();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import({
    CircuitBreakerConfiguration.class,
    RetryConfiguration.class,
    FallbackConfiguration.class,
    SpelResolverConfiguration.class
  })
  @EnableRetry
  @EnableResilientMethods
  @EnableCaching
  static class Resilience {
    @Bean
    CircuitBreakerConfigurationProperties breakers() {
      return new CircuitBreakerConfigurationProperties();
    }

    @Bean
    RetryConfigurationProperties retries() {
      RetryConfigurationProperties retries = new RetryConfigurationProperties();
      var twice = new RetryConfigurationProperties.InstanceProperties();
      twice.setMaxAttempts(2);
      twice.setWaitDuration(java.time.Duration.ofMillis(1));
      retries.getInstances().put("twice", twice);
      return retries;
    }

    @Bean
    CacheManager cacheManager() {
      return new ConcurrentMapCacheManager("views");
    }
  }

  private record Shop(ApplicationContext context, Object products, Rows rows) {

    Verification verification() {
      return context.getBean(ConfiguredFilters.class).all().get(0).guarded().verification();
    }

    /** What a method answers: null for nothing. */
    @Nullable Object call(String method, long id) {
      boolean several = method.startsWith("all");
      Class<?> type = AopTestUtils.getUltimateTargetObject(products).getClass();
      Method declared = ReflectionUtils.findMethod(type, method, several ? List.class : long.class);
      ReflectionUtils.makeAccessible(declared);
      Object answer = ReflectionUtils.invokeMethod(declared, products, several ? List.of(id) : id);
      if (answer instanceof Mono<?> mono) {
        answer = mono.block();
      } else if (answer instanceof Flux<?> flux) {
        answer = flux.next().block();
      } else if (answer instanceof CompletionStage<?> stage) {
        answer = stage.toCompletableFuture().join();
      }
      if (answer instanceof Optional<?> optional) {
        return optional.orElse(null);
      }
      return answer instanceof Map<?, ?> map ? map.get(id) : answer;
    }
  }

  private static void run(Consumer<Shop> test) {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
        .withUserConfiguration(Resilience.class)
        .withBean(Aspects.class)
        .withBean(Rows.class)
        .withBean(Products.class)
        .withBean(
            "hundred",
            KeySource.class,
            () ->
                sink -> {
                  for (long id = 1; id <= 100; id++) {
                    sink.accept(id);
                  }
                })
        .withPropertyValues(
            "bloomguard.filters.products.expected-insertions=1000",
            "bloomguard.filters.products.false-positive-probability=0.000001",
            "bloomguard.filters.products.source.bean=hundred",
            "bloomguard.filters.products.warm-up.mode=blocking",
            "bloomguard.filters.products.verify.on-wrong-rejection=count")
        .withConfiguration(Wiring.ours())
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              test.accept(
                  new Shop(context, context.getBean(Products.class), context.getBean(Rows.class)));
            });
  }

  /** The methods, whether they keep values, and what their fallback answers. */
  private static final String FALLBACKS =
      """
      breaker kept fallback
      breakerNone kept null
      retry kept fallback
      recover kept fallback
      unordered kept fallback
      unorderedNull kept null
      deciding - fallback
      waiting kept fallback
      future kept fallback
      limited kept null
      stage - null
      mono kept fallback
      monoNone kept null
      monoDeciding - fallback
      flux kept fallback
      fluxDeciding - fallback
      all kept fallback
      allOrNone kept null
      allUnkept - fallback
      allLinked - fallback
      allLater - fallback
      allMono - fallback
      """;

  @Test
  void areHandedToTheirCallersAndKeptNowhere() {
    run(
        shop -> {
          for (String line : FALLBACKS.lines().toList()) {
            String[] words = line.split(" ");
            String method = words[0];
            shop.rows().failures.set(2);
            assertThat(String.valueOf(shop.call(method, 7))).as(line).isEqualTo(words[2]);
            shop.rows().failures.set(0);
            assertThat(shop.call(method, 7)).as(line).isEqualTo("row 7");
            int reads = shop.rows().reads.get();
            assertThat(shop.call(method, 7)).as(line).isEqualTo("row 7");
            assertThat(shop.rows().reads.get() == reads)
                .as("the row is kept: " + line)
                .isEqualTo(words[1].equals("kept"));
          }
        });
  }

  @Test
  void areNoVerdictWhereTheAnswerOfTheMethodIs() {
    run(
        shop -> {
          Verification verification = shop.verification();
          long next = 1000;
          for (String line : FALLBACKS.lines().toList()) {
            String[] words = line.split(" ");
            long wrong = verification.wrong();
            long confirmed = verification.confirmed();
            shop.rows().failures.set(2);
            assertThat(String.valueOf(shop.call(words[0], ++next))).as(line).isEqualTo(words[2]);
            shop.rows().failures.set(0);
            assertThat(verification.wrong()).as(line).isEqualTo(wrong);
            assertThat(verification.confirmed()).as(line).isEqualTo(confirmed);
            assertThat(shop.call(words[0], ++next)).as(line).isNull();
            assertThat(verification.confirmed()).as(line).isEqualTo(confirmed + 1);
            assertThat(shop.call(words[0], 7_000_000 + next)).as(line).isNotNull();
            assertThat(verification.wrong()).as(line).isEqualTo(wrong + 1);
          }
        });
  }

  /** What says "not found" in place of a failure shows nothing; the method's own says it still. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "absentKept",
        "absentDeciding",
        "absentFuture",
        "absentStage",
        "absentMono",
        "absentMonoDeciding",
        "absentCalled",
        "absentFlux"
      })
  void thatThrowAreNoVerdictEither(String method) {
    run(
        shop -> {
          Verification verification = shop.verification();
          shop.rows().failures.set(1);
          assertThatThrownBy(() -> shop.call(method, 1001))
              .hasStackTraceContaining("NoSuchElementException");
          shop.rows().failures.set(0);
          assertThat(verification.confirmed()).isZero();
          assertThatThrownBy(() -> shop.call(method, 1002))
              .hasStackTraceContaining("NoSuchElementException");
          assertThat(verification.confirmed()).isOne();
          shop.rows().failures.set(1);
          assertThatThrownBy(() -> shop.call(method, 7))
              .hasStackTraceContaining("NoSuchElementException");
          assertThat(shop.call(method, 7)).isEqualTo("row 7");
          assertThat(verification.wrong()).isZero();
        });
  }

  /** A row that the method was asked for in the place of the key's is not that of the key. */
  @ParameterizedTest
  @ValueSource(strings = {"other", "againMono", "againFlux"})
  void thatAskTheMethodForAnotherKeyAreNoVerdict(String method) {
    run(
        shop -> {
          shop.rows().failures.set(method.equals("other") ? 0 : 1);
          assertThat(shop.call(method, 1001)).isEqualTo("row 1");
          assertThat(shop.verification().wrong()).isZero();
          assertThat(shop.verification().confirmed()).isZero();
          assertThat(shop.call(method, 7)).isEqualTo("row 7");
          assertThat(shop.call(method, 7_000_001)).isEqualTo("row 7000001");
          assertThat(shop.verification().wrong()).isOne();
        });
  }

  @Test
  void aMapByOtherKeysIsNoVerdict() {
    run(
        shop -> {
          shop.call("allInParts", 1001);
          shop.call("allInParts", 7_000_001);
          assertThat(shop.rows().reads).hasValue(2);
          assertThat(shop.verification().confirmed()).isZero();
          assertThat(shop.verification().wrong()).isZero();
        });
  }

  /** Each key of a call is judged by its own entry, whatever becomes of the others. */
  @Test
  void someKeysOfACallAreTried() {
    run(
        shop -> {
          Products products = shop.context().getBean(Products.class);
          List<Long> ids = List.of(1L, 1001L, 7_000_001L, 2L, 7_000_001L);
          assertThat(products.allUnkept(ids)).containsOnlyKeys(1L, 7_000_001L, 2L);
          assertThat(products.allMono(List.of(3L, 1002L)).block()).containsOnlyKeys(3L);
          assertThat(shop.verification().confirmed()).isEqualTo(2);
          assertThat(shop.verification().wrong()).isOne();
          shop.rows().failures.set(1);
          assertThat(products.allLater(List.of(4L, 1003L)).join()).containsValue("fallback");
          assertThat(shop.verification().confirmed()).isEqualTo(2);
        });
  }

  /** The last run counts: one that failed before is no matter. */
  @ParameterizedTest
  @ValueSource(strings = {"retry", "recover", "flux", "resilient", "resilientMono"})
  void aSecondTryThatSucceedsIsKept(String method) {
    run(
        shop -> {
          shop.rows().failures.set(1);
          assertThat(shop.call(method, 7)).isEqualTo("row 7");
          assertThat(shop.rows().reads).hasValue(2);
          assertThat(shop.call(method, 7)).isEqualTo("row 7");
          assertThat(shop.rows().reads).hasValue(2);
        });
  }

  /** Spring's own retries end with the failure, or have no fallback. */
  @ParameterizedTest
  @ValueSource(strings = {"resilient", "resilientMono"})
  void aRetryThatFailsIsNoAnswer(String method) {
    run(
        shop -> {
          shop.rows().failures.set(2);
          assertThatThrownBy(() -> shop.call(method, 7))
              .hasStackTraceContaining("the database is away");
          assertThat(shop.call(method, 7)).isEqualTo("row 7");
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"breaker", "breakerNone", "future", "mono", "monoNone", "all"})
  void anOpenBreakerCallsNoMethod(String method) {
    run(
        shop -> {
          CircuitBreakerRegistry breakers = shop.context().getBean(CircuitBreakerRegistry.class);
          breakers.getAllCircuitBreakers().forEach(breaker -> breaker.reset());
          shop.call(method, 1);
          breakers.getAllCircuitBreakers().forEach(b -> b.transitionToForcedOpenState());
          int reads = shop.rows().reads.get();
          List<@Nullable Object> answers = new ArrayList<>();
          answers.add(shop.call(method, 7));
          answers.add(shop.call(method, 901));
          assertThat(answers).doesNotContain("row 7");
          assertThat(shop.rows().reads).hasValue(reads);
          breakers.getAllCircuitBreakers().forEach(breaker -> breaker.reset());
          assertThat(shop.call(method, 7)).isEqualTo("row 7");
          assertThat(shop.verification().wrong()).isZero();
          assertThat(shop.verification().confirmed()).isZero();
        });
  }

  @Test
  void aHitOfSpringsCacheIsNotKeptTwice() {
    run(
        shop -> {
          var views = shop.context().getBean(CacheManager.class).getCache("views");
          views.put(7L, "old");
          views.put(901L, "deleted");
          assertThat(shop.call("cached", 7)).isEqualTo("old");
          assertThat(shop.call("cached", 901)).isEqualTo("deleted");
          assertThat(shop.verification().wrong()).isZero();
          views.clear();
          assertThat(shop.call("cached", 7)).isEqualTo("row 7");
          views.put(7L, "old");
          assertThat(shop.call("cached", 7)).as("kept by the guard").isEqualTo("row 7");
        });
  }

  /** What the method has not returned may be made for one caller. */
  @Test
  void anAnswerThatAnAspectHasChangedIsNotKept() {
    run(
        shop -> {
          assertThat(shop.call("replacing", 7)).isEqualTo("row 7 for you");
          assertThat(shop.call("replacing", 7)).isEqualTo("row 7 for you");
          assertThat(shop.rows().reads).hasValue(2);
          assertThat(shop.call("replacing", 901)).isEqualTo("none");
          assertThat(shop.verification().wrong()).isZero();
        });
  }

  /** Callers that wait for a load get its fallback: none of them asks the database again. */
  @Test
  void callersThatWaitGetTheFallbackOfTheLoad() throws Exception {
    run(
        shop -> {
          shop.rows().failures.set(1);
          CountDownLatch start = new CountDownLatch(1);
          List<CompletableFuture<@Nullable Object>> callers = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            callers.add(
                CompletableFuture.supplyAsync(
                    () -> {
                      try {
                        start.await();
                      } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                      }
                      return shop.call("unordered", 7);
                    },
                    task -> new Thread(task).start()));
          }
          start.countDown();
          assertThat(callers.stream().map(CompletableFuture::join)).contains("fallback");
          assertThat(shop.rows().reads.get()).isLessThanOrEqualTo(2);
        });
  }
}
