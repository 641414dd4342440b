package io.bloomguard.redis.internal.generation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.FilterSize;
import io.bloomguard.filter.Sizing;
import io.bloomguard.redis.internal.image.ImageFormat;
import org.junit.jupiter.api.Test;

class LimitsTest {

  /** What the sizing table says of the backend is what it makes. */
  @Test
  void tenBillionKeysTakeTheFiftyEightStringsOfTheSizingTable() {
    FilterShape whole = Sizing.blocked(10_000_000_000L, 1e-4, Sizing.fewestBlockWords(1e-4));
    assertThat(Limits.USUAL.partitions(whole)).isEqualTo(58);
    FilterShape part = Limits.part(whole, 58);
    assertThat(part).isEqualTo(FilterPlan.of(whole, FilterSize.REDIS_IMAGE_BYTES).part());
    assertThat(part.sizeBytes() + 2L * ImageFormat.FRAME_BYTES)
        .isLessThanOrEqualTo(FilterSize.REDIS_STRING_BYTES);
    assertThat(FilterSize.REDIS_STRING_BYTES - FilterSize.REDIS_IMAGE_BYTES)
        .isEqualTo(2L * ImageFormat.FRAME_BYTES);
  }
}
