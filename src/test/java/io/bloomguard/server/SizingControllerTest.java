package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.server.SizingController.Load;
import io.bloomguard.server.SizingController.Size;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.web.server.ResponseStatusException;

class SizingControllerTest {

  private final SizingController controller = new SizingController();

  @Test
  void sizesEveryLayoutAsTheFiltersThemselves() {
    var sizes = controller.sizing("1000000", "0.01");
    assertThat(sizes.insertions()).isEqualTo(1_000_000);
    assertThat(sizes.fpp()).isEqualTo(0.01);
    assertThat(sizes.layouts()).containsOnlyKeys("blocked", "guava", "counting");
    Size blocked = sizes.layouts().get("blocked");
    var shape = Sizing.shape(Layout.BLOCKED, 1_000_000, 0.01);
    assertThat(blocked.bits()).isEqualTo(shape.bits());
    assertThat(blocked.hashes()).isEqualTo(shape.hashes());
    assertThat(blocked.bytes() * 8).isEqualTo(blocked.bits());
    assertThat(blocked.bitsPerKey()).isBetween(9.5, 13.0);
    assertThat(blocked.blockWords()).isEqualTo(shape.blockWords());
    assertThat(sizes.layouts().get("guava").blockWords()).isNull();
    assertThat(sizes.layouts().get("guava").hashes()).isEqualTo(7);
  }

  @Test
  void showsHowTheProbabilityGrowsWithTheLoad() {
    for (Size size : controller.sizing("100000", "0.001").layouts().values()) {
      assertThat(size.overload())
          .extracting(Load::times)
          .containsExactly(0.5, 1.0, 1.5, 2.0, 3.0, 4.0);
      assertThat(size.overload())
          .extracting(Load::insertions)
          .containsExactly(50_000L, 100_000L, 150_000L, 200_000L, 300_000L, 400_000L);
      assertThat(size.overload()).extracting(Load::fpp).isSorted();
      assertThat(size.overload().get(1).fpp()).isCloseTo(0.001, Percentage.withPercentage(5));
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      quoteCharacter = '`',
      value = {
        "-,       0.01, 'insertions' is missing",
        "1000,    -,    'fpp' is missing",
        "many,    0.01, 'insertions' is 'many'",
        "1.5,     0.01, 'insertions' is '1.5'",
        "1000,    low,  'fpp' is 'low'",
        "0,       0.01, at least 1",
        "-5,      0.01, at least 1",
        "1000,    0,    greater than 0 and less than 1",
        "1000,    1,    greater than 0 and less than 1",
        "1000,    NaN,  greater than 0 and less than 1",
        "9223372036854775807, 0.001, at most",
      })
  void namesTheValueAndTheRuleItBreaks(String insertions, String fpp, String why) {
    assertThatThrownBy(() -> controller.sizing(insertions, fpp))
        .isInstanceOfSatisfying(
            ResponseStatusException.class,
            e -> {
              assertThat(e.getStatusCode().value()).isEqualTo(400);
              assertThat(e.getReason()).contains(why);
            });
  }
}
