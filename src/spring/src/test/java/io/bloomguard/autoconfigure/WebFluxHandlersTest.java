package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.KeySource;
import io.bloomguard.web.BloomGuardWebFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import reactor.core.publisher.Mono;

/** Handlers of WebFlux that a blacklist's rule would not cover stop the start, as in Spring MVC. */
class WebFluxHandlersTest {

  record Form(Long id) {}

  @RestController
  static class Handlers {

    @GetMapping({"/a/{id}", "/a/{id}/"})
    Mono<String> slash(@PathVariable String id) {
      return Mono.just(id);
    }

    @GetMapping("/b/{id}")
    Mono<String> form(@PathVariable String id, Mono<Form> form) {
      return form.map(Form::toString);
    }

    @GetMapping("/c/{id}")
    Mono<String> number(@PathVariable int id) {
      return Mono.just("" + id);
    }
  }

  private static ReactiveWebApplicationContextRunner blacklist(String pattern) {
    return new ReactiveWebApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                BloomguardAutoConfiguration.class,
                BloomguardWebFluxAutoConfiguration.class,
                WebFluxAutoConfiguration.class))
        .withUserConfiguration(Handlers.class)
        .withBean("source", KeySource.class, () -> sink -> sink.accept(7L))
        .withPropertyValues(
            "bloomguard.filters.keys.source.bean=source",
            "bloomguard.filters.keys.reject=present",
            "bloomguard.filters.keys.on-unknown=closed",
            "bloomguard.web.rules[0].pattern=" + pattern,
            "bloomguard.web.rules[0].filter=keys",
            "bloomguard.web.rules[0].key=id");
  }

  @ParameterizedTest
  @CsvSource({
    "/a/{id}, also serves /a/{id}/",
    "/b/{id}, cannot tell as what its handler takes the key",
    "/d/{id}, cannot tell as what its handler takes the key"
  })
  void aBlacklistThatCouldBeSpelledAroundDoesNotStart(String pattern, String problem) {
    assertThat(Wiring.failure(blacklist(pattern)).getDescription()).contains(pattern, problem);
  }

  @Test
  void aBlacklistReadsItsKeysAsTheHandlerDoes() {
    blacklist("/c/{id}")
        .run(context -> assertThat(context).hasSingleBean(BloomGuardWebFilter.class));
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnMapping {

    @Bean
    RequestMappingHandlerMapping own() {
      RequestMappingHandlerMapping mapping = new RequestMappingHandlerMapping();
      mapping.setUseCaseSensitiveMatch(false);
      return mapping;
    }
  }

  @Test
  void aMappingThatTakesOtherPathsThanTheRulesIsRefused() {
    assertThat(
            Wiring.failure(blacklist("/c/{id}").withUserConfiguration(OwnMapping.class))
                .getDescription())
        .contains("RequestMappingHandlerMapping", "PathPatternParser");
  }
}
