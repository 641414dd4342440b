package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.prepost.PostFilter;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

/** Answers that Spring Security filters for each caller, in place. */
class FilteredAnswersTest {

  static class Letters {
    @PostFilter("filterObject.startsWith(authentication.name)")
    @BloomGuarded(filter = "products", key = "#id", cache = "letters")
    public List<String> find(long id) {
      return new ArrayList<>(List.of("ann:1", "bob:2"));
    }
  }

  @PostFilter("filterObject.startsWith(authentication.name)")
  static class KeptLetters {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.VALUES)
    public List<String> find(long id) {
      return new ArrayList<>(List.of("ann:1"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableMethodSecurity
  static class Security {}

  private final TestGuards guards = new TestGuards();

  @AfterEach
  void logOut() {
    SecurityContextHolder.clearContext();
  }

  @Test
  void areNotShared() {
    guards.keys.add("1");
    try (var context = Guarding.context(guards, Security.class, Letters.class)) {
      Letters letters = context.getBean(Letters.class);
      logIn("ann");
      assertThat(letters.find(1)).containsExactly("ann:1");
      assertThat(letters.find(99)).isEmpty();
      logIn("bob");
      assertThat(letters.find(1)).containsExactly("bob:2");
    }
  }

  @Test
  void areRefusedAsValues() {
    assertThatThrownBy(() -> Guarding.context(guards, Security.class, KeptLetters.class))
        .hasMessageContaining("@PostFilter takes elements out of it for each caller");
  }

  private static void logIn(String name) {
    SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken(name, ""));
  }
}
