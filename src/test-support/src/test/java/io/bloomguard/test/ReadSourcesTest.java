package io.bloomguard.test;

import static io.bloomguard.test.BloomguardAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;

/** A test whose filters know the rows that are there as its context starts. */
@SpringBootTest(
    classes = ReadSourcesTest.Application.class,
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "bloomguard.filters.items.backend=redis",
      "bloomguard.filters.items.source.bean=rows",
      "bloomguard.filters.items.source.changes.from=kafka",
      "bloomguard.filters.items.verify.first=1000",
      "bloomguard.filters.none.source.bean=noRows",
      "bloomguard.filters.added.source.added-only=true",
      "bloomguard.filters.sourceless.expected-insertions=1000"
    })
@AutoConfigureBloomguard(readSources = true)
class ReadSourcesTest {

  @Autowired private BloomGuards guards;

  @Test
  void eachFilterKnowsTheRowsOfItsSource() {
    assertThat(guards).has("items", 1, 2).rejects("items", 3);
    assertThat(guards.guard("items").get(3, () -> "loaded")).isNull();
    guards.guard("items").put(3);
    assertThat(guards).has("items", 3);
  }

  @Test
  void filtersWithoutKeysRejectAsWithoutTheAttribute() {
    assertThat(guards).rejects("none", 1).rejects("added", 1).rejects("sourceless", 1);
  }

  @Nested
  class WithinAnother {

    @Test
    void theAttributeIsThatOfTheEnclosingClass() {
      assertThat(guards).has("items", 1);
    }
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  static class Application {

    @Bean
    KeySource rows() {
      return keys -> {
        keys.accept(1);
        keys.accept(2);
      };
    }

    @Bean
    KeySource noRows() {
      return keys -> {};
    }
  }
}
