package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The starter keeps no bean of the application from its post-processors. */
@ExtendWith(OutputCaptureExtension.class)
class QuietStartTest {

  @Test
  void springWarnsAboutNoBean(CapturedOutput output) {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                AopAutoConfiguration.class,
                BloomguardAutoConfiguration.class,
                BloomguardActuatorAutoConfiguration.class))
        .withPropertyValues(
            "bloomguard.filters.products.source.added-only=true",
            "bloomguard.filters.products.expected-insertions=1000")
        .withUserConfiguration(Shop.class)
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Products.class));
    assertThat(output).doesNotContain("is not eligible for getting processed");
  }

  @Configuration(proxyBeanMethods = false)
  static class Shop {

    @Bean
    Products products() {
      return new Products();
    }
  }

  static class Products {

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public @Nullable String byId(long id) {
      return "product " + id;
    }
  }
}
