package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.wiring.AheadOfTime;
import io.bloomguard.autoconfigure.internal.wiring.BootNames;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilter;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
  private static final String MVC = "org.springframework.web.servlet.DispatcherServlet";
  private static final String WEB_FLUX = "org.springframework.web.reactive.DispatcherHandler";
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
    String web = served(beans, BloomguardWebAutoConfiguration.FILTER, MVC, WEB_FLUX);
    String console = served(beans, CONSOLE, MVC);
    Map<String, Object> served = new HashMap<>(Map.of("web", web, "console", console));
    served.put("console-module", isConsolePresent(console));
    served.put("gateway", beans.containsBean(GATEWAY));
    served.put("starter", BootNames.WEB_STARTER);
    properties.require(served);
    sayIdle(web, !properties.web().rules().isEmpty(), "bloomguard.web.rules are set");
    sayIdle(console, properties.console().enabled(), "bloomguard.console.enabled is true");
    return new ConfiguredFilters(
        properties,
        stores,
        caches,
        sources,
        beans,
        listeners.getIfAvailable(() -> FilterListeners.NONE),
        watch.getIfAvailable(() -> FilterWatch.NONE));
  }

  /** Whether the application has what serves requests by that bean, if requests can come. */
  private static String served(ListableBeanFactory beans, String bean, String... frameworks) {
    if (beans.containsBean(bean)) {
      return "yes";
    }
    boolean possible = Stream.of(frameworks).anyMatch(type -> ClassUtils.isPresent(type, null));
    return AotDetector.useGeneratedArtifacts()
        ? "changed"
        : possible && beans.containsBean(NO_REQUESTS) ? "idle" : "no";
  }

  private static boolean isConsolePresent(String served) {
    return List.of("yes", "changed").contains(served) || ClassUtils.isPresent(CONSOLE_MODULE, null);
  }

  private static void sayIdle(String served, boolean set, String setting) {
    if (set && served.equals("idle")) {
      log.info("{}, without effect here: this is no web application", setting);
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
      ConfiguredFilters filters,
      ObjectProvider<FilterWatch> watch,
      EntryGuards guards,
      List<FeedBackend> feeds) {
    return new FilterLifecycle(
        filters, watch.getIfAvailable(() -> FilterWatch.NONE), guards, feeds);
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
