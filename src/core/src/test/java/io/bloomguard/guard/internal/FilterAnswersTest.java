package io.bloomguard.guard.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.internal.decision.AsciiTrust;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilterAnswersTest {

  /** Has one key, beyond ASCII. */
  private static final MembershipStore STORE =
      new MembershipStore() {
        @Override
        public Membership check(String key) {
          return key.equals("jürgen") ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
        }

        @Override
        public boolean[] addEach(List<String> keys) {
          return new boolean[keys.size()];
        }
      };

  private final FilterAnswers trusted = new FilterAnswers(STORE, List.of(AsciiTrust.TRUSTED));

  @ParameterizedTest
  @ValueSource(
      strings = {"ádmin", "admin\u00ad", "ａdmin", "straße", "ア", "admin\u200d", "\uD83D\uDE00"})
  void aKeyBeyondAsciiIsNeverAbsent(String key) throws Exception {
    assertThat(trusted.check(key)).isEqualTo(Membership.UNKNOWN);
    assertThat(trusted.checkAll(List.of(key, "x"), Duration.ZERO))
        .containsExactly(Membership.UNKNOWN, Membership.ABSENT);
    assertThat(trusted.checkAsync(List.of("x", key), Runnable::run).get())
        .containsExactly(Membership.ABSENT, Membership.UNKNOWN);
  }

  @Test
  void everyOtherAnswerIsTheStores() {
    assertThat(trusted.check("admin ~\u007f")).isEqualTo(Membership.ABSENT);
    assertThat(trusted.check(42)).isEqualTo(Membership.ABSENT);
    assertThat(trusted.check("jürgen")).isEqualTo(Membership.POSSIBLY_PRESENT);
  }

  /** A filter that catches up while it is asked answered from before. */
  @Test
  void aDoubtThatEndsMeanwhileHoldsForTheAnswer() throws Exception {
    AtomicBoolean behind = new AtomicBoolean();
    MembershipStore catchingUp =
        new MembershipStore() {
          @Override
          public Membership check(String key) {
            behind.set(false);
            return Membership.ABSENT;
          }

          @Override
          public boolean[] addEach(List<String> keys) {
            return new boolean[keys.size()];
          }
        };
    FilterAnswers doubted = new FilterAnswers(catchingUp, List.of(doubt(behind::get)));
    behind.set(true);
    assertThat(doubted.check("a")).isEqualTo(Membership.UNKNOWN);
    assertThat(doubted.check("a")).isEqualTo(Membership.ABSENT);
    behind.set(true);
    assertThat(doubted.check(1)).isEqualTo(Membership.UNKNOWN);
    behind.set(true);
    assertThat(doubted.checkAll(List.of("a"), Duration.ZERO)).containsExactly(Membership.UNKNOWN);
    behind.set(true);
    assertThat(doubted.checkAsync(List.of("a"), Runnable::run).get())
        .containsExactly(Membership.UNKNOWN);
  }

  private static Doubt doubt(BooleanSupplier now) {
    return new Doubt() {
      @Override
      public Doubt seen() {
        boolean then = now.getAsBoolean();
        return doubt(() -> then);
      }

      @Override
      public boolean isAbout(Object key) {
        return now.getAsBoolean();
      }

      @Override
      public String reason() {
        return "It is behind";
      }
    };
  }

  /** As of a source that trusts its collation, and of whose rows a feed tells. */
  @Test
  void eachOfSeveralDoubtsHolds() {
    AtomicBoolean behind = new AtomicBoolean(true);
    FilterAnswers both = new FilterAnswers(STORE, List.of(AsciiTrust.TRUSTED, doubt(behind::get)));
    assertThat(both.check("a")).isEqualTo(Membership.UNKNOWN);
    assertThat(both.reason("a")).isEqualTo("It is behind");
    behind.set(false);
    assertThat(both.check("a")).isEqualTo(Membership.ABSENT);
    assertThat(both.reason("a")).isNull();
    assertThat(both.check("ádmin")).isEqualTo(Membership.UNKNOWN);
    assertThat(both.keepsEntries("ádmin")).isFalse();
    assertThat(both.keepsEntries("a")).isTrue();
  }
}
