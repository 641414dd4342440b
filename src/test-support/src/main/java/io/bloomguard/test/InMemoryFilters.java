package io.bloomguard.test;

import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import java.util.ArrayList;
import java.util.Collections;
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
 * begin empty and take added keys only, or read their sources once, reject from the first call on,
 * and verify nothing.
 */
@AutoConfiguration(before = BloomguardAutoConfiguration.class)
public final class InMemoryFilters {

  /** The property of {@link AutoConfigureBloomguard#readSources}. */
  static final String READ_SOURCES = "bloomguard-test.read-sources";

  private static final String FILTERS = "bloomguard.filters";

  private static final String WEB_CONTEXT = "org.springframework.web.context.WebApplicationContext";

  /** What is said of the place of filters and caches, and what a slice may have no use for. */
  private static final Set<String> LEFT_OUT = Set.of("backend", "redis", "hashsecret", "console");

  private static final Set<String> LEFT_OUT_OF_FILTERS =
      Set.of("backend", "source", "warmup", "rebuild", "replica", "verify", "mode", "persubject");

  private static final Set<String> KINDS = Set.of("jdbc", "r2dbc", "file", "bean", "from");

  private static final Map<String, String> OF_A_FILTER =
      Map.of(
          "expected-insertions", "10000",
          "false-positive-probability", "0.000001",
          "warm-up.mode", "blocking",
          "warm-up.min-keys", "0",
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
    boolean reading = environment.getProperty(READ_SOURCES, boolean.class, false);
    Map<String, String> settings = new HashMap<>();
    for (String name : names(environment, FILTERS)) {
      String filter = FILTERS + "." + name + ".";
      OF_A_FILTER.forEach((setting, value) -> settings.put(filter + setting, value));
      if (!reading || Collections.disjoint(names(environment, filter + "source"), KINDS)) {
        settings.put(filter + "source.added-only", "true");
      }
    }
    List<ConfigurationPropertySource> sources = new ArrayList<>();
    sources.add(new MapConfigurationPropertySource(settings));
    ConfigurationPropertySources.get(environment)
        .forEach(source -> sources.add(source.filter(name -> isKept(name, servlet, reading))));
    return new Binder(sources, new PropertySourcesPlaceholdersResolver(environment))
        .bindOrCreate("bloomguard", Bindable.of(BloomguardProperties.class));
  }

  /** The names right below a property. */
  private static Set<String> names(ConfigurableEnvironment environment, String property) {
    return Binder.get(environment)
        .bind(property, Bindable.mapOf(String.class, Object.class))
        .orElse(Map.of())
        .keySet();
  }

  private static boolean isKept(ConfigurationPropertyName name, boolean servlet, boolean reading) {
    int elements = name.getNumberOfElements();
    if (elements < 2 || !name.getElement(0, Form.UNIFORM).equals("bloomguard")) {
      return true;
    }
    String group = name.getElement(1, Form.UNIFORM);
    return !LEFT_OUT.contains(group)
        && (servlet || !group.equals("web"))
        && !(group.equals("filters")
            && elements > 3
            && LEFT_OUT_OF_FILTERS.contains(name.getElement(3, Form.UNIFORM))
            && !(reading && isRead(name)));
  }

  private static boolean isRead(ConfigurationPropertyName name) {
    return name.getElement(3, Form.UNIFORM).equals("source")
        && name.getNumberOfElements() > 4
        && !name.getElement(4, Form.UNIFORM).equals("changes");
  }
}
