package io.bloomguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a process remembers of its adds, and for how long. */
class OwnAddsTest {

  private final AtomicLong clock = new AtomicLong();
  private final OwnAdds adds = new OwnAdds(Duration.ofMinutes(10), clock::get);

  @Test
  void remembersEverythingOfTheRetention() {
    adds.remember(List.of(1L, 2L));
    pass(Duration.ofMinutes(5));
    adds.remember(List.of(3L));
    pass(Duration.ofMinutes(5));
    assertThat(adds.remembered()).containsExactly(1L, 2L, 3L);
  }

  @Test
  void forgetsWhatIsOlder() {
    adds.remember(List.of(1L));
    pass(Duration.ofMinutes(2));
    adds.remember(List.of(2L));
    pass(Duration.ofMinutes(9));
    assertThat(adds.remembered()).containsExactly(2L);
    pass(Duration.ofMinutes(9));
    assertThat(adds.remembered()).isEmpty();
    assertThat(adds.isEmpty()).isTrue();
  }

  @Test
  void isEmptyOnceAllIsOlder() {
    adds.remember(List.of(1L));
    pass(Duration.ofMinutes(10));
    assertThat(adds.isEmpty()).isFalse();
    pass(Duration.ofNanos(1));
    assertThat(adds.isEmpty()).isTrue();
  }

  @Test
  void keepsMoreThanASpanHolds() {
    List<Long> many = LongStream.range(0, 200_000).boxed().toList();
    adds.remember(many);
    assertThat(adds.remembered()).isEqualTo(many);
  }

  @Test
  void anAddIsKeptForTheWholeRetentionThoughItsSpanBeganBefore() {
    adds.remember(List.of(1L));
    pass(Duration.ofSeconds(30));
    adds.remember(List.of(2L));
    pass(Duration.ofMinutes(10));
    assertThat(adds.remembered()).contains(2L);
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }
}
