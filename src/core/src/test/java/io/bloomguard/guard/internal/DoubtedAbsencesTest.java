package io.bloomguard.guard.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.internal.decision.AsciiTrust;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DoubtedAbsencesTest {

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

  private final MembershipStore trusted = new DoubtedAbsences(STORE, AsciiTrust.TRUSTED);

  @ParameterizedTest
  @ValueSource(
      strings = {"ádmin", "admin\u00ad", "ａdmin", "straße", "ア", "admin\u200d", "\uD83D\uDE00"})
  void aKeyBeyondAsciiIsNeverAbsent(String key) throws Exception {
    assertThat(trusted.check(key)).isEqualTo(Membership.UNKNOWN);
    assertThat(trusted.checkAll(List.of(key, "x")))
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

  @Test
  void nothingOfTheStoreIsLeftToADefault() throws Exception {
    for (Method method : MembershipStore.class.getDeclaredMethods()) {
      if (!method.isSynthetic()) {
        assertThat(
                DoubtedAbsences.class
                    .getMethod(method.getName(), method.getParameterTypes())
                    .getDeclaringClass())
            .as(method + Arrays.toString(method.getParameterTypes()))
            .isEqualTo(DoubtedAbsences.class);
      }
    }
  }
}
