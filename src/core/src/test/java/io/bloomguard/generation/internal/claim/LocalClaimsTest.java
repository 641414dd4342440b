package io.bloomguard.generation.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.ClaimRefusedException;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LocalClaimsTest {

  private static final Duration TTL = Duration.ofHours(1);

  private final AtomicLong now = new AtomicLong();
  private final AtomicInteger adds = new AtomicInteger();
  private final LocalClaims claims = claims(2 * Claim.bytes(2));

  private LocalClaims claims(long most) {
    return new LocalClaims("clicks", new ClaimSettings("the.bound", TTL, most), now::get);
  }

  private boolean[] add(String claim, String... keys) {
    return claims.add(
        List.of(keys),
        claim,
        () -> {
          adds.incrementAndGet();
          return new boolean[] {true, false};
        });
  }

  @Test
  void aRepeatGetsTheFirstAnswer() {
    assertThat(add("one", "a", "b")).containsExactly(true, false);
    add("one", "a", "b")[0] = false;
    assertThat(add("one", "a", "b")).containsExactly(true, false);
    assertThat(adds).hasValue(1);
  }

  @Test
  void otherKeysAreRefused() {
    add("one", "a", "b");
    for (String[] other : List.of(new String[] {"b", "a"}, new String[] {"ab", ""})) {
      assertThatExceptionOfType(ClaimRefusedException.class).isThrownBy(() -> add("one", other));
    }
    assertThat(adds).hasValue(1);
  }

  @Test
  void itIsForgottenOnceItsTimeIsOver() {
    add("one", "a", "b");
    now.addAndGet(TTL.toNanos() - 1);
    add("two", "a", "b");
    assertThatExceptionOfType(ClaimRefusedException.class).isThrownBy(() -> add("one", "c", "d"));
    now.addAndGet(1);
    assertThat(add("one", "c", "d")).containsExactly(true, false);
    assertThat(adds).hasValue(3);
  }

  @Test
  void beyondTheBoundAddsAreRefusedUntilOthersAreOver() {
    add("one", "a", "b");
    add("two", "a", "b");
    assertThatExceptionOfType(AddFailedException.class)
        .isThrownBy(() -> add("three", "a", "b"))
        .withMessageContaining("the.bound")
        .withMessageNotContaining("three");
    assertThat(add("two", "a", "b")).containsExactly(true, false);
    assertThat(adds).hasValue(2);
    now.addAndGet(TTL.toNanos());
    add("three", "a", "b");
    assertThat(adds).hasValue(3);
  }

  /** An add that failed may be repeated. */
  @Test
  void aFailedAddIsNoClaim() {
    assertThatExceptionOfType(AddFailedException.class)
        .isThrownBy(
            () ->
                claims.add(
                    List.of("a", "b"),
                    "one",
                    () -> {
                      throw new AddFailedException("no", null);
                    }));
    assertThat(add("one", "c", "d")).containsExactly(true, false);
  }

  @Test
  void moreKeysThanAClaimHasIndexesForAreRefused() {
    List<String> many = Collections.nCopies(Claim.MOST_KEYS + 1, "a");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Claim.of("one", many))
        .withMessageContaining("at most 32000");
    assertThat(Claim.of("one", many.subList(1, many.size())).digest()).hasSize(Claim.DIGEST_BYTES);
  }

  /** What is in Redis for a day must be found by the next version. */
  @Test
  void nameAndDigestStayAsTheyAre() {
    Claim claim = Claim.of("clicks-0-17", List.of("a", "b"));
    assertThat(claim.name()).isEqualTo("5fb6c1e5ac689fd36866c64d4d725713");
    assertThat(HexFormat.of().formatHex(claim.digest()))
        .isEqualTo("77784c8bcb0f08f8b1ff749827fdd51e");
  }
}
