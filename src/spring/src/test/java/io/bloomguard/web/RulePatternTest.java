package io.bloomguard.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.internal.Outcome;
import jakarta.servlet.DispatcherType;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.http.server.PathContainer;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** What is told apart before a path is parsed, and which requests are judged at all. */
class RulePatternTest {

  private static final String[] PIECES = {
    "/", "/", "api", "api/", "a/", "a", "b", "A", "%61pi", ";v=1", "42", "x.json", "%2F", "é", "+",
    "//", "pi"
  };

  private final TestGuards guards = new TestGuards();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/{id}",
        "/api/a/{id}",
        "/api/{*id}",
        "/{id}/a",
        "/api/a{id}",
        "/api/?/{id}",
        "/api/*/{id}",
        "/**/{id}",
        "/a/{id}/**",
        "/{id}",
        "/api/{id:[0-9]+}"
      })
  void noPathThatMatchesIsLeftOut(String pattern) {
    SplittableRandom random = new SplittableRandom(pattern.hashCode());
    for (boolean caseSensitive : new boolean[] {true, false}) {
      PathPatternParser parser = new PathPatternParser();
      parser.setCaseSensitive(caseSensitive);
      RulePattern rule = RulePattern.of(pattern, parser);
      PathPattern spring = parser.parse(pattern);
      int matches = 0;
      for (int i = 0; i < 30_000; i++) {
        StringBuilder path = new StringBuilder("/");
        for (int pieces = random.nextInt(7); pieces > 0; pieces--) {
          path.append(PIECES[random.nextInt(PIECES.length)]);
        }
        if (spring.matches(PathContainer.parsePath(path.toString()))) {
          matches++;
          assertThat(rule.mayMatch("/shop/app" + path)).as(path.toString()).isTrue();
        }
      }
      assertThat(matches).isPositive();
    }
  }

  @Test
  void otherPathsAreLeftOut() {
    RulePattern rule = RulePattern.of("/api/products/{id}", new PathPatternParser());
    assertThat(rule.mayMatch("/static/main.css")).isFalse();
    assertThat(rule.mayMatch("/api/orders/42")).isFalse();
    assertThat(rule.mayMatch("/api/products/42")).isTrue();
  }

  @ParameterizedTest
  @EnumSource(DispatcherType.class)
  void onlyWhatAClientAsksForIsJudged(DispatcherType dispatch) throws Exception {
    BloomGuardFilter filter =
        new BloomGuardFilter(
            List.of(new WebRule("/api/{id}", "products", "id", KeyType.STRING)),
            guards,
            new PathPatternParser(),
            DefaultConversionService.getSharedInstance());
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/7");
    request.setDispatcherType(dispatch);
    MockHttpServletResponse response = new MockHttpServletResponse();
    MockFilterChain chain = new MockFilterChain();
    filter.doFilter(request, response, chain);

    boolean judged = dispatch == DispatcherType.REQUEST;
    assertThat(response.getStatus()).isEqualTo(judged ? 404 : 200);
    assertThat(chain.getRequest() == null).isEqualTo(judged);
    assertThat(guards.outcomes.count(Outcome.REJECTED)).isEqualTo(judged ? 1 : 0);
  }
}
