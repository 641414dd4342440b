package io.bloomguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.journal.JournalMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a process remembers of its adds, and for how long. */
class OwnAddsTest {

  private final AtomicLong clock = new AtomicLong();
  private final JournalMemory memory = JournalMemory.ofOne("products");
  private final OwnAdds adds = new OwnAdds("products", Duration.ofMinutes(10), clock::get, memory);

  @Test
  void remembersEverythingOfTheRetention() {
    adds.remember(List.of(1L, 2L));
    pass(Duration.ofMinutes(5));
    adds.remember(List.of(3L));
    pass(Duration.ofMinutes(5));
    assertThat(remembered()).containsExactlyInAnyOrder(1L, 2L, 3L);
  }

  @Test
  void forgetsWhatIsOlder() {
    adds.remember(List.of(1L));
    pass(Duration.ofMinutes(2));
    adds.remember(List.of(2L));
    pass(Duration.ofMinutes(9));
    assertThat(remembered()).containsExactly(2L);
    pass(Duration.ofMinutes(9));
    assertThat(remembered()).isEmpty();
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
  void keepsManyAndHandsThemOverInParts() {
    List<Long> many = LongStream.range(0, 200_000).boxed().toList();
    adds.remember(many);
    adds.remember(many);
    List<List<Long>> parts = new ArrayList<>();
    adds.forEach(3_000, parts::add);
    assertThat(parts.subList(0, parts.size() - 1)).allMatch(part -> part.size() == 3_000);
    assertThat(parts.stream().flatMap(List::stream).sorted().toList()).isEqualTo(many);
    assertThat(memory.taken()).isLessThanOrEqualTo(200_000 * 12);
  }

  @Test
  void remembersNothingOnceItIsClosed() {
    adds.remember(List.of(1L));
    adds.close();
    adds.remember(List.of(2L));
    assertThat(remembered()).isEmpty();
    assertThat(memory.taken()).isZero();
  }

  @Test
  void anAddIsKeptForTheWholeRetentionThoughItsSpanBeganBefore() {
    adds.remember(List.of(1L));
    pass(Duration.ofSeconds(30));
    adds.remember(List.of(2L));
    pass(Duration.ofMinutes(10));
    assertThat(remembered()).contains(2L);
  }

  private List<Long> remembered() {
    List<Long> all = new ArrayList<>();
    adds.forEach(2, all::addAll);
    return all;
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }
}
