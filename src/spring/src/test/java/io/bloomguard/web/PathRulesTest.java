package io.bloomguard.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.web.internal.Problem;
import io.bloomguard.web.internal.Refusal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.format.support.DefaultFormattingConversionService;

/** Decisions by method and path: the strictest reading of a path decides. */
class PathRulesTest {

  private final TestGuards guards = new TestGuards(Transactions.NONE, UnknownPolicy.CLOSED);

  private static PathRules rules(TestGuards guards, WebRule... rules) {
    return new PathRules(List.of(rules), guards, new DefaultFormattingConversionService());
  }

  private @Nullable Problem problem(String path) {
    Refusal refusal =
        rules(
                guards,
                new WebRule("/api/products/{id}", "products", "id", KeyType.LONG),
                new WebRule("/api/names/{name}", "products", "name", null),
                new WebRule("/open/{*rest}", "orders", "rest", null))
            .refusal("GET", path);
    return refusal == null ? null : refusal.problem();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/products/43",
        "/api/products/043",
        "/api/products/%34%33",
        "/%61pi/products/43",
        "/api/products/43/",
        "/api/products/43//",
        "/api/products//43",
        "//api/products/43",
        "/api//products/43",
        "/api/./products/43",
        "/./api/products/43",
        "/api/x/../products/43",
        "/../api/products/43",
        "/api/x/%2e%2E/products/43",
        "/api/x/.%2e/products/43",
        "/api/products/43/.",
        "/api/products/43/x/..",
        "/api/products/43%2F",
        "/api/products%2f43",
        "/api%2Fproducts%5C43",
        "/api\\products\\43",
        "/api/x/..%2Fproducts/43",
        "/api/products/43;x=1",
        "/api/products;a=b/43",
        "/api/..;x/api/products/43",
        "/api/names/a;b=c",
        "/api/names/a%2Fb",
        "/api/names/\u00e9",
        "/api/names/a b"
      })
  void aPathThatMayNameAnAbsentKeyIsRefused(String path) {
    guards.keys.addAll(List.of("42", "a"));
    assertThat(problem(path)).isEqualTo(Problem.ABSENT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/products/42",
        "/api/products/0x2a",
        "/api/products/42/",
        "/api//products/./42",
        "/api/x/../products/42",
        "/api%2Fproducts/42",
        "/api/products/42;x=1",
        "/api/products/word",
        "/api/names/a",
        "/api/names/a/",
        "/api/names/%C3%A9",
        "/api/names/\u00c3\u00a9",
        "/",
        "//",
        "/files//a%2Fb;x/../c",
        "/api/products/43/reviews",
        "/API/products/43",
        "/api/products/%2534%2533"
      })
  void otherPathsPass(String path) {
    guards.keys.addAll(List.of("42", "a", "\u00e9"));
    assertThat(problem(path)).isNull();
  }

  @Test
  void otherMethodsPass() {
    PathRules rules = rules(guards, new WebRule("/{id}", "products", "id", null));
    assertThat(rules.refusal("POST", "/7")).isNull();
    assertThat(rules.refusal("HEAD", "/7")).isNotNull();
  }

  @ParameterizedTest
  @CsvSource({"/api/names/a%0Ab", "/api/names/%zz", "/api/names/%4"})
  void aKeyOrPathThatIsNotWellFormedIsInvalid(String path) {
    assertThat(problem(path)).isEqualTo(Problem.INVALID);
  }

  @Test
  void aDecisionHoldsNoPlace() {
    guards.doubtful = true;
    assertThat(problem("/api/names/a")).isEqualTo(Problem.SHED);
    TestGuards open = new TestGuards();
    open.doubtful = true;
    PathRules rules = rules(open, new WebRule("/{id}", "products", "id", null));
    for (int i = 0; i < 20; i++) {
      assertThat(rules.refusal("GET", "/7")).isNull();
    }
    assertThat(open.outcomes.count(EntryPoint.WEB, Outcome.BYPASSED)).isEqualTo(20);
  }

  @Test
  void verificationIsRefused() {
    assertThatExceptionOfType(InvalidWebRuleException.class)
        .isThrownBy(
            () ->
                rules(
                    guards,
                    new WebRule("/{id}", "products", "id", KeyType.LONG, Set.of("GET"), true)))
        .withMessageContaining("verify: true")
        .withMessageContaining("/found");
  }

  @Test
  void aBlacklistTellsAsWhatItsKeysAreTaken() {
    TestGuards blacklist =
        new TestGuards(
            Transactions.NONE, UnknownPolicy.CLOSED, new Rejection(Reject.PRESENT, null));
    assertThatExceptionOfType(InvalidWebRuleException.class)
        .isThrownBy(() -> rules(blacklist, new WebRule("/{id}", "products", "id", null)))
        .withMessageContaining("Set type");
    blacklist.keys.add("7");
    PathRules rules = rules(blacklist, new WebRule("/t/{id}", "products", "id", KeyType.LONG));
    for (String path : List.of("/t/7", "/t/07", "/t/7/", "//t/+7", "/x/../t/%37;a=b")) {
      assertThat(rules.refusal("DELETE", path)).as(path).isNotNull();
    }
    assertThat(rules.refusal("DELETE", "/t/8")).isNull();
  }
}
