package io.bloomguard.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.StartRefusedException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.web.util.pattern.PathPatternParser;

/** A rule that could never apply as meant stops the start and says what would. */
class WebRuleTest {

  static List<Arguments> refusals() {
    return List.of(
        refusal(
            "/a/{id}", "prodcts", "id", "GET", "'prodcts', which is not configured", "products"),
        refusal("/a/{id", "products", "id", "GET", "cannot be parsed", "@GetMapping"),
        refusal("/a/{id}/{x}", "products", "key", "GET", "'key', which is no variable", "[id, x]"),
        refusal("/a/b", "products", "key", "GET", "'key', which is no variable", "{key}"),
        refusal("/a/{id}", "products", "id", "get", "unknown methods [get]", "capital"));
  }

  private static Arguments refusal(
      String pattern, String filter, String key, String method, String problem, String action) {
    return Arguments.of(
        new WebRule(pattern, filter, key, KeyType.STRING, Set.of(method), false), problem, action);
  }

  @Test
  void writesVerifyNothing() {
    WebRule rule = new WebRule("/a/{id}", "products", "id", KeyType.STRING, Set.of("POST"), true);
    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(() -> filter(rule))
        .withMessageContaining("verify: true for the methods [POST]");
  }

  @ParameterizedTest
  @CsvSource({"false, 203, 404", "true, 404, 404", "true, 100, 404", "true, 200, 600"})
  void statusesTellWhetherAKeyExists(boolean verify, int found, int absent) {
    WebRule rule =
        new WebRule(
            "/a/{id}",
            "products",
            "id",
            KeyType.STRING,
            Set.of("GET"),
            verify,
            Set.of(found),
            Set.of(absent));
    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(() -> filter(rule))
        .withMessageContaining(verify ? "found: [" + found + "]" : "Set verify: true");
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void ruleIsRefused(WebRule rule, String problem, String action) {
    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(() -> filter(rule))
        .satisfies(e -> assertThat(e.action()).contains(action))
        .withMessageContaining(problem);
  }

  private static BloomGuardFilter filter(WebRule rule) {
    return new BloomGuardFilter(
        List.of(rule),
        new TestGuards(),
        new PathPatternParser(),
        DefaultConversionService.getSharedInstance());
  }
}
