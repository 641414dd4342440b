package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.decision.AsciiTrust;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an operator learns of a key while its value cache is down. */
class ExplainedKeyTest {

  @Test
  void aKeyThatTheGuardTakesForUnknownIsNotSaidToBeAbsent() {
    OperatedFilter known =
        new TestFilters()
            .with("users", UnknownPolicy.OPEN, null)
            .operated()
            .find("users")
            .orElseThrow();
    assertThat(ExplainedKey.of(known, "ádmin").get("membership")).isEqualTo(Membership.ABSENT);
    known.guarded().verification().doubting(List.of(AsciiTrust.TRUSTED));

    EndpointAnswer answer = ExplainedKey.of(known, "ádmin");

    assertThat(answer.get("membership")).isEqualTo(Membership.UNKNOWN);
    assertThat((String) answer.get("reason")).contains("trust-collation").doesNotContain("dmin");
    assertThat(ExplainedKey.of(known, "admin").get("membership")).isEqualTo(Membership.ABSENT);
  }

  @Test
  void cacheThatDoesNotAnswerLeavesItsPartUnsaid() {
    OperatedFilter known =
        new TestFilters()
            .with("products", UnknownPolicy.OPEN, null)
            .operated()
            .find("products")
            .orElseThrow();
    ValueCache down =
        (ValueCache)
            Proxy.newProxyInstance(
                ValueCache.class.getClassLoader(),
                new Class<?>[] {ValueCache.class},
                (proxy, method, arguments) -> {
                  throw new CacheUnavailableException("down", null);
                });

    EndpointAnswer answer =
        ExplainedKey.of(new OperatedFilter(known.filter(), known.guarded(), () -> down), "42");

    assertThat(answer).doesNotContainKeys("cached", "nullEntry");
    assertThat(answer.get("membership")).isEqualTo(Membership.ABSENT);
    assertThat(ExplainedKey.of(known, "42").get("cached")).isEqualTo(false);
  }
}
