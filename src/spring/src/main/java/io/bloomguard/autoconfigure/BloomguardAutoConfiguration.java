package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.autoconfigure.internal.wiring.AheadOfTime;
import io.bloomguard.autoconfigure.internal.wiring.BootNames;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilter;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.autoconfigure.internal.wiring.FeedLifecycle;
import io.bloomguard.autoconfigure.internal.wiring.FilterLifecycle;
import io.bloomguard.autoconfigure.internal.wiring.FilterListeners;
import io.bloomguard.autoconfigure.internal.wiring.FilterWatch;
import io.bloomguard.autoconfigure.internal.wiring.LocalBackend;
import io.bloomguard.autoconfigure.internal.wiring.OwnSettings;
import io.bloomguard.autoconfigure.internal.wiring.RedisBackendConfiguration;
import io.bloomguard.autoconfigure.internal.wiring.SourceBackends;
import io.bloomguard.generation.FeedBackend;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.SourceBackend;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.CacheBackend;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.ReadSessions;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadSettings;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;

/** Filters, caches and guards from the properties, and proxies for annotated methods. */
@AutoConfiguration(
    afterName = {
      BootNames.DATA_SOURCE,
      BootNames.REDIS,
      BootNames.R2DBC,
      BootNames.TRANSACTION,
      BootNames.DATA_JDBC,
      BootNames.DATA_R2DBC,
      BootNames.METERS
    })
@ConditionalOnBooleanProperty(name = "bloomguard.enabled", matchIfMissing = true)
@EnableConfigurationProperties(BloomguardProperties.class)
@Import({
  RedisBackendConfiguration.class,
  SourceBackends.class,
  FilterMetersConfiguration.class,
  OwnedTypesConfiguration.class,
  AnswerTypesConfiguration.class,
  GuardedMethodsConfiguration.class,
  EntityWritesConfiguration.class,
  AggregateWritesConfiguration.class,
  MapperWritesConfiguration.class,
  R2dbcWritesConfiguration.class,
  EntityKeyConfiguration.class
})
public final class BloomguardAutoConfiguration {

  /** The bean that the console's page shows. */
  public static final String CONSOLE = "bloomguardConsole";

  /** The bean of the server that decides for proxies. */
  public static final String GATEWAY = "bloomguardGateway";

  private static final String CONSOLE_MODULE =
      "io.bloomguard.console.autoconfigure.BloomguardConsoleAutoConfiguration";
  private static final String NO_REQUESTS = "bloomguardNoRequests";
  private static final Logger log = LoggerFactory.getLogger(BloomguardAutoConfiguration.class);

  BloomguardAutoConfiguration() {}

  @Bean
  OwnSettings bloomguardOwnSettings(BloomguardProperties properties) {
    return new OwnSettings(properties);
  }

  @Bean
  LocalBackend bloomguardLocalBackend(BloomguardProperties properties, OwnSettings settings) {
    return new LocalBackend(properties.secret(), settings);
  }

  @Bean
  ConfiguredFilters bloomguardFilters(
      BloomguardProperties properties,
      List<FilterBackend> stores,
      List<CacheBackend> caches,
      List<SourceBackend> sources,
      ListableBeanFactory beans,
      ConfigurableEnvironment environment,
      ObjectProvider<FilterListeners> listeners,
      ObjectProvider<FilterWatch> watch) {
    if (!properties.enabled()) {
      throw AheadOfTime.changed("bloomguard.enabled is false", "was");
    }
    EnvironmentVariables.requireMeant(environment, properties.filters().keySet());
    if (!properties.web().rules().isEmpty()) {
      requireWeb(
          WebKind.ANY,
          "bloomguard.web.rules are set",
          "were",
          "apply them",
          BloomguardWebAutoConfiguration.FILTER,
          beans);
    }
    if (!properties.gateway().rules().isEmpty() && !beans.containsBean(GATEWAY)) {
      throw new InvalidBloomguardSettingException(
          "bloomguard.gateway.rules are set, which only bloomguard-server applies",
          "Set bloomguard.web.rules in an application, or remove the setting.");
    }
    if (properties.console().enabled()) {
      requireConsole(beans);
      requireWeb(
          WebKind.SERVLET,
          "bloomguard.console.enabled is true",
          "was",
          "serve the console",
          CONSOLE,
          beans);
    }
    return new ConfiguredFilters(
        properties,
        stores,
        caches,
        sources,
        beans,
        listeners.getIfAvailable(() -> FilterListeners.NONE),
        watch.getIfAvailable(() -> FilterWatch.NONE));
  }

  private static void requireConsole(ListableBeanFactory beans) {
    if (!beans.containsBean(CONSOLE)
        && !AotDetector.useGeneratedArtifacts()
        && !ClassUtils.isPresent(CONSOLE_MODULE, null)) {
      throw new InvalidBloomguardSettingException(
          "bloomguard.console.enabled is true, which bloomguard-console brings",
          "Add the dependency io.bloomguard:bloomguard-console, or remove the setting.");
    }
  }

  /** Refuses a setting that nothing in this application would apply, if requests can come. */
  private static void requireWeb(
      WebKind kind,
      String setting,
      String verb,
      String effect,
      String bean,
      ListableBeanFactory beans) {
    if (beans.containsBean(bean)) {
      return;
    }
    if (AotDetector.useGeneratedArtifacts()) {
      throw AheadOfTime.changed(setting, verb);
    }
    if (beans.containsBean(NO_REQUESTS) && kind.isPresent()) {
      log.info("{}, without effect here: this is no web application", setting);
      return;
    }
    throw new InvalidBloomguardSettingException(
        setting + ", but this is no " + kind.application + ", so nothing would " + effect,
        "Add " + kind.starter + ", or remove the setting.");
  }

  /** The applications that serve a part of the web. */
  private enum WebKind {
    SERVLET(
        "servlet application with Spring MVC",
        "org.springframework.boot:" + BootNames.WEB_STARTER,
        "org.springframework.web.servlet.DispatcherServlet"),
    ANY(
        "web application with Spring MVC or WebFlux",
        SERVLET.starter + " or spring-boot-starter-webflux",
        SERVLET.frameworks.get(0),
        "org.springframework.web.reactive.DispatcherHandler");

    private final String application;
    private final String starter;

    @SuppressWarnings("ImmutableEnumChecker") // a copy
    private final List<String> frameworks;

    WebKind(String application, String starter, String... frameworks) {
      this.application = application;
      this.starter = starter;
      this.frameworks = List.of(frameworks);
    }

    boolean isPresent() {
      return frameworks.stream().anyMatch(type -> ClassUtils.isPresent(type, null));
    }
  }

  /** Of an application that serves no web, such as a test or a batch run. */
  @Bean(NO_REQUESTS)
  @ConditionalOnNotWebApplication
  NoRequests bloomguardNoRequests() {
    return new NoRequests();
  }

  record NoRequests() {}

  @Bean
  FilterLifecycle bloomguardFilterLifecycle(
      ConfiguredFilters filters, ObjectProvider<FilterWatch> watch) {
    return new FilterLifecycle(filters, watch.getIfAvailable(() -> FilterWatch.NONE));
  }

  @Bean
  FeedLifecycle bloomguardFeedLifecycle(
      ConfiguredFilters filters, EntryGuards guards, List<FeedBackend> feeds) {
    return new FeedLifecycle(filters, guards, feeds);
  }

  @Bean
  @ConditionalOnMissingBean(BloomGuards.class)
  BloomGuards bloomGuards(EntryGuards guards) {
    return guards.forApplication();
  }

  @Bean
  GuardRegistry bloomguardEntries(
      BloomguardProperties properties,
      ConfiguredFilters filters,
      ObjectProvider<Transactions> transactions,
      OwnedValues owned,
      ObjectProvider<PendingWrites> pending,
      ObjectProvider<ReadSessions> sessions) {
    LoadSettings loads = properties.loadSettings();
    return new GuardRegistry(
        filters.all().stream().map(ConfiguredFilter::guarded).toList(),
        filters.caches(),
        properties.keys().rules(),
        loads,
        transactions.getIfAvailable(() -> Transactions.NONE).reading(sessions.stream().toList()),
        owned,
        filters.keyTypes(),
        PendingWrites.allOf(pending.stream().toList()),
        new LoadThreads(loads.maxConcurrent(), loads.maxWaiting()));
  }
}
