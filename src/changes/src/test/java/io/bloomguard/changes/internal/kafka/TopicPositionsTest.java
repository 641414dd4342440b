package io.bloomguard.changes.internal.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

class TopicPositionsTest {

  private static final String TOPIC = "dWJ8Zr1tQ2-pTtNBHkYh3w";

  @Test
  void theTextHasEveryPartition() {
    TopicPositions positions = TopicPositions.parse(TOPIC + "/10:5:3,2:922337203685477580");
    assertThat(positions.topic()).isEqualTo(TOPIC);
    assertThat(positions.text()).isEqualTo(TOPIC + "/2:922337203685477580,10:5:3");
    assertThat(TopicPositions.parse(positions.text())).isEqualTo(positions);
    assertThat(TopicPositions.parse(null)).isNull();
    assertThat(TopicPositions.parse("")).isNull();
    // Of an earlier version: of a topic that is not known.
    assertThat(TopicPositions.parse("10:5,2:7")).isNull();
    assertThat(TopicPositions.parse(TOPIC + "/a:1")).isNull();
    assertThat(TopicPositions.parse(TOPIC + "/1")).isNull();
    assertThat(TopicPositions.parse(TOPIC + "/1:-1")).isNull();
    assertThat(TopicPositions.parse(TOPIC + "/1:2:")).isNull();
  }

  @Test
  void aPositionIsGoneOutsideOfItsPartition() {
    TopicPositions positions = TopicPositions.parse(TOPIC + "/0:5");
    assertThat(positions.areWithin(Map.of(0, 5L), ends("0:5"))).isTrue();
    assertThat(positions.areWithin(Map.of(0, 0L, 1, 0L), ends("0:9,1:3"))).isTrue();
    assertThat(positions.areWithin(Map.of(0, 6L), ends("0:9"))).isFalse();
    assertThat(positions.areWithin(Map.of(0, 0L), ends("0:4"))).isFalse();
    assertThat(positions.areWithin(Map.of(1, 0L), ends("1:9"))).isFalse();
  }

  private static Map<Integer, OffsetAndMetadata> ends(String offsets) {
    return TopicPositions.parse(TOPIC + "/" + offsets).offsets();
  }
}
