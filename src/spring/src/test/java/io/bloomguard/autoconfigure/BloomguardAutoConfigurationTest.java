package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.BloomFilter;
import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.actuate.BloomFiltersWebExtension;
import io.bloomguard.actuate.BloomMeters;
import io.bloomguard.actuate.BloomguardHealthIndicator;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.autoconfigure.internal.wiring.FilterListeners;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.decision.Unguarded;
import io.bloomguard.web.BloomGuardFilter;
import io.bloomguard.web.internal.GuardExceptionHandler;
import io.bloomguard.web.internal.RejectionResolver;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.servlet.DispatcherServlet;

/** What the starter brings, with each library present, absent, or all of it disabled. */
class BloomguardAutoConfigurationTest {

  private static final String[] PRODUCTS = {
    "bloomguard.filters.products.expected-insertions=1000",
    "bloomguard.filters.products.source.bean=productKeys",
    "bloomguard.filters.products.verify.first=0",
    "bloomguard.filters.products.verify.sample=0",
    "bloomguard.filters.products.warm-up.mode=blocking"
  };

  /** Public, so that its proxy may be of another class loader. */
  public static class Products {
    final AtomicInteger calls = new AtomicInteger();

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<String> find(long id) {
      calls.incrementAndGet();
      return id == 42 ? Optional.of("desk") : Optional.empty();
    }

    public int calls() {
      return calls.get();
    }
  }

  private static TestKeys productKeys() {
    return new TestKeys(sink -> sink.accept(42L));
  }

  @Test
  void guardsAnnotatedMethodsByTheirFilter() {
    Wiring.application()
        .withPropertyValues(PRODUCTS)
        .withBean("productKeys", TestKeys.class, BloomguardAutoConfigurationTest::productKeys)
        .withBean(Products.class)
        .run(BloomguardAutoConfigurationTest::isGuarded);
  }

  private static void isGuarded(ApplicationContext context) {
    Products products = context.getBean(Products.class);
    assertThat(AopUtils.isAopProxy(products)).isTrue();
    assertThat(products.find(42)).contains("desk");
    assertThat(products.find(42)).contains("desk");
    assertThat(products.find(7)).isEmpty();
    assertThat(((Products) target(products)).calls()).isOne();
    assertThat(context.getBean(BloomGuards.class).guard("products").check(7L))
        .isEqualTo(Membership.ABSENT);
  }

  private static Object target(Object proxy) {
    try {
      return ((org.springframework.aop.framework.Advised) proxy).getTargetSource().getTarget();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void operatesEveryFilter() {
    Wiring.application()
        .withConfiguration(Wiring.METERS)
        .withPropertyValues(PRODUCTS)
        .withPropertyValues(
            "bloomguard.filters.orders.layout=counting",
            "management.endpoints.web.exposure.include=bloomfilters")
        .withBean("productKeys", TestKeys.class, BloomguardAutoConfigurationTest::productKeys)
        .run(
            context -> {
              assertThat(context)
                  .hasSingleBean(BloomFiltersEndpoint.class)
                  .hasSingleBean(BloomFiltersWebExtension.class)
                  .hasSingleBean(BloomguardHealthIndicator.class)
                  .hasSingleBean(Transactions.class)
                  .doesNotHaveBean(GuardExceptionHandler.class);
              assertThat(context.getBean(BloomFiltersEndpoint.class).filters().filters())
                  .containsOnlyKeys("orders", "products");
              MeterRegistry meters = context.getBean(MeterRegistry.class);
              assertThat(
                      meters
                          .get("bloomguard.requests")
                          .tags("filter", "products", "entry", "method", "outcome", "rejected")
                          .functionCounter()
                          .count())
                  .isZero();
              // The timer of a warm-up that ended before the context was up.
              assertThat(meters.get("bloomguard.rebuild").tag("filter", "products").timer().count())
                  .isOne();
            });
  }

  @Test
  void theHashOfAFilterIsTheOneThatIsSet() {
    assertThat(hash("siphash-2-4", "0"))
        .isNotEmpty()
        .isEqualTo(hash("siphash-2-4", "0"))
        .isNotEqualTo(hash("siphash-2-4", "1"))
        .isNotEqualTo(hash("siphash-1-3", "0"));
  }

  /** That of a key under a hash and a secret of one digit; its bits have a salt besides. */
  private static String hash(String hash, String digit) {
    List<String> hashes = new ArrayList<>();
    Wiring.application()
        .withPropertyValues(
            "bloomguard.hash-secret=" + digit.repeat(32),
            "bloomguard.filters.products.hash=" + hash,
            "bloomguard.filters.products.source.added-only=true",
            "management.endpoints.web.exposure.include=bloomfilters")
        .run(
            context ->
                hashes.add(
                    context
                        .getBean(OperatedFilters.class)
                        .find("products")
                        .orElseThrow()
                        .filter()
                        .store()
                        .keyHash("42")));
    return hashes.get(0);
  }

  @Test
  void exposesNoEndpointThatIsNotAskedFor() {
    Wiring.application()
        .withPropertyValues("management.endpoints.jmx.exposure.exclude=*")
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(OperatedFilters.class)
                    .doesNotHaveBean(BloomFiltersEndpoint.class));
  }

  @Test
  void needsNoOptionalLibrary() {
    Wiring.application()
        .withClassLoader(
            new FilteredClassLoader(
                BloomFilter.class,
                MeterRegistry.class,
                Endpoint.class,
                HealthIndicator.class,
                JdbcOperations.class,
                TransactionSynchronizationManager.class,
                LettuceConnectionFactory.class,
                DispatcherServlet.class))
        .withPropertyValues(PRODUCTS)
        .withBean("productKeys", TestKeys.class, BloomguardAutoConfigurationTest::productKeys)
        .withBean(Products.class)
        .run(
            context -> {
              assertThat(context)
                  .hasNotFailed()
                  .doesNotHaveBean(Transactions.class)
                  .doesNotHaveBean(FilterListeners.class)
                  .doesNotHaveBean(BloomFiltersEndpoint.class)
                  .doesNotHaveBean(BloomMeters.class)
                  .doesNotHaveBean(BloomguardHealthIndicator.class);
              isGuarded(context);
            });
  }

  @Test
  void metersNeedNoActuator() {
    Wiring.application()
        .withConfiguration(Wiring.METERS)
        .withClassLoader(new FilteredClassLoader(Endpoint.class, HealthIndicator.class))
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(BloomMeters.class)
                    .doesNotHaveBean(BloomFiltersEndpoint.class)
                    .doesNotHaveBean(BloomguardHealthIndicator.class));
  }

  @Test
  void operatesWithoutMeters() {
    Wiring.application()
        .withClassLoader(new FilteredClassLoader(MeterRegistry.class))
        .withPropertyValues("management.endpoints.web.exposure.include=bloomfilters")
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(BloomFiltersEndpoint.class)
                    .hasSingleBean(BloomguardHealthIndicator.class)
                    .doesNotHaveBean(BloomMeters.class));
  }

  @Test
  void healthCanBeSwitchedOff() {
    Wiring.application()
        .withPropertyValues("management.health.bloomguard.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(BloomguardHealthIndicator.class));
  }

  @Test
  void disabledItBringsNothingButOpenGuardsAndMethodsArePlain() {
    Wiring.webApplication()
        .withPropertyValues(PRODUCTS)
        .withPropertyValues(
            "bloomguard.enabled=false",
            "bloomguard.web.rules[0].pattern=/p/{id}",
            "bloomguard.filters.products.false-positive-probability=7")
        .withBean(Products.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(
                      Arrays.stream(context.getBeanDefinitionNames())
                          .filter(name -> name.toLowerCase(Locale.ROOT).contains("bloom"))
                          .map(context::getType)
                          .filter(type -> type != null && type != Products.class))
                  .hasSize(5)
                  .contains(BloomguardOffAutoConfiguration.class, Unguarded.class)
                  .contains(HealthConfiguration.class, BloomguardHealthIndicator.class)
                  .anyMatch(BloomGuards.class::isAssignableFrom);
              Health health = context.getBean(BloomguardHealthIndicator.class).health();
              assertThat(health.getStatus()).isEqualTo(Status.UP);
              assertThat(health.getDetails())
                  .containsEntry("state", "switched off: bloomguard.enabled is false");
              Products products = context.getBean(Products.class);
              assertThat(AopUtils.isAopProxy(products)).isFalse();
              assertThat(products.find(7)).isEmpty();
              assertThat(products.calls()).isOne();
            });
  }

  @Test
  void keysComeFromTheApplicationsDataSource() {
    Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
        .withPropertyValues(
            "spring.datasource.url=jdbc:h2:mem:wiring",
            "bloomguard.filters.products.source.jdbc.query=select x from system_range(1, 1000)",
            "bloomguard.filters.products.warm-up.mode=blocking")
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("products");
              assertThat(guard.check(1000L)).isEqualTo(Membership.POSSIBLY_PRESENT);
              assertThat(guard.check(1001L)).isEqualTo(Membership.ABSENT);
            });
  }

  @Test
  void guardsOfTheApplicationComeFirst() {
    BloomGuards theirs = new Unguarded().forApplication();
    Wiring.application()
        .withBean(BloomGuards.class, () -> theirs)
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(BloomGuards.class)
                    .hasSingleBean(OperatedFilters.class)
                    .getBean(BloomGuards.class)
                    .isSameAs(theirs));
  }

  @Test
  void servletApplicationAnswersWhatTheGuardRefuses() {
    Wiring.webApplication()
        .run(
            context -> {
              assertThat(context).hasSingleBean(GuardExceptionHandler.class);
              assertThat(context).hasSingleBean(RejectionResolver.class);
              hasNoFilter(context);
            });
  }

  @Test
  void rejectionsTakeTheUsualWayWhereResolvedExceptionsAreLogged() {
    Wiring.webApplication()
        .withPropertyValues("spring.mvc.log-resolved-exception=true")
        .run(context -> assertThat(context).doesNotHaveBean(RejectionResolver.class));
  }

  @Test
  void ruleOfTheReadmeApplies() {
    Wiring.webApplication()
        .withInitializer(new ConfigDataApplicationContextInitializer())
        .withPropertyValues(
            "spring.config.location=file:src/it/recipes/src/main/resources/jpa-web.yml",
            "bloomguard.filters.owners.source.added-only=true",
            "bloomguard.filters.owners.warm-up.mode=blocking",
            "bloomguard.filters.owners.verify.first=0")
        .run(
            context -> {
              MockHttpServletResponse answer = new MockHttpServletResponse();
              context
                  .getBean(FilterRegistrationBean.class)
                  .getFilter()
                  .doFilter(
                      new MockHttpServletRequest("GET", "/owners/7"),
                      answer,
                      (request, other) -> {});
              assertThat(answer.getStatus()).isEqualTo(404);
            });
  }

  private static void hasNoFilter(ApplicationContextAssertProvider<?> context) {
    assertThat(context).doesNotHaveBean(FilterRegistrationBean.class);
  }

  @Test
  void webRulesMakeAServletFilterAfterSecurity() {
    Wiring.webApplication()
        .withPropertyValues(
            "bloomguard.filters.products.layout=blocked",
            "bloomguard.web.rules[0].pattern=/p/{id}",
            "bloomguard.web.rules[0].filter=products",
            "bloomguard.web.rules[0].key=id")
        .run(
            context -> {
              FilterRegistrationBean<?> registration =
                  context.getBean(FilterRegistrationBean.class);
              assertThat(registration.getFilter()).isInstanceOf(BloomGuardFilter.class);
              // Spring Security's filter chain is at -100.
              assertThat(registration.getOrder()).isGreaterThan(-100);
            });
  }
}
