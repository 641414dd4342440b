package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.RowKeys.Answer;
import io.bloomguard.guard.internal.verify.RowKeys.Kind;
import io.bloomguard.guard.internal.verify.WrongRejectionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A row that is found under a key which is not its own is no evidence against the filter. */
@ExtendWith(OutputCaptureExtension.class)
class SpelledKeysTest {

  private final List<String> questions = new ArrayList<>();

  private VerifiedGuards guards(String... keys) {
    return new VerifiedGuards(
        new KnownKeys(keys), VerifiedGuards.first(1_000, WrongRejectionPolicy.DISARM));
  }

  private VerifiedGuards asked(Function<String, Answer> source, String... keys) {
    VerifiedGuards guards = guards(keys);
    guards.rowKeys.set(
        new RowKeys() {
          @Override
          public boolean isKnown() {
            return true;
          }

          @Override
          public Answer of(String key) {
            questions.add(key);
            return source.apply(key);
          }
        });
    return guards;
  }

  private static Answer rows(String... keys) {
    return new Answer(Kind.ROWS, List.of(keys));
  }

  static Stream<Function<EntryGuard<String>, String>> ways() {
    return Stream.of(
        guard -> guard.get("042", () -> "lamp"),
        guard -> guard.call("042", () -> "lamp"),
        guard ->
            guard
                .getAsync("042", () -> CompletableFuture.completedFuture("lamp"))
                .toCompletableFuture()
                .join(),
        guard -> guard.getAll(List.of("042"), keys -> Map.of("042", "lamp")).get("042"),
        guard -> {
          Pass<String> pass = guard.ask(Ask.toPassOn("042").tried());
          assertThat(pass.isEmpty()).isFalse();
          pass.end(Finding.VALUE);
          return "lamp";
        });
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aSpellingIsCountedAndDisarmsNothing(
      Function<EntryGuard<String>, String> way, CapturedOutput output) {
    VerifiedGuards guards = asked(key -> rows("42"), "42");
    assertThat(way.apply(guards.guard)).isEqualTo("lamp");
    assertThat(guards.verification.isDisarmed()).isFalse();
    assertThat(guards.verification.wrong()).isZero();
    assertThat(guards.verification.spellings()).isOne();
    assertThat(guards.guard.check("999")).isEqualTo(Membership.ABSENT);
    assertThat(output)
        .contains("WARN", "another spelling", "type: long", guards.store.keyHash("042"))
        .doesNotContain("042\"", " 042");
  }

  @Test
  void aSpellingOfARowThatTheFilterLacksIsWrong() {
    VerifiedGuards guards = asked(key -> rows("42"), "41");
    assertThat(guards.guard.<RuntimeException>get("042", () -> "lamp")).isEqualTo("lamp");
    assertThat(guards.verification.isDisarmed()).isTrue();
    assertThat(guards.verification.spellings()).isZero();
  }

  @Test
  void aRowOfTheKeyItselfIsWrong() {
    VerifiedGuards guards = asked(SpelledKeysTest::rows, "41");
    guards.guard.<RuntimeException>get("42", () -> "lamp");
    assertThat(guards.verification.isDisarmed()).isTrue();
  }

  @Test
  void aRowThatTheSourceDoesNotHaveIsWrong() {
    VerifiedGuards guards = asked(key -> new Answer(Kind.NONE, List.of()), "17");
    guards.guard.<RuntimeException>get("A-17", () -> "lamp");
    assertThat(guards.verification.isDisarmed()).isTrue();
  }

  @Test
  void aConversionInTheApplicationIsASpellingToo() {
    VerifiedGuards guards = asked(key -> new Answer(Kind.NONE, List.of()), "42");
    guards.guard.<RuntimeException>get("0x2a", () -> "lamp");
    assertThat(guards.verification.isDisarmed()).isFalse();
    assertThat(guards.verification.spellings()).isOne();
  }

  @Test
  void aRowWhoseKeyNoCallerCanAskForIsASpelling() {
    VerifiedGuards guards = asked(key -> new Answer(Kind.UNUSABLE, List.of()));
    guards.guard.<RuntimeException>get("ab", () -> "lamp");
    assertThat(guards.verification.spellings()).isOne();
    assertThat(guards.verification.isDisarmed()).isFalse();
  }

  @Test
  void withoutAnAnswerThereIsNoVerdictAndTheKeyIsTriedAgain() {
    VerifiedGuards guards = asked(key -> new Answer(Kind.FAILED, List.of()));
    guards.guard.<RuntimeException>get("42", () -> "lamp");
    assertThat(guards.verification.isDisarmed()).isFalse();
    assertThat(guards.guard.<RuntimeException>get("42", () -> "lamp")).isEqualTo("lamp");
    assertThat(questions).containsExactly("42", "42");
  }

  @ParameterizedTest
  @CsvSource({
    "42, 042",
    "42, +42",
    "42, ' 42'",
    "42, 42.0",
    "42, 42abc",
    "42, 0x2a",
    "42, 4.2e1",
    "42, ４２",
    "42, ٤٢",
    "42, 42L",
    "-7, -07",
    "admin, ADMIN",
    "admin, 'admin '",
    "admin, ádmin",
    "admin, ａdmin",
    "018f1d2e-7a8b-7c3d-9e4f-5a6b7c8d9e0f, 018F1D2E7A8B7C3D9E4F5A6B7C8D9E0F",
    "00000001-0002-0003-0004-000000000005, 1-2-3-4-5",
    "550e8400-e29b-41d4-a716-046655440000, 0550e8400-e29b-41d4-a716-46655440000",
    "42, 4 2",
    "42, 4_2",
    "42, 0o52",
    "admin, adm\u0131n",
    "admin, ad\u200bmin",
    "admin, ad\u00admin",
    "lodz, \u0141odz",
    "strasse, stra\u00dfe",
    "mas, ma\u00df",
    "acme:42, acme:042",
    "acme:42, 'ACME: 0x2a'",
    "a%3Ab:42, a%3AB:4.2e1",
    "acme:7:admin, acme:07:\u00e1dmin"
  })
  void aSourceThatCannotBeAskedLeavesThePlainerSpellings(String row, String spelled) {
    VerifiedGuards guards = guards(row);
    guards.guard.<RuntimeException>get(spelled, () -> "lamp");
    assertThat(guards.verification.isDisarmed()).isFalse();
    assertThat(guards.verification.spellings()).isOne();
  }

  @Test
  void aKeyOfManyPartsIsComparedAsAWhole() {
    VerifiedGuards guards = guards("a" + ":1".repeat(8));
    guards.guard.<RuntimeException>get("A" + ":1".repeat(8), () -> "lamp");
    assertThat(guards.verification.spellings()).isOne();
    guards.guard.<RuntimeException>get("a" + ":01".repeat(8), () -> "lamp");
    assertThat(guards.verification.isDisarmed()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "42, 43",
    "42, 043",
    "42, A-42",
    "17, 18-LAMP",
    "admin, adman",
    "admin, root",
    "a:42, b:042",
    "a:42, a:43"
  })
  void anotherKeyIsNoSpelling(String row, String key) {
    VerifiedGuards guards = guards(row);
    guards.guard.<RuntimeException>get(key, () -> "lamp");
    assertThat(guards.verification.isDisarmed()).isTrue();
  }

  @Test
  void aSpellingOfARowThatIsStillToArriveWaitsForTheRow() {
    VerifiedGuards guards = asked(key -> rows("42"));
    guards.arrivals.set(
        new Arrivals() {
          @Override
          public boolean expected() {
            return true;
          }

          @Override
          public boolean completeSince(long moment) {
            return true;
          }
        });
    guards.guard.<RuntimeException>get("042", () -> "lamp");
    assertThat(guards.verification.late()).isOne();
    guards.store.addAll(List.of("42"));
    guards.verification.maintain();
    assertThat(guards.verification.isDisarmed()).isFalse();
    assertThat(guards.verification.wrong()).isZero();
  }

  /** However long the source takes for each, their caller waits once. */
  @Test
  void theKeysOfABatchWaitForTheirVerdictsTogether() {
    VerifiedGuards guards = asked(key -> rows("42"), "42");
    Map<String, String> found =
        guards.guard.getAll(
            List.of("042", "0042", "00042"),
            keys -> Map.of("042", "lamp", "0042", "lamp", "00042", "lamp"));
    assertThat(found).hasSize(3);
    assertThat(guards.verification.spellings()).isEqualTo(3);
    assertThat(guards.verification.isDisarmed()).isFalse();
  }

  @Test
  void aReportIsAClaimThatTheSourceConfirms() {
    VerifiedGuards guards =
        asked(key -> key.equals("row") ? rows("row") : new Answer(Kind.NONE, List.of()), "42");
    assertThat(guards.guard.reportFound(List.of("made-up", "042"))).isZero();
    assertThat(guards.verification.isDisarmed()).isFalse();
    assertThat(guards.guard.reportFound(List.of("row"))).isOne();
    assertThat(guards.verification.isDisarmed()).isTrue();
  }

  @Test
  void aReportAsksForSoManyKeys() {
    VerifiedGuards guards = asked(key -> new Answer(Kind.NONE, List.of()));
    List<String> claims = IntStream.range(0, 10_000).mapToObj(i -> "claim" + i).toList();
    assertThat(guards.guard.reportFound(claims)).isZero();
    assertThat(questions).hasSize(100);
  }
}
