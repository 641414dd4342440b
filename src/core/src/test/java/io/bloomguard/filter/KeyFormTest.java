package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.internal.KeyRules;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyFormTest {

  @ParameterizedTest
  @CsvSource({
    "LONG, 0, true",
    "LONG, -1, true",
    "LONG, 9223372036854775807, true",
    "LONG, -9223372036854775808, true",
    "LONG, 9223372036854775808, false",
    "LONG, -9223372036854775809, false",
    "LONG, 10000000000000000000, false",
    "LONG, 042, false",
    "LONG, +42, false",
    "LONG, -0, false",
    "LONG, -, false",
    "LONG, '', false",
    "LONG, 1.5, false",
    "LONG, ٤٢, false",
    "LONG, abc, false",
    "INT, 2147483647, true",
    "INT, -2147483648, true",
    "INT, 2147483648, false",
    "INT, -2147483649, false",
    "INT, 3000000000, false",
    "INT, 999999999, true",
    "TEXT, abc, true",
  })
  void acceptsNumbersInTheirRange(KeyForm form, String key, boolean accepted) {
    assertThat(form.accepts(key)).isEqualTo(accepted);
    KeyRules rules = new KeyRules(64).with(form);
    if (!key.isEmpty()) {
      assertThat(rules.accepts(key)).isEqualTo(accepted);
    }
    assertThat(rules.acceptsEveryNumber()).isEqualTo(form != KeyForm.INT);
  }
}
