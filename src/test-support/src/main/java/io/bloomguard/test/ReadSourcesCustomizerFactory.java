package io.bloomguard.test;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Tells the context of a test of {@link AutoConfigureBloomguard#readSources}. */
final class ReadSourcesCustomizerFactory implements ContextCustomizerFactory {

  @Override
  public @Nullable ContextCustomizer createContextCustomizer(
      Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
    AutoConfigureBloomguard found =
        TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureBloomguard.class);
    return found != null && found.readSources() ? new ReadSources() : null;
  }

  /** Equal to every other one, so that tests share a context. */
  private record ReadSources() implements ContextCustomizer {

    @Override
    public void customizeContext(
        ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
      context
          .getEnvironment()
          .getPropertySources()
          .addFirst(
              new MapPropertySource(
                  InMemoryFilters.READ_SOURCES, Map.of(InMemoryFilters.READ_SOURCES, true)));
    }
  }
}
