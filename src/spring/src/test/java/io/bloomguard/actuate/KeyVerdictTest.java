package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.guard.ExactSource;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What explain says that the guard makes of a key. */
class KeyVerdictTest {

  private static final ExactSource EXACT =
      new ExactSource() {
        @Override
        public void ask(List<String> keys, Answers answers) {
          throw new AssertionError("explain asks no source");
        }

        @Override
        public Duration timeout() {
          return Duration.ofSeconds(1);
        }
      };

  private static OperatedFilter filter(
      UnknownPolicy policy, Reject reject, @Nullable ExactSource confirm) {
    OperatedFilter known =
        new TestFilters().with("products", policy, null).operated().find("products").orElseThrow();
    GuardedFilter guarded = known.guarded();
    return new OperatedFilter(
        known.filter(),
        new GuardedFilter(
            guarded.name(),
            guarded.store(),
            policy,
            guarded.counters(),
            guarded.listener(),
            guarded.deniedKeys(),
            guarded.journalRetention(),
            guarded.verification(),
            guarded.folding(),
            new Rejection(reject, confirm),
            null),
        known.cache());
  }

  private static String verdict(OperatedFilter filter, Membership membership) {
    return KeyVerdict.of(filter, membership);
  }

  @Test
  void aFilterRejectsWhatItLacks() {
    OperatedFilter filter = filter(UnknownPolicy.OPEN, Reject.ABSENT, null);

    assertThat(verdict(filter, Membership.ABSENT)).isEqualTo("the filter rejects it");
    assertThat(verdict(filter, Membership.POSSIBLY_PRESENT)).isEqualTo("the filter lets it pass");
    assertThat(verdict(filter, Membership.UNKNOWN)).contains("passes unchecked");
  }

  @Test
  void aBlacklistRejectsWhatItHolds() {
    OperatedFilter filter = filter(UnknownPolicy.CLOSED, Reject.PRESENT, null);

    assertThat(verdict(filter, Membership.ABSENT)).contains("does not hold it, so it passes");
    assertThat(verdict(filter, Membership.POSSIBLY_PRESENT)).isEqualTo("the filter rejects it");
    assertThat(verdict(filter, Membership.UNKNOWN)).contains("503");
    assertThat(
            verdict(
                filter(UnknownPolicy.CLOSED, Reject.PRESENT, EXACT), Membership.POSSIBLY_PRESENT))
        .isEqualTo("it is rejected if the exact source of confirm lists it");
  }

  @Test
  void aFilterThatObservesRejectsNothing() {
    OperatedFilter filter = filter(UnknownPolicy.CLOSED, Reject.PRESENT, null);
    filter.filter().store().enforcement().mode(FilterMode.OBSERVE);

    assertThat(verdict(filter, Membership.POSSIBLY_PRESENT)).contains("rejects nothing now");
    assertThat(verdict(filter, Membership.UNKNOWN)).contains("passes unchecked");
  }
}
