package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.guard.StartRefusedException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Annotated beans in a context that has no guards are not silently inert. */
@ExtendWith(OutputCaptureExtension.class)
class UnguardedContextsTest {

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    BloomguardAutoConfiguration.class,
    BloomguardOffAutoConfiguration.class
  })
  static class Guarded {}

  interface Lookups {

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    @Nullable String find(long id);

    @BloomPut(filter = "products", key = "#id")
    void insert(long id);
  }

  static class Products implements Lookups {

    @Override
    public @Nullable String find(long id) {
      return null;
    }

    @Override
    public void insert(long id) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class Shop {

    @Bean
    Lookups products() {
      return new Products();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Plain {

    @Bean
    Object other() {
      return new Object();
    }
  }

  @Test
  void childWithoutAutoConfigurationDoesNotStart() {
    assertRefused(parent -> child(parent, Shop.class));
  }

  @Test
  void childThatIsMadeByHandDoesNotStart() {
    assertRefused(
        parent -> {
          AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
          child.setParent(parent);
          child.register(Shop.class);
          child.refresh();
          return child;
        });
  }

  private static void assertRefused(
      Function<ConfigurableApplicationContext, ConfigurableApplicationContext> start) {
    try (ConfigurableApplicationContext parent = run(Guarded.class)) {
      assertThatThrownBy(() -> start.apply(parent).close())
          .isInstanceOf(StartRefusedException.class)
          .hasMessageContainingAll(
              "Products.",
              "is inert",
              "'products'",
              "has no auto-configuration of Bloomguard",
              "@EnableAutoConfiguration");
    }
  }

  private static ConfigurableApplicationContext child(
      ConfigurableApplicationContext parent, Class<?>... configurations) {
    return builder(configurations).parent(parent).run();
  }

  @Test
  void childWithAutoConfigurationAndOneWithoutAnnotationsStart(CapturedOutput output) {
    try (ConfigurableApplicationContext parent = run(Guarded.class);
        ConfigurableApplicationContext guarded = child(parent, Guarded.class, Shop.class);
        ConfigurableApplicationContext plain = child(parent, Plain.class)) {
      assertThat(guarded.isActive() && plain.isActive()).isTrue();
    }
    assertThat(output).doesNotContain("Nothing guards", "is inert");
  }

  @Test
  void contextWithoutGuardsIsToldOfOnce(CapturedOutput output) {
    try (ConfigurableApplicationContext parent = run(Plain.class);
        ConfigurableApplicationContext child = child(parent, Shop.class)) {
      assertThat(child.getBean(Lookups.class).find(7)).isNull();
    }
    assertThat(output.getOut().split("Nothing guards", -1)).hasSize(2);
    assertThat(output).containsPattern("Nothing guards @Bloom.* on .*Products.* and 1 more");
  }

  @Test
  void whatIsSwitchedOffIsToldOnceAndOnlyThat(CapturedOutput output) {
    run(Guarded.class, "--bloomguard.enabled=false").close();
    run(Shop.class, "--bloomguard.enabled=false").close();
    assertThat(output.getOut().split("bloomguard.enabled is false", -1)).hasSize(2);
    assertThat(output).doesNotContain("Nothing guards");
  }

  private static ConfigurableApplicationContext run(Class<?> configuration, String... more) {
    return builder(configuration).run(more);
  }

  private static SpringApplicationBuilder builder(Class<?>... configurations) {
    return new SpringApplicationBuilder(configurations)
        .web(WebApplicationType.NONE)
        .properties(
            "spring.config.location=optional:classpath:/none/",
            "bloomguard.filters.products.expected-insertions=1000",
            "bloomguard.filters.products.source.added-only=true");
  }
}
