package io.bloomguard.filter;

import static io.bloomguard.filter.KeyFolding.LetterCase.EXACT;
import static io.bloomguard.filter.KeyFolding.LetterCase.LOWER;
import static io.bloomguard.filter.KeyFolding.LetterCase.UPPER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.fail;

import io.bloomguard.filter.KeyFolding.LetterCase;
import io.bloomguard.filter.KeyFolding.Normalise;
import io.bloomguard.filter.KeyFolding.Trim;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class KeyFoldingTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");

  /** What letters in dispute, marks, and spaces of all kinds are combined from. */
  private static final List<String> PARTS =
      List.of(
          "a", "A", "i", "I", "k", "s", "ß", "ẞ", "é", "É", "e", "\u0301", "\u0307", "\u0345",
          "\u0308", "İ", "ı", "ſ", "\u212a", "\u212b", "Å", "å", "µ", "μ", "ς", "σ", "Σ", "ǅ", "ǆ",
          "Ⱥ", "ⱥ", "ﬁ", "Ａ", "ａ", "①", "²", "\u00a0", "\u3000", "\u2002", " ", "¨", "\u037a", "ᾳ",
          "ᾼ", "\u1fbe", "ΐ", "Ϊ", "\ufdfa", "가", "ᄀ", "ᅡ", "𐐀", "𐐨", "ϴ", "θ", "7", "-",
          "\u0323", "ﾊ", "ﾟ", "Ω", "\u2126", "\u0130", "Ꭰ", "ꭰ", "Ა", "ა");

  private static Stream<KeyFolding> all() {
    return Stream.of(LetterCase.values())
        .flatMap(
            letters ->
                Stream.of(Trim.values())
                    .flatMap(
                        trim ->
                            Stream.of(Normalise.values())
                                .map(form -> new KeyFolding(letters, trim, form))));
  }

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "exact.none.none,' Ünï İ ',' Ünï İ '",
        "lower.none.none,Admin,admin",
        // Whether a sigma is final depends on its neighbours, and folding does not.
        "lower.none.none,ÀÉÎÕÜ-ΑΣ-ЖЯ,àéîõü-ασ-жя",
        "lower.none.none,\u00c9,\u00e9",
        "lower.none.none,Straße,straße",
        "lower.none.none,Ⱥ,ⱥ",
        "lower.none.none,mıKe,mıke",
        "lower.none.none,İ,İ",
        "upper.none.none,Admin,ADMIN",
        "upper.none.none,straße,STRAßE",
        "upper.none.none,mıke,MıKE",
        "exact.trailing.none,' a b  ',' a b'",
        "exact.both.none,' a b  ',a b",
        "exact.both.none,\u00a0a\u00a0,\u00a0a\u00a0",
        "exact.none.nfc,e\u0301,\u00e9",
        "exact.none.nfc,\u212b,\u00c5",
        "exact.none.nfc,ﬁＡ①,ﬁＡ①",
        "exact.none.nfkc,ﬁＡ①,fiA1",
        "exact.none.nfkc,\u00a0a,' a'",
        "lower.both.nfkc,\u3000Ａdmin\u00a0,admin",
        "upper.trailing.nfc,e\u0301 ,\u00c9",
      })
  void hasGoldenVectors(String folding, String key, String folded) {
    assertThat(KeyFolding.parse(folding).fold(key)).isEqualTo(folded);
  }

  @Test
  void aNumberIsItsOwnFold() {
    KeyHasher plain = SipHash.oneThree(SECRET);
    all()
        .forEach(
            folding -> {
              KeyHasher hasher = folding.over(plain);
              for (long number : new long[] {0, 7, -1, 42, 123456789012L, Long.MIN_VALUE}) {
                String text = Long.toString(number);
                assertThat(folding.fold(text)).isSameAs(text);
                assertThat(folding.widest(text)).isSameAs(text);
                assertThat(hasher.hash(number))
                    .isEqualTo(hasher.hash(text))
                    .isEqualTo(plain.hash(text));
              }
            });
  }

  /**
   * For each code point that a fold may change, and for thirty thousand strings of parts that
   * affect each other.
   */
  @ParameterizedTest
  @MethodSource("all")
  void foldingTwiceIsFoldingOnce(KeyFolding folding) {
    for (String key : keys()) {
      String folded = folding.fold(key);
      requireSame(key, folding.fold(folded), folded);
      String widest = folding.widest(key);
      requireSame(key, folding.widest(widest), widest);
      // What shares a value shares its bits.
      requireSame(key, folding.widest(folded), widest);
      requireSame(key, folding.fold(widest), widest);
    }
  }

  /** What either case of a letter, by any rule of Java, makes of it is possibly present with it. */
  @Test
  void theFilterHoldsEqualWhatAnyCaseMakesOfALetter() {
    for (KeyFolding folding : all().filter(one -> one.letterCase() != EXACT).toList()) {
      for (int point = 1; point <= Character.MAX_CODE_POINT; point++) {
        String key = Character.toString(point);
        int[] others = {
          Character.toLowerCase(point), Character.toUpperCase(point), Character.toTitleCase(point)
        };
        for (int other : others) {
          if (other != point) {
            requireSame(key, folding.widest(Character.toString(other)), folding.widest(key));
          }
        }
      }
    }
  }

  @Test
  void lettersInDisputeShareBitsAndNoValues() {
    KeyFolding lower = new KeyFolding(LOWER, Trim.NONE, Normalise.NONE);
    for (String pair : List.of("mıke mike", "ſ s", "\u212a k", "ς σ", "µ μ", "ẞ ß", "İ i")) {
      String[] keys = pair.split(" ", -1);
      assertThat(lower.widest(keys[0])).isEqualTo(lower.widest(keys[1]));
      assertThat(lower.fold(keys[0])).isNotEqualTo(lower.fold(keys[1]));
    }
  }

  @Test
  void lowerAndUpperHoldTheSameKeysEqual() {
    KeyFolding lower = new KeyFolding(LOWER, Trim.NONE, Normalise.NONE);
    KeyFolding upper = new KeyFolding(UPPER, Trim.NONE, Normalise.NONE);
    for (String key : keys()) {
      requireSame(key, lower.fold(upper.fold(key)), lower.fold(key));
      requireSame(key, upper.fold(lower.fold(key)), upper.fold(key));
      requireSame(key, lower.widest(upper.widest(key)), lower.widest(key));
      requireSame(key, upper.widest(lower.widest(key)), upper.widest(key));
    }
  }

  /** No language's rules: an I of an application that runs in Turkey is an i too. */
  @Test
  void knowsNoLanguage() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("tr"));
    try {
      assertThat(KeyFolding.parse("lower.none.none").fold("ADMIN-I\u00c9"))
          .isEqualTo("admin-i\u00e9");
      assertThat(KeyFolding.parse("upper.none.none").text()).isEqualTo("upper.none.none");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void whatIsFoldedAlreadyIsNotCopied() {
    String key = new String("order-7_é@x.org".replace("é", "e").toCharArray());
    assertThat(KeyFolding.parse("lower.both.nfkc").fold(key)).isSameAs(key);
    assertThat(KeyFolding.EXACT.fold(" É ")).isSameAs(" É ");
    KeyHasher plain = SipHash.oneThree(SECRET);
    assertThat(KeyFolding.EXACT.over(plain)).isSameAs(plain);
  }

  @Test
  void textIsAFormat() {
    all().forEach(one -> assertThat(KeyFolding.parse(one.text())).isEqualTo(one));
    for (String text : List.of("", "lower", "lower.none", "lower.none.nfd", "LOWER.NONE.NONE")) {
      assertThatIllegalArgumentException().isThrownBy(() -> KeyFolding.parse(text));
    }
  }

  @Test
  void coversItselfAndWhatIsExact() {
    KeyFolding lower = KeyFolding.parse("lower.none.none");
    assertThat(lower.covers(lower)).isTrue();
    assertThat(lower.covers(KeyFolding.EXACT)).isTrue();
    assertThat(KeyFolding.EXACT.covers(lower)).isFalse();
    assertThat(KeyFolding.parse("upper.none.none").covers(lower)).isFalse();
  }

  private static void requireSame(String key, String actual, String expected) {
    if (!actual.equals(expected)) {
      fail("%s: %s, but %s was expected", hex(key), hex(actual), hex(expected));
    }
  }

  private static List<String> keys() {
    List<String> keys = new ArrayList<>();
    for (int point = 1; point <= Character.MAX_CODE_POINT; point++) {
      String key = Character.toString(point);
      if (Character.isDefined(point)
          && !(Character.toLowerCase(point) == point
              && Character.toUpperCase(point) == point
              && Normalizer.isNormalized(key, Normalizer.Form.NFKC))) {
        keys.add(key);
      }
    }
    Random random = new Random(20);
    for (int i = 0; i < 30_000; i++) {
      StringBuilder key = new StringBuilder();
      for (int length = 1 + random.nextInt(6); length > 0; length--) {
        key.append(PARTS.get(random.nextInt(PARTS.size())));
      }
      keys.add(key.toString());
    }
    return keys;
  }

  private static String hex(String key) {
    StringBuilder text = new StringBuilder();
    key.codePoints().forEach(point -> text.append(String.format("U+%04X ", point)));
    return text.toString();
  }
}
