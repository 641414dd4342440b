package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.actuate.BloomFiltersWebExtension;
import io.bloomguard.actuate.BloomMeters;
import io.bloomguard.actuate.StoreServers;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.aop.MappedStatements;
import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.decision.Unguarded;
import io.bloomguard.web.BloomGuardFilter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.MethodMetadata;
import org.springframework.core.type.classreading.CachingMetadataReaderFactory;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.pattern.PathPatternParser;

/** The beans that an application may replace, and the reasons in the documents for all others. */
class ReplacedBeansTest {

  private static final String PAGE = "docs/extending.md";

  private final ApplicationContextRunner application =
      Wiring.application()
          .withPropertyValues(
              "bloomguard.filters.items.expected-insertions=1000",
              "bloomguard.filters.items.source.added-only=true")
          .withBean(Items.class);

  private final WebApplicationContextRunner webApplication =
      Wiring.webApplication()
          .withPropertyValues(
              "bloomguard.filters.items.expected-insertions=1000",
              "bloomguard.filters.items.source.added-only=true",
              "management.endpoints.web.exposure.include=bloomfilters");

  /** The test of each replaceable bean, by the name of ours. */
  private final Map<String, Runnable> replacements = new LinkedHashMap<>();

  {
    replacements.put("bloomGuards", this::guardsOfTheApplicationAreInjected);
    replacements.put("bloomguardTransactions", this::itsTransactionsAreAsked);
    replacements.put("bloomguardStatements", this::itsStatementsAreChecked);
    replacements.put("bloomFiltersEndpoint", this::itsEndpointAnswers);
    replacements.put("bloomFiltersWebExtension", this::itsWebExtensionAnswers);
    replacements.put("bloomguardMeters", this::itsMetersAreRegistered);
    replacements.put("bloomguardRedisServers", this::itsServersAreInHealth);
    replacements.put("bloomguardHealthIndicator", this::itsHealthIsTheOnlyOne);
    replacements.put("bloomGuardFilter", this::itsRegistrationIsTheOnlyOne);
  }

  @TestFactory
  Stream<DynamicTest> theBeanOfTheApplicationIsUsed() {
    return replacements.entrySet().stream()
        .map(each -> DynamicTest.dynamicTest(each.getKey(), each.getValue()::run));
  }

  @Test
  void allAutoConfigurationsAreLookedThrough() {
    assertThat(autoConfigurations())
        .hasSizeGreaterThan(3)
        .extracting(ClassUtils::getPackageName)
        .contains("io.bloomguard.autoconfigure", "io.bloomguard.console.autoconfigure");
  }

  @Test
  void everyBeanOfAPublicTypeIsReplacedHereOrHasAReasonNotToBe() throws IOException {
    Set<String> replaceable = new TreeSet<>();
    Set<String> others = new TreeSet<>();
    for (MethodMetadata method : beans()) {
      String name = name(method);
      if (method.isAnnotated(ConditionalOnMissingBean.class.getName())) {
        replaceable.add(name);
      } else if (isPublic(method.getReturnTypeName())) {
        others.add(name);
      }
    }

    assertThat(replaceable).as("tests here").isEqualTo(new TreeSet<>(replacements.keySet()));
    assertThat(named("Beans that yours replace", 2)).as(PAGE).isEqualTo(replaceable);
    assertThat(named("Beans that are not replaced", 1)).as(PAGE).isEqualTo(others);
  }

  private void guardsOfTheApplicationAreInjected() {
    BloomGuards mine = new Unguarded().forApplication();
    ApplicationContextRunner replaced =
        Wiring.application()
            .withPropertyValues(
                "bloomguard.filters.items.expected-insertions=1000",
                "bloomguard.filters.items.source.bean=keys",
                "bloomguard.filters.items.warm-up.mode=blocking",
                "bloomguard.filters.items.verify.first=0")
            .withBean(Items.class)
            .withBean("keys", KeySource.class, () -> sink -> sink.accept("7"))
            .withBean("mine", BloomGuards.class, () -> mine);
    replaced.run(
        context -> {
          assertThat(context.getBean(BloomGuards.class)).isSameAs(mine);
          assertThat(context.getBean(Items.class).find("1")).as("by our guard").isEmpty();
          assertThat(context.getBean(Items.class).find("7")).hasValue("7");
        });
    replaced
        .withPropertyValues("bloomguard.enabled=false")
        .run(context -> assertThat(context.getBean(BloomGuards.class)).isSameAs(mine));
  }

  private void itsTransactionsAreAsked() {
    Set<String> asked = ConcurrentHashMap.newKeySet();
    Transactions mine =
        new Transactions() {
          @Override
          public boolean register(Runnable beforeCommit, Completion afterCompletion) {
            asked.add("register");
            return false;
          }

          @Override
          public @Nullable Long readsSince() {
            asked.add("readsSince");
            return null;
          }
        };
    application
        .withBean("mine", Transactions.class, () -> mine)
        .run(context -> context.getBean(BloomGuards.class).guard("items").put("1"));
    assertThat(asked).contains("register");
  }

  private void itsStatementsAreChecked() {
    Set<String> asked = ConcurrentHashMap.newKeySet();
    MappedStatements mine =
        (type, method) -> {
          asked.add(method.getName());
          return null;
        };
    application
        .withBean("mine", MappedStatements.class, () -> mine)
        .run(context -> assertThat(context).hasSingleBean(MappedStatements.class));
    assertThat(asked).contains("store");
  }

  private void itsEndpointAnswers() {
    assertThat(statusOfItems(webApplication)).isEqualTo(WebEndpointResponse.STATUS_OK);
    assertThat(
            statusOfItems(
                webApplication.withBean(
                    "mine",
                    BloomFiltersEndpoint.class,
                    () -> new BloomFiltersEndpoint(new OperatedFilters(List.of())))))
        .isEqualTo(WebEndpointResponse.STATUS_NOT_FOUND);
  }

  private void itsWebExtensionAnswers() {
    assertThat(statusOfItems(webApplication.withBean("mine", Teapot.class)))
        .isEqualTo(Teapot.STATUS);
  }

  private void itsMetersAreRegistered() {
    ApplicationContextRunner metered = application.withConfiguration(Wiring.METERS);
    String meter = "bloomguard.filter.capacity";
    metered.run(
        context ->
            assertThat(context.getBean(MeterRegistry.class).find(meter).gauge()).isNotNull());
    metered
        .withBean("mine", BloomMeters.class, () -> new BloomMeters(new OperatedFilters(List.of())))
        .run(
            context ->
                assertThat(context.getBean(MeterRegistry.class).find(meter).gauge()).isNull());
  }

  private void itsServersAreInHealth() {
    application
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withBean(
            "mine",
            StoreServers.class,
            () -> () -> List.of(new StoreServers.Server("mine", "1.2.3", true)))
        .run(
            context ->
                assertThat(context.getBean(HealthIndicator.class).health().getDetails().toString())
                    .contains("mine", "1.2.3"));
  }

  private void itsHealthIsTheOnlyOne() {
    HealthIndicator mine = () -> Health.unknown().build();
    for (String name : List.of("bloomguardHealthIndicator", "bloomguardHealthContributor")) {
      application
          .withBean(name, HealthIndicator.class, () -> mine)
          .run(
              context ->
                  assertThat(context.getBeansOfType(HealthIndicator.class).values())
                      .containsExactly(mine));
    }
  }

  private void itsRegistrationIsTheOnlyOne() {
    FilterRegistrationBean<BloomGuardFilter> mine =
        new FilterRegistrationBean<>(
            new BloomGuardFilter(
                List.of(),
                new Unguarded(),
                PathPatternParser.defaultInstance,
                new DefaultFormattingConversionService()));
    webApplication
        .withPropertyValues(
            "bloomguard.web.rules[0].pattern=/items/{id}",
            "bloomguard.web.rules[0].filter=items",
            "bloomguard.web.rules[0].key=id")
        .withBean("bloomGuardFilter", FilterRegistrationBean.class, () -> mine)
        .run(
            context ->
                assertThat(context.getBeansOfType(FilterRegistrationBean.class).values())
                    .filteredOn(bean -> bean.getFilter() instanceof BloomGuardFilter)
                    .containsExactly(mine));
  }

  /** The status of {@code GET /actuator/bloomfilters/items}. */
  private static int statusOfItems(WebApplicationContextRunner application) {
    int[] status = new int[1];
    application
        .withConfiguration(AutoConfigurations.of(WebEndpointAutoConfiguration.class))
        .run(
            context -> {
              WebOperation read =
                  context.getBean(WebEndpointsSupplier.class).getEndpoints().stream()
                      .flatMap(endpoint -> endpoint.getOperations().stream())
                      .filter(operation -> operation.getId().equals("bloomfilters-name"))
                      .findFirst()
                      .orElseThrow();
              Object answer =
                  read.invoke(new InvocationContext(SecurityContext.NONE, Map.of("name", "items")));
              status[0] = ((WebEndpointResponse<?>) answer).getStatus();
            });
    return status[0];
  }

  private static List<String> autoConfigurations() {
    return ImportCandidates.load(AutoConfiguration.class, null).getCandidates().stream()
        .filter(name -> name.startsWith("io.bloomguard."))
        .toList();
  }

  /** Those of each package of auto-configurations and of the rooms beneath it. */
  private static List<MethodMetadata> beans() throws IOException {
    MetadataReaderFactory readers = new CachingMetadataReaderFactory();
    Map<String, URL> packages = new LinkedHashMap<>();
    for (String name : autoConfigurations()) {
      // The folder of the main classes, which the tests' class path may have behind that of the
      // tests.
      String file = ClassUtils.convertClassNameToResourcePath(name) + ".class";
      packages.put(
          ClassUtils.getPackageName(name), ReplacedBeansTest.class.getResource("/" + file));
    }
    List<MethodMetadata> beans = new ArrayList<>();
    for (URL ours : packages.values()) {
      for (Resource type :
          new PathMatchingResourcePatternResolver()
              .getResources(ours.toString().replaceFirst("[^/]+$", "**/*.class"))) {
        beans.addAll(
            readers
                .getMetadataReader(type)
                .getAnnotationMetadata()
                .getAnnotatedMethods(Bean.class.getName()));
      }
    }
    return beans;
  }

  private static String name(MethodMetadata method) {
    String[] names = (String[]) method.getAnnotationAttributes(Bean.class.getName()).get("name");
    return names.length == 0 ? method.getMethodName() : names[0];
  }

  /** What wiring makes is public to the auto-configurations, not to applications. */
  private static boolean isPublic(String type) {
    if (type.startsWith("io.bloomguard.autoconfigure.internal.wiring.")) {
      return false;
    }
    Class<?> found = ClassUtils.resolveClassName(type, ReplacedBeansTest.class.getClassLoader());
    for (Class<?> each = found; each != null; each = each.getEnclosingClass()) {
      if (!Modifier.isPublic(each.getModifiers())) {
        return false;
      }
    }
    return true;
  }

  /** The names in the first words of a column of the table below a heading of the page. */
  private static Set<String> named(String heading, int column) throws IOException {
    String page = Files.readString(Path.of(PAGE));
    String section = page.substring(page.indexOf("## " + heading)).replaceFirst("(?s)\\n## .*", "");
    Set<String> names = new TreeSet<>();
    Matcher row = Pattern.compile("(?m)^\\| ([^|]+) \\| ([^|]+) \\|$").matcher(section);
    while (row.find()) {
      Matcher name = Pattern.compile("\\G(?:, )?`(\\w+)`").matcher(row.group(column));
      while (name.find()) {
        names.add(name.group(1));
      }
    }
    return names;
  }

  static class Items {

    @BloomGuarded(filter = "items", key = "#id")
    public Optional<String> find(String id) {
      return Optional.of(id);
    }

    public void store(String id) {}
  }

  @EndpointWebExtension(endpoint = BloomFiltersEndpoint.class)
  static class Teapot extends BloomFiltersWebExtension {

    static final int STATUS = 418;

    Teapot(BloomFiltersEndpoint endpoint) {
      super(endpoint);
    }

    @Override
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> filter(@Selector String name) {
      return new WebEndpointResponse<>(STATUS);
    }
  }
}
