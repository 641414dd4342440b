package io.bloomguard.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.web.internal.Problem;
import io.bloomguard.web.internal.RuleRefusal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.format.support.DefaultFormattingConversionService;

/** Decisions by method and path: a path is judged as it came, and made plain. */
class PathRulesTest {

  /** How many absent keys in doubt pass. */
  private static final int BOUND = 100;

  /** One path in the spellings that proxies and programs read in different ways. */
  private static final List<String> SPELLINGS =
      List.of(
          "/api/tokens/KEY",
          "/api/tokens/KEY/",
          "//api/tokens/KEY",
          "/api//tokens/KEY",
          "/api/./tokens/KEY",
          "/api/x/../tokens/KEY",
          "/api/%74okens/KEY",
          "/api/tokens/%4BEY",
          "/api/x/%2e%2e/tokens/KEY",
          "/api/x/..%2Ftokens/KEY",
          "/api%2Ftokens/KEY",
          "/api/tokens%2FKEY",
          "/api;x/tokens/KEY;y",
          "/api/tokens/KEY;x",
          "/api/tokens/./KEY",
          "/api/tokens//KEY",
          "/api%5Ctokens/KEY",
          "/api\\tokens\\KEY",
          "/api/tokens/KEY#x",
          "/api/tokens/KEY/x/..",
          "/x/..;a=b/api/tokens/KEY");

  /** Paths that programs read as one of the rule, though neither reading is. */
  private static final List<String> OTHERS =
      List.of(
          "/api//../tokens/KEY",
          "/api/tokens/KEY//..",
          "/api/;x/../tokens/KEY",
          "/api;%2F..%2F/tokens/KEY",
          "/api/tokens;%2Fx/KEY",
          "/api/tokens/KEY;%2F..%2FKNOWN",
          "/api/tokens/%2e%2e/../KEY",
          "/api/tokens/..;x/../KEY",
          "/x#/../api/tokens/KEY",
          "/;#/api/tokens/KEY",
          "/api/tokens/KNOWN#/../KEY",
          "/;/api/tokens/KEY//..#",
          "////api/tokens/KEY/;/..#",
          "/api/tokens/KNOWN#%2F..%2FKEY",
          "/%61pi%2F/../%74okens/KEY");

  private static final WebRule TOKENS =
      new WebRule("/api/tokens/{id}", "products", "id", KeyType.STRING);

  private final TestGuards guards = guards(Reject.ABSENT, UnknownPolicy.OPEN, 0);

  private static TestGuards guards(Reject reject, UnknownPolicy policy, int passing) {
    return new TestGuards(Transactions.NONE, policy, new Rejection(reject, null), passing);
  }

  private static PathRules rules(TestGuards guards, WebRule... rules) {
    return new PathRules(List.of(rules), guards, new DefaultFormattingConversionService());
  }

  private @Nullable Problem problem(String path) {
    return problem(
        rules(
            guards,
            new WebRule("/api/products/{id}", "products", "id", KeyType.LONG),
            new WebRule("/api/names/{name}", "products", "name", null),
            new WebRule("/open/{*rest}", "orders", "rest", null),
            new WebRule("/slash/{id}/", "products", "id", null)),
        path);
  }

  private static @Nullable Problem problem(PathRules rules, String path) {
    RuleRefusal refusal = rules.refusal("GET", path);
    return refusal == null ? null : refusal.problem();
  }

  /** Also in doubt: here no key in doubt passes. */
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
        "/api/products/43#/../42",
        "/api/names/a%2Fb",
        "/api/names/..",
        "/api/names/%zz",
        "/api/names/%4",
        "/api/names/\u00e9",
        "/api/names/a b",
        "/slash/43/",
        "/slash/43"
      })
  void aPathThatNamesAnAbsentKeyIsRefused(String path) {
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
        "/api/names/a;b=c",
        "/api/names/c%2Fd",
        "/api/names/%C3%A9",
        "/api/names/\u00c3\u00a9",
        "/slash/42/",
        "/slash/42",
        "/",
        "//",
        "",
        "/..",
        "/#",
        "/files//a%2Fb;x/../c",
        "/api/products/43/reviews",
        "/API/products/43",
        "/api/products/%2534%2533"
      })
  void otherPathsPass(String path) {
    guards.keys.addAll(List.of("42", "a", "\u00e9", "c/d"));
    assertThat(problem(path)).isNull();
  }

  /** Beyond the rate of verifications none passes; without doubt none at all. */
  @ParameterizedTest
  @FieldSource("SPELLINGS")
  void noMoreAbsentKeysThanTheBoundPass(String spelling) {
    PathRules rules = rules(guards(Reject.ABSENT, UnknownPolicy.OPEN, BOUND), TOKENS);
    boolean doubtful = spelling.matches(".*(%2e|%2F|%5C|\\\\).*");
    int passed = 0;
    for (int i = 0; i < 10_000; i++) {
      Problem problem = problem(rules, spelling.replace("KEY", "k" + i));
      assertThat(problem).isIn(null, Problem.ABSENT);
      passed += problem == null ? 1 : 0;
    }
    assertThat(passed).isEqualTo(doubtful ? BOUND : 0);
  }

  @ParameterizedTest
  @FieldSource("OTHERS")
  void noMoreAbsentKeysThanTheBoundPassInAThirdReading(String spelling) {
    TestGuards few = guards(Reject.ABSENT, UnknownPolicy.OPEN, BOUND);
    few.keys.add("KNOWN");
    PathRules rules = rules(few, TOKENS);
    int passed = 0;
    for (int i = 0; i < 1_000; i++) {
      Problem problem = problem(rules, spelling.replace("KEY", "k" + i));
      assertThat(problem).isIn(null, Problem.ABSENT);
      passed += problem == null ? 1 : 0;
    }
    assertThat(passed).isEqualTo(BOUND);
    assertThat(problem(rules, spelling.replace("okens", "ests"))).isNull();
  }

  @ParameterizedTest
  @FieldSource("OTHERS")
  void noListedKeyPassesInAThirdReading(String spelling) {
    TestGuards listed = guards(Reject.PRESENT, UnknownPolicy.CLOSED, BOUND);
    PathRules rules = rules(listed, TOKENS);
    listed.keys.add("KEY");
    assertThat(problem(rules, spelling)).isEqualTo(Problem.REJECTED);
    TestGuards closed = guards(Reject.ABSENT, UnknownPolicy.CLOSED, BOUND);
    assertThat(problem(rules(closed, TOKENS), spelling)).isEqualTo(Problem.SHED);
  }

  @ParameterizedTest
  @FieldSource("SPELLINGS")
  void noSpellingOfAListedKeyPasses(String spelling) {
    TestGuards listed = guards(Reject.PRESENT, UnknownPolicy.CLOSED, BOUND);
    PathRules rules = rules(listed, TOKENS);
    listed.keys.add("KEY");
    assertThat(problem(rules, spelling)).isEqualTo(Problem.REJECTED);
    listed.doubtful = true;
    assertThat(problem(rules, spelling)).isIn(Problem.SHED, Problem.REJECTED);
  }

  /** What may be read as a path of the rule is refused, and nothing else. */
  @ParameterizedTest
  @CsvSource({
    "/api/tokens/a%5Cb, REJECTED",
    "/api%2Ftokens/a%5Cb, REJECTED",
    "/api/tokens/a%2Fb%2Fc, REJECTED",
    "/api/tokens/other%2e, REJECTED",
    "/api/tokens/other%, REJECTED",
    "/api/tokens/%e4, REJECTED",
    "/x%2F../api/tokens, REJECTED",
    "/api/tokens/4;3, REJECTED",
    "/api/tokens/5;3, REJECTED",
    "/api/tokens/other, ",
    "/api/tokens/other/, ",
    "//api/tokens//other;x, ",
    "/api/tokens/%6fther, ",
    "/api/tokens/.., ",
    "/api/tokensx%2Fother, ",
    "/api/orders%2Fother%5C%e4, ",
    "/files//a/, "
  })
  void aBlacklistRefusesWhatIsInDoubt(String path, @Nullable Problem problem) {
    TestGuards listed = guards(Reject.PRESENT, UnknownPolicy.OPEN, BOUND);
    listed.keys.addAll(List.of("4;3", "5"));
    assertThat(problem(rules(listed, TOKENS), path)).isEqualTo(problem);
  }

  /** As it came the path is under one rule, and plain under the other. */
  @Test
  void aPathThatHitsDifferentRulesIsInDoubt() {
    WebRule all = new WebRule("/x/{*rest}", "orders", "rest", KeyType.STRING);
    TestGuards listed = guards(Reject.PRESENT, UnknownPolicy.OPEN, BOUND);
    assertThat(problem(rules(listed, TOKENS), "/x/../api/tokens/other")).isNull();
    assertThat(problem(rules(listed, all, TOKENS), "/x/../api/tokens/other"))
        .isEqualTo(Problem.REJECTED);
    TestGuards open = guards(Reject.ABSENT, UnknownPolicy.OPEN, BOUND);
    open.keys.add("/../api/tokens/other");
    assertThat(problem(rules(open, TOKENS), "/x/../api/tokens/other")).isEqualTo(Problem.ABSENT);
    assertThat(problem(rules(open, all, TOKENS), "/x/../api/tokens/other")).isNull();
  }

  @Test
  void aClosedFilterRefusesWhatIsInDoubt() {
    TestGuards closed = guards(Reject.ABSENT, UnknownPolicy.CLOSED, BOUND);
    closed.keys.add("42");
    PathRules rules = rules(closed, TOKENS);
    assertThat(problem(rules, "/api/tokens%2F42")).isEqualTo(Problem.SHED);
    assertThat(problem(rules, "/api/other%2F42")).isNull();
    assertThat(problem(rules, "//api/tokens/42/")).isNull();
    assertThat(problem(rules, "//api/tokens/43/")).isEqualTo(Problem.ABSENT);
  }

  /** A pass that is not linear would take minutes. */
  @Timeout(60)
  @ParameterizedTest
  @ValueSource(
      strings = {"/.", "/..", "//", "/a", ";", "/;", "%2f", "%2e%2f", "/%2e;", "\u00e4", "/a;b=c"})
  void aLongPathIsReadInOnePass(String part) {
    String path = "/api/names/" + part.repeat(1_000_000 / part.length());
    assertThat(problem(path)).isIn(null, Problem.ABSENT, Problem.INVALID);
  }

  @Test
  void otherMethodsPass() {
    PathRules rules = rules(guards, new WebRule("/{id}", "products", "id", null));
    assertThat(rules.refusal("POST", "/7")).isNull();
    assertThat(rules.refusal("HEAD", "/7")).isNotNull();
    assertThat(rules.refusal("get", "/7")).isNotNull();
  }

  @Test
  void aKeyWithControlCharactersIsInvalid() {
    assertThat(problem("/api/names/a%0Ab")).isEqualTo(Problem.INVALID);
  }

  @Test
  void aDecisionHoldsNoPlace() {
    TestGuards closed = guards(Reject.ABSENT, UnknownPolicy.CLOSED, 0);
    closed.doubtful = true;
    assertThat(problem(rules(closed, TOKENS), "/api/tokens/a")).isEqualTo(Problem.SHED);
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
    assertThatExceptionOfType(StartRefusedException.class)
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
    TestGuards blacklist = guards(Reject.PRESENT, UnknownPolicy.CLOSED, 0);
    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(() -> rules(blacklist, new WebRule("/{id}", "products", "id", null)))
        .withMessageContaining("Set type");
    blacklist.keys.add("7");
    PathRules rules = rules(blacklist, new WebRule("/t/{id}", "products", "id", KeyType.LONG));
    for (String path : List.of("/t/7", "/t/07", "/t/7/", "//t/+7", "/x/../t/%37;a=b")) {
      assertThat(rules.refusal("DELETE", path)).as(path).isNotNull();
    }
    assertThat(rules.refusal("DELETE", "/t/8")).isNull();
  }

  /** Another program may read 7 or 6 in each, or the UUID of the other rule. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/t/7%20N",
        "/t/7%201",
        "/t/%207",
        "/t/007",
        "/t/7.0",
        "/t/7e0",
        "/t/7L",
        "/t/0x6",
        "/t/%EF%BC%96",
        "/t/6%00",
        "/t/6,7",
        "//t/x/../7_;a=b/",
        "/t/;7",
        "/t/#7",
        "/t/18446744073709551623",
        "/u/5-1-2-3-4",
        "/u/%7B00000005-0001-0002-0003-000000000004%7D",
        "/u/00000005000100020003000000000004"
      })
  void aKeyThatIsNotWrittenAsItsTypeIsReachesNoBlacklistOrClosedFilter(String path) {
    for (Reject reject : Reject.values()) {
      TestGuards filters = guards(reject, UnknownPolicy.CLOSED, BOUND);
      filters.keys.addAll(reject == Reject.PRESENT ? List.of("7") : List.of("6", "8", "71"));
      PathRules rules =
          rules(
              filters,
              new WebRule("/t/{id}", "products", "id", KeyType.LONG),
              new WebRule("/u/{id}", "products", "id", KeyType.UUID));
      assertThat(problem(rules, path))
          .isEqualTo(reject == Reject.PRESENT ? Problem.REJECTED : Problem.SHED);
      assertThat(problem(rules, "/u/0000000A-0001-0002-0003-000000000004"))
          .isEqualTo(reject == Reject.PRESENT ? null : Problem.ABSENT);
      assertThat(problem(rules, "/t/8;a=b/")).isNull();
    }
  }
}
