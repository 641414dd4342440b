package io.bloomguard.changes.internal.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicPositionsTest {

  private static final String TOPIC = "dWJ8Zr1tQ2-pTtNBHkYh3w";

  @Test
  void theTextHasEveryPartition() {
    TopicPositions positions = TopicPositions.parse(TOPIC + "/10:5,2:9223372036854775807");
    assertThat(positions.topic()).isEqualTo(TOPIC);
    assertThat(positions.text()).isEqualTo(TOPIC + "/2:9223372036854775807,10:5");
    assertThat(TopicPositions.parse(positions.text())).isEqualTo(positions);
    assertThat(TopicPositions.parse(null)).isNull();
    assertThat(TopicPositions.parse("")).isNull();
    // Of an earlier version: of a topic that is not known.
    assertThat(TopicPositions.parse("10:5,2:7")).isNull();
    assertThat(TopicPositions.parse(TOPIC + "/a:1")).isNull();
    assertThat(TopicPositions.parse(TOPIC + "/1")).isNull();
  }

  @Test
  void aPositionIsGoneOutsideOfItsPartition() {
    TopicPositions positions = TopicPositions.parse(TOPIC + "/0:5");
    assertThat(positions.areWithin(Map.of(0, 5L), Map.of(0, 5L))).isTrue();
    assertThat(positions.areWithin(Map.of(0, 0L, 1, 0L), Map.of(0, 9L, 1, 3L))).isTrue();
    assertThat(positions.areWithin(Map.of(0, 6L), Map.of(0, 9L))).isFalse();
    assertThat(positions.areWithin(Map.of(0, 0L), Map.of(0, 4L))).isFalse();
    assertThat(positions.areWithin(Map.of(1, 0L), Map.of(1, 9L))).isFalse();
  }
}
