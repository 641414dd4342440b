package io.bloomguard.guard.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.KeyFolding;
import java.io.StringReader;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

class KeyTypesTest {

  private static final String UUID_TEXT = "123e4567-e89b-12d3-a456-426614174000";

  private final KeyTypes types = new KeyTypes();

  @Test
  void anAttributeThatItsColumnHoldsInAnotherFormIsRefusedUnlessTheFilterHoldsBothEqual() {
    KeyedAttribute key =
        new KeyedAttribute(
            "Account", "'email'", String.class, Map.of("aB", "ab"), false, false, false);
    KeyFolding lower =
        new KeyFolding(
            KeyFolding.LetterCase.LOWER, KeyFolding.Trim.NONE, KeyFolding.Normalise.NONE);
    assertThat(types.keyed("items", key, lower)).isNull();
    FilterRefusal refusal = types.keyed("items", key, KeyFolding.EXACT);
    assertThat(refusal).isNotNull();
    assertThat(refusal.action()).contains("bloomguard.filters.items.keys.case");
  }

  @Test
  void anAttributeOfAnotherTypeThanItsColumnRefusesLookupsByItself() {
    KeyedAttribute key =
        new KeyedAttribute("Badge", "'number'", Long.class, Map.of(7L, "007"), false, false, false);
    assertThat(types.keyed("items", key, KeyFolding.EXACT)).isNull();
    assertThat(types.asked("items", int.class, "Badges.find")).contains("Badge", "a text");
    assertThat(types.asked("items", String.class, "Badges.findByText")).isNull();
  }

  @ParameterizedTest
  @ValueSource(classes = {long.class, Integer.class, BigInteger.class, UUID.class})
  void textIsNeitherNumberNorUuid(Class<?> asked) {
    assertThat(types.asked("items", asked, "Items.find")).isNull();

    assertThat(yielded("a", "b", "c"))
        .contains("yields text", "Items.find", asked.getSimpleName(), "0 of its first 3");
  }

  @ParameterizedTest
  @CsvSource({
    "0, true",
    "-7, true",
    "9223372036854775808, true",
    "007, false",
    "-0, false",
    "+7, false",
    "7.0, false",
    "-, false",
    "0x2a, false"
  })
  void numberIsWhatSomeNumberLooksLike(String key, boolean number) {
    types.asked("items", long.class, "Items.find");

    assertThat(yielded(key) == null).isEqualTo(number);
  }

  @Test
  void uuidIsItsLowerCaseText() {
    types.asked("items", UUID.class, "Items.find");

    assertThat(yielded(UUID_TEXT)).isNull();
    assertThat(yielded(UUID_TEXT.toUpperCase(java.util.Locale.ROOT))).contains("yields text");
    assertThat(yielded(UUID_TEXT.replace('-', 'a'))).contains("yields text");
  }

  @Test
  void oneKeyInTenIsEnough() {
    types.asked("items", long.class, "Items.find");

    assertThat(yielded("1", "b", "c", "d", "e", "f", "g", "h", "i", "j")).isNull();
    assertThat(yielded("1", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")).isNotNull();
    assertThat(types.yielded("items", 1, new String[] {"b", "c"}, 1)).isNull();
  }

  @Test
  void whatIsAskedWithTextToo() {
    types.asked("items", long.class, "Items.find");
    types.asked("items", String.class, "Items.findByName");

    assertThat(yielded("a")).isNull();
  }

  @Test
  void whatCodeAsksMayBeAnything() {
    types.asked("items", long.class, "Items.find");
    types.askedByCode("items");

    assertThat(yielded("a")).isNull();
  }

  @Test
  void whatNothingAsksMayBeAnything() {
    types.asked("others", long.class, "Others.find");

    assertThat(yielded("a")).isNull();
  }

  @Test
  void methodThatComesAfterTheBuildIsToldAtOnce() {
    assertThat(yielded("a", "b")).isNull();

    assertThat(types.asked("items", long.class, "Items.find"))
        .contains("yields text", "Items.find asks filter 'items' with a long");
    assertThat(types.asked("others", long.class, "Others.find")).isNull();
  }

  @Test
  void anAttributeThatNoColumnHoldsAsAKeyIsRefused() {
    for (Map<?, ?> stored : List.of(Map.of(), Map.of("7", new StringReader("7")))) {
      KeyedAttribute key =
          new KeyedAttribute("Account", "'email'", String.class, stored, false, false, false);
      FilterRefusal refusal = types.keyed("items", key, KeyFolding.EXACT);
      assertThat(refusal).isNotNull();
      assertThat(refusal.problem()).containsAnyOf("cannot be compared", "cannot be a key");
    }
  }

  @ParameterizedTest
  @CsvSource({"4711, 8, a long", UUID_TEXT + "," + UUID_TEXT + ", a UUID", "4711, a, ''"})
  @ExtendWith(OutputCaptureExtension.class)
  void aBlacklistOfNumbersThatIsAskedForTextIsNamed(
      String one, String other, String advice, CapturedOutput output) {
    types.spelled("items", "Items.use");
    yielded(one, other);
    yielded(one, other);
    String log = output.toString();
    assertThat(log.split("Items.use asks the blacklist 'items'", -1))
        .hasSize(advice.isEmpty() ? 1 : 2);
    assertThat(log).contains(advice).doesNotContain(one);
  }

  private String yielded(String... keys) {
    String[] batch = Arrays.copyOf(keys, keys.length + 1);
    batch[keys.length] = "beyond the count";
    return types.yielded("items", 0, batch, keys.length);
  }
}
