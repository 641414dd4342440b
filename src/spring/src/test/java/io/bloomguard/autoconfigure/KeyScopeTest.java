package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.Mode;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.OwnedTypes;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.web.BloomGuardFilter;
import io.bloomguard.web.KeyType;
import io.bloomguard.web.PathRules;
import io.bloomguard.web.WebRule;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletContext;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Keys whose first part is the tenant of the thread, or of a subscriber's context. */
@ExtendWith(OutputCaptureExtension.class)
class KeyScopeTest {

  private static final ThreadLocal<@Nullable Long> TENANT = new ThreadLocal<>();
  private static final AtomicInteger LOADS = new AtomicInteger();

  public record Row(@Nullable Long tenantId, long id, String name) {}

  @Retention(RetentionPolicy.RUNTIME)
  @interface InterceptorIgnore {
    String tenantLine();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAsync
  static class Application {

    @Bean
    Supplier<@Nullable Long> tenant() {
      return TENANT::get;
    }

    @Bean
    Tenants tenants() {
      return new Tenants();
    }

    @Bean
    Products products(JdbcTemplate jdbc) {
      jdbc.execute("create table product (tenant_id bigint, id bigint, name varchar)");
      jdbc.execute("insert into product values (1, 5, 'one'), (2, 5, 'two'), (1, 7, 'seven')");
      return new Products(jdbc);
    }
  }

  static class Tenants implements Supplier<@Nullable Long>, Function<ContextView, @Nullable Long> {
    @Override
    public @Nullable Long get() {
      return TENANT.get();
    }

    @Override
    public @Nullable Long apply(ContextView context) {
      return context.getOrDefault("tenant", null);
    }
  }

  static class Products {

    private final JdbcTemplate jdbc;

    Products(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @BloomGuarded(filter = "products", cache = "products", key = "#id")
    public Optional<Row> find(long id) {
      return load(id, TENANT.get());
    }

    private Optional<Row> load(long id, @Nullable Long tenant) {
      LOADS.incrementAndGet();
      return jdbc
          .query(
              "select * from product where id = ? and tenant_id = coalesce(?, tenant_id)",
              (row, number) -> new Row(row.getLong(1), row.getLong(2), row.getString(3)),
              id,
              tenant)
          .stream()
          .findFirst();
    }

    /** Finds the rows of all tenants, as MyBatis-Plus does by this annotation. */
    @InterceptorIgnore(tenantLine = "true")
    @BloomGuarded(filter = "products", cache = "products", key = "#id")
    public Optional<Row> findOfAny(long id) {
      return load(id, null);
    }

    @BloomGuarded(filter = "products", cache = "products", key = "#ids")
    public Map<Long, Row> findAll(List<Long> ids) {
      return ids.stream()
          .flatMap(id -> load(id, TENANT.get()).stream())
          .collect(Collectors.toMap(Row::id, row -> row));
    }

    @BloomGuarded(filter = "products", cache = "products", key = "#id", caching = Caching.VALUES)
    public CompletableFuture<Optional<Row>> findLater(long id, Long tenant) {
      return CompletableFuture.supplyAsync(() -> load(id, tenant));
    }

    @BloomPut(filter = "products", key = "#row.id")
    public void save(Row row) {
      insert(row);
    }

    @BloomPut(filter = "products", key = "#rows.![id]")
    public void saveAll(List<Row> rows) {
      rows.forEach(this::insert);
    }

    private void insert(Row row) {
      Long tenant = row.tenantId() == null ? TENANT.get() : row.tenantId();
      jdbc.update("insert into product values (?, ?, ?)", tenant, row.id(), row.name());
    }

    @BloomEvict(filter = "products", key = "#id")
    public void rename(long id, String name) {
      jdbc.update(
          "update product set name = ? where id = ? and tenant_id = ?", name, id, TENANT.get());
    }
  }

  static class Jobs {

    private final Products products;

    Jobs(Products products) {
      this.products = products;
    }

    @Async
    public CompletableFuture<Optional<Row>> find(long id) {
      return CompletableFuture.completedFuture(products.find(id));
    }
  }

  static class Reactive {

    @BloomGuarded(filter = "products", cache = "texts", key = "#id")
    public Mono<String> find(long id) {
      return Mono.fromSupplier(() -> "found " + LOADS.incrementAndGet());
    }

    @BloomGuarded(filter = "products", key = "#id", mode = Mode.OBSERVE)
    public Mono<String> observed(long id) {
      return Mono.just("found");
    }

    @BloomPut(filter = "products", key = "#id")
    public Mono<Void> save(long id) {
      return Mono.empty();
    }

    @BloomEvict(filter = "products", key = "#id")
    public Mono<Void> evict(long id) {
      return Mono.empty();
    }
  }

  private final ApplicationContextRunner application =
      Wiring.application()
          .withConfiguration(
              AutoConfigurations.of(
                  DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class))
          .withUserConfiguration(Application.class)
          .withPropertyValues(
              "spring.datasource.generate-unique-name=true",
              "bloomguard.filters.products.keys.scope=tenant",
              "bloomguard.filters.products.source.jdbc.query=select tenant_id, id from product",
              "bloomguard.filters.products.warm-up.mode=blocking",
              "bloomguard.filters.products.verify.first=0",
              "bloomguard.filters.products.false-positive-probability=0.000001");

  @AfterEach
  void end() {
    TENANT.remove();
  }

  private static int loads(Runnable work) {
    int before = LOADS.get();
    work.run();
    return LOADS.get() - before;
  }

  private static void as(@Nullable Long tenant, Runnable work) {
    Long outer = TENANT.get();
    TENANT.set(tenant);
    try {
      work.run();
    } finally {
      TENANT.set(outer);
    }
  }

  private static Membership check(BloomGuards guards, long tenant, long id) {
    BloomGuard<Object> guard = guards.guard("products");
    Membership[] answer = new Membership[1];
    as(tenant, () -> answer[0] = guard.check(id));
    return answer[0];
  }

  @Test
  void eachTenantHasItsOwnKeysAndValues() {
    application.run(
        context -> {
          Products products = context.getBean(Products.class);
          for (long tenant = 1; tenant <= 2; tenant++) {
            String name = tenant == 1 ? "one" : "two";
            as(
                tenant,
                () ->
                    assertThat(
                            loads(
                                () -> {
                                  assertThat(products.find(5)).map(Row::name).contains(name);
                                  assertThat(products.find(5)).map(Row::name).contains(name);
                                }))
                        .isOne());
          }
          as(1L, () -> assertThat(products.find(7)).isPresent());
          as(2L, () -> assertThat(loads(() -> assertThat(products.find(7)).isEmpty())).isZero());
          as(
              2L,
              () ->
                  assertThat(loads(() -> assertThat(products.findAll(List.of(5L, 7L))).hasSize(1)))
                      .as("a value that find has kept")
                      .isZero());
          as(1L, () -> products.rename(5, "uno"));
          as(1L, () -> assertThat(products.find(5)).map(Row::name).contains("uno"));
          as(2L, () -> assertThat(loads(() -> products.find(5))).isZero());
        });
  }

  /** As a data permission does, which chooses rows by more than the tenant. */
  static class Permitted implements OwnedTypes {

    @Override
    public @Nullable String reason(Class<?> type) {
      return null;
    }

    @Override
    public @Nullable String caller(Class<?> type) {
      return type == Row.class ? "is chosen by the department" : null;
    }
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void rowsThatNotAllCallersOfATenantFindAreKeptOnlyIfTheMethodSaysSo(CapturedOutput output) {
    application
        .withBean(Permitted.class)
        .run(
            context -> {
              Products products = context.getBean(Products.class);
              for (int i = 0; i < 2; i++) {
                as(1L, () -> assertThat(loads(() -> products.find(7))).isOne());
              }
              as(1L, () -> products.findLater(7, 1L).join());
              as(1L, () -> assertThat(loads(() -> products.findLater(7, 1L).join())).isZero());
            });
    assertThat(output).contains("its keys have a scope, but", "is chosen by the department");
  }

  @Test
  void aCallWithoutATenantPassesAndKeepsNothing() {
    application.run(
        context -> {
          Products products = context.getBean(Products.class);
          assertThat(loads(() -> assertThat(products.find(7)).isPresent())).isOne();
          assertThat(loads(() -> assertThat(products.find(7)).isPresent())).isOne();
          assertThat(loads(() -> assertThat(products.find(9)).isEmpty())).isOne();
          assertThat(loads(() -> assertThat(products.find(9)).isEmpty())).isOne();
          assertThat(products.findAll(List.of(7L, 9L))).containsOnlyKeys(7L);
          assertThat(products.findLater(9, null).join()).isEmpty();
          BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("products");
          assertThat(guard.check(9)).isEqualTo(Membership.UNKNOWN);
          as(1L, () -> assertThat(loads(() -> products.find(7))).isOne());
          as(2L, () -> assertThat(loads(() -> products.findOfAny(7))).isOne());
          as(2L, () -> assertThat(products.findOfAny(7)).isPresent());
          as(2L, () -> assertThat(products.find(7)).isEmpty());
        });
  }

  @Test
  void aWriteIsOfTheTenantOfItsRowOrOfTheThread() {
    application.run(
        context -> {
          Products products = context.getBean(Products.class);
          BloomGuards guards = context.getBean(BloomGuards.class);
          as(1L, () -> products.save(new Row(2L, 20, "of another")));
          as(1L, () -> products.save(new Row(null, 21, "of the thread")));
          as(1L, () -> products.saveAll(List.of(new Row(2L, 22, "a"), new Row(null, 23, "b"))));
          as(1L, () -> guards.guard("products").put(24));
          products.save(new Row(2L, 25, "of its row alone"));
          for (long id = 20; id <= 25; id++) {
            boolean ofOne = id == 21 || id == 23 || id == 24;
            assertThat(check(guards, ofOne ? 1 : 2, id)).isEqualTo(Membership.POSSIBLY_PRESENT);
            assertThat(check(guards, ofOne ? 2 : 1, id)).isEqualTo(Membership.ABSENT);
          }
          JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
          assertThatThrownBy(() -> products.save(new Row(null, 666, "of none")))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("'tenant'")
              .hasMessageContaining("is null here")
              .hasMessageNotContaining("666");
          assertThatThrownBy(() -> products.rename(5, "of none")).hasMessageContaining("is null");
          assertThat(jdbc.queryForList("select 1 from product where id = 666")).isEmpty();
        });
  }

  @Test
  void theTenantIsThatOfTheThreadThatCalls() {
    application
        .withBean(Jobs.class)
        .run(
            context -> {
              Products products = context.getBean(Products.class);
              as(2L, () -> assertThat(products.findLater(7, 1L).join()).isEmpty());
              as(1L, () -> assertThat(products.findLater(7, 1L).join()).isPresent());
              as(1L, () -> assertThat(loads(() -> products.findLater(7, 1L).join())).isZero());
              Jobs jobs = context.getBean(Jobs.class);
              as(2L, () -> assertThat(jobs.find(7).join()).as("its thread has none").isPresent());
              as(1L, () -> assertThat(loads(() -> jobs.find(7).join())).isOne());
            });
  }

  @Test
  void theTenantOfAReactiveMethodIsThatOfTheContext() {
    application
        .withPropertyValues("bloomguard.filters.products.keys.scope=tenants")
        .withBean(Reactive.class)
        .run(
            context -> {
              Reactive reactive = context.getBean(Reactive.class);
              assertThat(find(reactive, 1L)).startsWith("found");
              assertThat(loads(() -> find(reactive, 1L))).as("kept").isZero();
              assertThat(find(reactive, 2L)).isNull();
              assertThat(find(reactive, null)).startsWith("found");
              reactive.save(7).contextWrite(in -> in.put("tenant", 2L)).block(LONG);
              assertThat(find(reactive, 2L)).startsWith("found");
              reactive.evict(7).contextWrite(in -> in.put("tenant", 2L)).block(LONG);
              assertThat(loads(() -> find(reactive, 2L))).isOne();
              assertThat(loads(() -> find(reactive, 1L))).isZero();
              assertThatThrownBy(() -> reactive.save(8).block(LONG))
                  .hasMessageContaining("is null");
            });
    assertThat(Wiring.failure(application.withBean(Reactive.class)))
        .satisfies(
            failure -> {
              assertThat(failure.getDescription()).contains("returns a Mono", "'tenant'");
              assertThat(failure.getAction()).contains("java.util.function.Function");
            });
  }

  @Test
  void theTenantOfAnObservedMethodIsThatOfTheContext() {
    application
        .withPropertyValues("bloomguard.filters.products.keys.scope=tenants")
        .withBean(Reactive.class)
        .run(
            context -> {
              var counters =
                  context.getBean(ConfiguredFilters.class).all().get(0).guarded().counters();
              Mono<String> observed = context.getBean(Reactive.class).observed(7);
              for (long tenant = 1; tenant <= 2; tenant++) {
                long own = tenant;
                assertThat(observed.contextWrite(in -> in.put("tenant", own)).block(LONG))
                    .isEqualTo("found");
              }
              assertThat(observed.block(LONG)).isEqualTo("found");
              assertThat(counters.count(Outcome.PASSED)).isOne();
              assertThat(counters.count(Outcome.REJECTED)).isOne();
              assertThat(counters.count(Outcome.BYPASSED)).as("without a tenant").isOne();
            });
  }

  private static final Duration LONG = Duration.ofMinutes(1);

  private static @Nullable String find(Reactive reactive, @Nullable Long tenant) {
    Mono<String> found = reactive.find(7);
    return (tenant == null ? found : found.contextWrite(in -> in.put("tenant", tenant)))
        .block(LONG);
  }

  @Test
  void otherEntryPointsTakeThePartsWrittenOut() {
    application.run(
        context -> {
          BloomGuard<Object> guard =
              context
                  .getBean(EntryGuards.class)
                  .guard("products", "products", ValueType.of(Object.class), EntryPoint.API);
          assertThat(guard.check("1:7")).isEqualTo(Membership.POSSIBLY_PRESENT);
          assertThat(guard.check("2:7")).isEqualTo(Membership.ABSENT);
          guard.put("3:7");
          assertThat(check(context.getBean(BloomGuards.class), 3, 7))
              .isEqualTo(Membership.POSSIBLY_PRESENT);
        });
  }

  @Test
  void aRuleNamesWhereTheScopeIs() {
    application.run(
        context -> {
          EntryGuards guards = context.getBean(EntryGuards.class);
          PathRules rules = rules(guards, rule("tenant", false));
          assertThat(rules.refusal("GET", "/t/1/items/7")).isNull();
          assertThat(rules.refusal("GET", "/t/2/items/7")).isNotNull();
          BloomGuardFilter filter =
              new BloomGuardFilter(
                  List.of(rule("header:X-Tenant", false)),
                  guards,
                  new PathPatternParser(),
                  DefaultConversionService.getSharedInstance());
          assertThat(status(filter, "1")).isEqualTo(200);
          assertThat(status(filter, "2")).isEqualTo(404);
          assertThat(status(filter, null)).as("passes undecided").isEqualTo(200);
          refused(guards, rule("", false), "judges before the scope is known");
          refused(guards, rule("shop", false), "no variable of the pattern");
          assertThatThrownBy(() -> rules(guards, rule("header:X-Tenant", false)))
              .hasMessageContaining("not seen here");
          assertThatThrownBy(
                  () ->
                      new BloomGuardFilter(
                          List.of(rule("tenant", true)),
                          guards,
                          new PathPatternParser(),
                          DefaultConversionService.getSharedInstance()))
              .hasMessageContaining("spell in several ways");
        });
  }

  @RestController
  static class Items {

    @GetMapping("/t/{shop}/items/{id}")
    String item(@PathVariable long shop, @PathVariable long id) {
      return shop + ":" + id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableWebMvc
  static class Mvc {

    @Bean
    Items items() {
      return new Items();
    }
  }

  /** A row of a known tenant would be rejected under another spelling of the tenant. */
  @Test
  void aRuleReadsTheScopeAsItsHandlerDoes() {
    application.run(
        context -> {
          try (AnnotationConfigWebApplicationContext web =
              new AnnotationConfigWebApplicationContext()) {
            web.setServletContext(new MockServletContext());
            web.register(Mvc.class);
            web.refresh();
            BloomGuardFilter filter =
                new BloomGuardFilter(
                    List.of(rule("tenant", false)),
                    context.getBean(EntryGuards.class),
                    new PathPatternParser(),
                    web.getBean("mvcConversionService", ConversionService.class));
            filter.prepare(web);
            assertThat(ofPath(filter, "/t/1/items/7")).isEqualTo(200);
            assertThat(ofPath(filter, "/t/01/items/07")).isEqualTo(200);
            assertThat(ofPath(filter, "/t/0x1/items/7")).isEqualTo(200);
            assertThat(ofPath(filter, "/t/02/items/7")).isEqualTo(404);
            assertThat(ofPath(filter, "/t/word/items/8")).as("no tenant").isEqualTo(200);
          }
        });
  }

  private static int ofPath(BloomGuardFilter filter, String path) throws Exception {
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter.doFilter(new MockHttpServletRequest("GET", path), response, new MockFilterChain());
    return response.getStatus();
  }

  private static void refused(EntryGuards guards, WebRule rule, String problem) {
    assertThatThrownBy(() -> rules(guards, rule)).hasMessageContaining(problem);
  }

  private static PathRules rules(EntryGuards guards, WebRule rule) {
    return new PathRules(List.of(rule), guards, DefaultConversionService.getSharedInstance());
  }

  private static WebRule rule(String scope, boolean verify) {
    return new WebRule(
        "/t/{tenant}/items/{id}",
        "products",
        "id",
        KeyType.LONG,
        Set.of(),
        verify,
        Set.of(200),
        Set.of(404),
        scope);
  }

  private static int status(BloomGuardFilter filter, @Nullable String tenant) throws Exception {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/t/9/items/7");
    if (tenant != null) {
      request.addHeader("X-Tenant", tenant);
    }
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter.doFilter(request, response, new MockFilterChain());
    return response.getStatus();
  }

  @ParameterizedTest
  @CsvSource({
    "keys.scope,products,no bean of type java.util.function.Supplier",
    "keys.trim,both,hold for a whole key",
    "source.jdbc.query,select tenant_id,select the scope as the first column",
  })
  void whatCannotBeIsRefused(String property, String value, String problem, CapturedOutput output) {
    application
        .withPropertyValues("bloomguard.filters.products." + property + "=" + value)
        .withPropertyValues(
            property.startsWith("source")
                ? "bloomguard.filters.products.source.jdbc.query=" + value + " from product"
                : "bloomguard.filters.products.expected-insertions=100")
        .run(
            context -> {
              Throwable failure = context.getStartupFailure();
              String cause = failure == null ? "" : NestedExceptionUtils.getRootCause(failure) + "";
              assertThat(failure + cause + output).contains(problem);
            });
  }
}
