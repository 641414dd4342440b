package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.server.Sizes.Load;
import io.bloomguard.server.Sizes.Size;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.web.server.ResponseStatusException;

class SizingControllerTest {

  private final SizingController controller = new SizingController();

  @Test
  void sizesEveryLayoutAsTheFiltersThemselves() {
    var sizes = controller.sizing("1000000", "0.01", null);
    assertThat(sizes.insertions()).isEqualTo(1_000_000);
    assertThat(sizes.fpp()).isEqualTo(0.01);
    assertThat(sizes.layouts())
        .containsOnlyKeys("classic", "blocked", "guava", "counting", "redis", "redis-bloom");
    assertThat(sizes.layouts().get("counting").bytes())
        .isEqualTo(4 * sizes.layouts().get("blocked").bytes());
    Size blocked = sizes.layouts().get("blocked");
    var shape = Sizing.shape(Layout.BLOCKED, 1_000_000, 0.01);
    assertThat(blocked.bits()).isEqualTo(shape.bits());
    assertThat(blocked.hashes()).isEqualTo(shape.hashes());
    assertThat(blocked.bytes() * 8).isEqualTo(blocked.bits());
    assertThat(blocked.bitsPerKey()).isBetween(9.5, 13.0);
    assertThat(blocked.blockWords()).isEqualTo(shape.blockWords());
    assertThat(sizes.layouts().get("guava").blockWords()).isNull();
    assertThat(sizes.layouts().get("guava").hashes()).isEqualTo(7);
    assertThat(sizes.layouts().values()).extracting(Size::partitions).containsOnly(1);
    assertThat(sizes.exact()).isNull();
  }

  @Test
  void splitsWhatOneImageCannotHold() {
    var sizes = controller.sizing("1e10", "0.0001", "64");
    assertThat(sizes.insertions()).isEqualTo(10_000_000_000L);
    Size classic = sizes.layouts().get("classic");
    assertThat(classic.bits()).isEqualTo(Sizing.classicBits(10_000_000_000L, 1e-4));
    assertThat(classic.hashes()).isEqualTo(13);
    assertThat(classic.bytes()).isEqualTo((classic.bits() + 7) / 8);
    assertThat(classic.partitions()).isEqualTo(45);
    assertThat(classic.heapArrays()).isEqualTo(2);
    assertThat(sizes.layouts().get("redis").partitions()).isEqualTo(58);
    assertThat(sizes.layouts().get("redis").heapArrays()).isNull();
    assertThat(sizes.layouts().get("blocked").partitions()).isEqualTo(2);
    assertThat(sizes.layouts().get("guava").partitions()).isEqualTo(2);
    assertThat(sizes.exact()).isEqualTo(new Sizes.Exact(64, 640_000_000_000L));
    assertThat(controller.sizing("10000000000", "0.0001", null).layouts())
        .isEqualTo(sizes.layouts());
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {"none, 'keyBytes' is 'none'", "0, at least 1", "9223372036854775807, more than"})
  void namesTheLengthOfAKeyAndTheRuleItBreaks(String keyBytes, String why) {
    assertThatThrownBy(() -> controller.sizing("1000", "0.01", keyBytes))
        .isInstanceOf(ResponseStatusException.class)
        .hasMessageContaining("400")
        .hasMessageContaining(why);
  }

  @Test
  void showsHowTheProbabilityGrowsWithTheLoad() {
    var layouts = controller.sizing("100000", "0.001", null).layouts();
    for (Size size : layouts.values()) {
      assertThat(size.overload())
          .extracting(Load::times)
          .containsExactly(0.5, 1.0, 1.5, 2.0, 3.0, 4.0);
      assertThat(size.overload())
          .extracting(Load::insertions)
          .containsExactly(50_000L, 100_000L, 150_000L, 200_000L, 300_000L, 400_000L);
      assertThat(size.overload()).extracting(Load::fpp).isSorted();
      // A scaling filter keeps half of it for the sub-filters that it may need.
      double atFull = size == layouts.get("redis-bloom") ? 0.0005 : 0.001;
      assertThat(size.overload().get(1).fpp()).isCloseTo(atFull, Percentage.withPercentage(5));
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
    assertThatThrownBy(() -> controller.sizing(insertions, fpp, null))
        .isInstanceOfSatisfying(
            ResponseStatusException.class,
            e -> {
              assertThat(e.getStatusCode().value()).isEqualTo(400);
              assertThat(e.getReason()).contains(why);
            });
  }
}
