package io.bloomguard.redis.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.journal.JournalMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a process remembers of its adds, and for how long. */
class RetainedAddsTest {

  private final AtomicLong clock = new AtomicLong();
  private final JournalMemory memory = TestGenerations.journal("products");

  /** Whose entries are kept for ten minutes. */
  private final JournalBound bound =
      new JournalBound("products", Duration.ofMinutes(8), memory, 1 << 20);

  private final RetainedAdds adds = new RetainedAdds(bound, clock::get);

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

  @Test
  void anEntryInTheJournalStandsForRepeatsWhileItIsFresh() {
    assertThat(adds.isJournalled(1)).isFalse();
    long begun = adds.begin();
    adds.remember(List.of(1L, 2L));
    assertThat(adds.isJournalled(1)).isFalse();
    adds.journalled(List.of(1L), begun);
    assertThat(adds.isJournalled(1)).isTrue();
    assertThat(adds.isJournalled(2)).isFalse();
    pass(Duration.ofSeconds(40));
    assertThat(adds.isJournalled(1)).isTrue();
    pass(Duration.ofSeconds(10));
    assertThat(adds.isJournalled(1)).isFalse();
  }

  /** The add that is on its way may fail; the answer to the one before says nothing of it. */
  @Test
  void anEntryIsRememberedUnderTheAddThatBroughtIt() {
    long before = adds.begin();
    adds.remember(List.of(1L));
    pass(Duration.ofSeconds(15));
    long begun = adds.begin();
    adds.remember(List.of(1L));
    adds.journalled(List.of(1L), before);
    assertThat(adds.isJournalled(1)).isFalse();
    adds.journalled(List.of(1L), begun);
    assertThat(adds.isJournalled(1)).isTrue();
    adds.remember(List.of(1L));
    assertThat(adds.isJournalled(1)).isFalse();
  }

  /** 255 ticks later its stamp is the same again. */
  @Test
  void anEntryOfBeforeALongStopIsNotTakenForAFreshOne() {
    long begun = adds.begin();
    adds.remember(List.of(1L));
    adds.journalled(List.of(1L), begun);
    pass(Duration.ofSeconds(255 * 5));
    assertThat(adds.isJournalled(1)).isFalse();
    adds.isEmpty();
    assertThat(adds.isJournalled(1)).isFalse();
  }

  @Test
  void whatIsJournalledIsKnownThroughGrowth() {
    List<Long> some = LongStream.range(0, 1_000).boxed().toList();
    long begun = adds.begin();
    adds.remember(some);
    adds.journalled(some, begun);
    adds.remember(LongStream.range(1_000, 100_000).boxed().toList());
    assertThat(some).allMatch(adds::isJournalled);
    assertThat(LongStream.range(1_000, 100_000)).noneMatch(adds::isJournalled);
  }

  /** What stands for an add within the retention is itself within the span that builds replay. */
  @ParameterizedTest
  @ValueSource(longs = {1, 60, 159, 160, 300, 600, 3_600, 86_400})
  void aFreshEntryOutlivesTheRetentionOfItsRepeats(long seconds) {
    JournalBound other = new JournalBound("products", Duration.ofSeconds(seconds), memory, 1 << 20);
    Duration longestAdd = Duration.ofSeconds(20);
    assertThat(
            other.fresh().isZero()
                || other.retention().plus(other.fresh()).plus(longestAdd).compareTo(other.span())
                    <= 0)
        .isTrue();
    assertThat(other.fresh().isZero()).isEqualTo(seconds < 160);
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
