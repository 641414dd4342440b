package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.SourceBackend;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.source.FileKeySource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SimpleBeanTargetSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;

/** The kinds of sources that an application has without a bean of its own. */
@Configuration(proxyBeanMethods = false)
public class SourceBackends {

  /** For Spring. */
  SourceBackends() {}

  @Bean
  SourceBackend bloomguardJdbcSources(BloomguardProperties properties, ListableBeanFactory beans) {
    return new JdbcSources(properties, beans);
  }

  @Bean
  SourceBackend bloomguardR2dbcSources(BloomguardProperties properties, ListableBeanFactory beans) {
    return new R2dbcSources(properties, beans);
  }

  @Bean
  SourceBackend bloomguardFileSources(BloomguardProperties properties) {
    return new TextFiles(properties);
  }

  @Bean
  SourceBackend bloomguardBeanSources(BloomguardProperties properties, ListableBeanFactory beans) {
    return new Beans(properties, beans);
  }

  @Bean
  SourceBackend bloomguardImageSets(
      BloomguardProperties properties, ListableBeanFactory beans, ResourceLoader resources) {
    return new ImageSets(properties, beans, resources);
  }

  /** Sources that are text files. */
  private record TextFiles(BloomguardProperties properties) implements SourceBackend {

    @Override
    public String name() {
      return "file";
    }

    @Override
    public KeySource source(String filter, Map<String, String> settings) {
      Path path = Path.of(Objects.requireNonNull(properties.filter(filter).source().file()).path());
      if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
        throw new StartRefusedException(
            "Filter '%s' reads its keys from '%s', which is no readable file (seen from %s)"
                .formatted(filter, path, Path.of("").toAbsolutePath()),
            "Set bloomguard.filters.%s.source.file.path to a file with one key a line."
                .formatted(filter));
      }
      return new FileKeySource(path);
    }
  }

  /** Sources that are beans. */
  private record Beans(BloomguardProperties properties, ListableBeanFactory beans)
      implements SourceBackend {

    @Override
    public String name() {
      return "bean";
    }

    @Override
    public KeySource source(String filter, Map<String, String> settings) {
      String name = Objects.requireNonNull(properties.filter(filter).source().bean());
      if (!beans.containsBean(name) || !beans.isTypeMatch(name, KeySource.class)) {
        throw new StartRefusedException(
            ("Filter '%s' takes its keys from the bean '%s', which is no bean of type %s;"
                    + " available: %s")
                .formatted(
                    filter,
                    name,
                    KeySource.class.getName(),
                    Arrays.toString(beans.getBeanNamesForType(KeySource.class))),
            "Declare such a bean, or correct the name.");
      }
      // Late, because the bean may itself use what is guarded.
      SimpleBeanTargetSource late = new SimpleBeanTargetSource();
      late.setTargetBeanName(name);
      late.setTargetClass(KeySource.class);
      late.setBeanFactory(beans);
      return ProxyFactory.getProxy(KeySource.class, late);
    }
  }
}
