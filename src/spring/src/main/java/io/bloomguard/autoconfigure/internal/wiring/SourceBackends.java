package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.SourceBackend;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.source.internal.ComparedColumn;
import io.bloomguard.source.internal.FileKeySource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
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
    return new Kind("jdbc", new JdbcSources(properties, beans)::source);
  }

  @Bean
  SourceBackend bloomguardR2dbcSources(BloomguardProperties properties, ListableBeanFactory beans) {
    return new Kind("r2dbc", new R2dbcSources(properties, beans)::source);
  }

  @Bean
  SourceBackend bloomguardFileSources(BloomguardProperties properties) {
    return new Kind("file", filter -> file(filter, properties.filter(filter)));
  }

  @Bean
  SourceBackend bloomguardBeanSources(BloomguardProperties properties, ListableBeanFactory beans) {
    return new Kind("bean", filter -> bean(filter, properties.filter(filter), beans));
  }

  @Bean
  SourceBackend bloomguardImageSets(
      BloomguardProperties properties, ListableBeanFactory beans, ResourceLoader resources) {
    return new Kind("images", new ImageSets(properties, beans, resources)::source);
  }

  /** The comparison that the column of a filter's keys must have. */
  static ComparedColumn column(BloomguardProperties properties, String filter, String kind) {
    FilterProperties of = properties.filter(filter);
    return new ComparedColumn(
        "bloomguard.filters." + filter,
        kind,
        properties.folding(of),
        of.source().trustsCollation(),
        properties.scopeColumn(filter) != null);
  }

  /**
   * One of these kinds.
   *
   * @param source makes that of a filter by the filter's properties
   */
  private record Kind(String name, Function<String, KeySource> source) implements SourceBackend {
    @Override
    public KeySource source(String filter, Map<String, String> settings) {
      return source.apply(filter);
    }
  }

  private static KeySource file(String filter, FilterProperties of) {
    Path path = Path.of(Objects.requireNonNull(of.source().file()).path());
    if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
      throw new StartRefusedException(
          "Filter '%s' reads its keys from '%s', which is no readable file (seen from %s)"
              .formatted(filter, path, Path.of("").toAbsolutePath()),
          "Set bloomguard.filters.%s.source.file.path to a file with one key a line."
              .formatted(filter));
    }
    return new FileKeySource(path);
  }

  private static KeySource bean(String filter, FilterProperties of, ListableBeanFactory beans) {
    String name = Objects.requireNonNull(of.source().bean());
    if (!beans.containsBean(name) || !beans.isTypeMatch(name, KeySource.class)) {
      throw ChosenBean.unknown(
          beans,
          "bloomguard.filters." + filter + ".source.bean",
          name,
          KeySource.class,
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
