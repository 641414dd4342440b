package io.bloomguard.test;

import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.WebApplicationContext;

/**
 * The application's settings, with small filters in memory in place of those that it has: they
 * begin empty, take added keys only, reject from the first call on, and verify nothing.
 */
@AutoConfiguration(before = BloomguardAutoConfiguration.class)
public final class InMemoryFilters {

  private static final String FILTERS = "bloomguard.filters";

  private static final String WEB_CONTEXT = "org.springframework.web.context.WebApplicationContext";

  /** What is said of the place of filters and caches, and what a slice may have no use for. */
  private static final Set<String> LEFT_OUT = Set.of("backend", "redis", "hashsecret", "console");

  private static final Set<String> LEFT_OUT_OF_FILTERS =
      Set.of("backend", "source", "warmup", "rebuild", "replica", "verify", "mode", "persubject");

  private static final Map<String, String> OF_A_FILTER =
      Map.of(
          "expected-insertions", "10000",
          "false-positive-probability", "0.000001",
          "source.added-only", "true",
          "warm-up.mode", "blocking",
          "verify.first", "0",
          "verify.sample", "0");

  /** Replaces the settings where they are made: no Redis or source is asked for. */
  @Bean
  static BeanFactoryPostProcessor inMemoryBloomguardProperties(
      ConfigurableEnvironment environment, ApplicationContext context) {
    boolean servlet = ClassUtils.isPresent(WEB_CONTEXT, null) && isServlet(context);
    return beans -> {
      for (String name : beans.getBeanNamesForType(BloomguardProperties.class, true, false)) {
        if (beans.getBeanDefinition(name) instanceof AbstractBeanDefinition definition) {
          definition.setInstanceSupplier(() -> inMemory(environment, servlet));
        }
      }
    };
  }

  private static boolean isServlet(ApplicationContext context) {
    return context instanceof WebApplicationContext;
  }

  private static BloomguardProperties inMemory(
      ConfigurableEnvironment environment, boolean servlet) {
    Map<String, String> settings = new HashMap<>();
    Binder.get(environment)
        .bind(FILTERS, Bindable.mapOf(String.class, Object.class))
        .orElse(Map.of())
        .keySet()
        .forEach(
            name ->
                OF_A_FILTER.forEach(
                    (setting, value) -> settings.put(FILTERS + "." + name + "." + setting, value)));
    List<ConfigurationPropertySource> sources = new ArrayList<>();
    sources.add(new MapConfigurationPropertySource(settings));
    ConfigurationPropertySources.get(environment)
        .forEach(source -> sources.add(source.filter(name -> isKept(name, servlet))));
    return new Binder(sources, new PropertySourcesPlaceholdersResolver(environment))
        .bindOrCreate("bloomguard", Bindable.of(BloomguardProperties.class));
  }

  private static boolean isKept(ConfigurationPropertyName name, boolean servlet) {
    int elements = name.getNumberOfElements();
    if (elements < 2 || !name.getElement(0, Form.UNIFORM).equals("bloomguard")) {
      return true;
    }
    String group = name.getElement(1, Form.UNIFORM);
    return !LEFT_OUT.contains(group)
        && (servlet || !group.equals("web"))
        && !(group.equals("filters")
            && elements > 3
            && LEFT_OUT_OF_FILTERS.contains(name.getElement(3, Form.UNIFORM)));
  }
}
