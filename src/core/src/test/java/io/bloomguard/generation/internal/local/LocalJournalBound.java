package io.bloomguard.generation.internal.local;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.journal.JournalMemory;
import io.bloomguard.guard.AddFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The bound of a local filter's journal.
 *
 * @param words the words of a key's hash
 */
public record LocalJournalBound(
    FilterShape shape, Function<FilterShape, MembershipFilter> filters, int words) {

  private static final Duration RETENTION = Duration.ofMinutes(10);

  /** What is refused leaves no trace, and what was acknowledged is in every later generation. */
  public void requireNoneLost() {
    AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    JournalMemory memory =
        JournalMemory.ofAll("all", 1 << 20).ofFilter(JournalMemory.property("local"), 50_000);
    LocalGenerations store =
        new LocalGenerations("local", filters, shape, RETENTION, memory, 1, nanos::get, null);
    store.serveEmpty(shape);
    List<String> added = addUntilFull(store, "key-");

    assertThat(memory.taken()).isLessThanOrEqualTo(50_000);
    List<String> more = IntStream.range(0, 500).mapToObj(i -> "more-" + i).toList();
    assertThat(added).hasSizeGreaterThan(50_000 / (14 * words));
    assertThatThrownBy(() -> store.addAll(more))
        .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL);
    assertThat(store.checkAll(more)).containsOnly(ABSENT);
    store.addAll(added);

    try (GenerationStore.Build build = store.beginBuild(shape)) {
      assertThatThrownBy(() -> store.addAll(more))
          .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL);
      store.addAll(added.subList(0, 10));
      build.publish();
    }
    assertThat(store.checkAll(added)).containsOnly(POSSIBLY_PRESENT);

    nanos.addAndGet(RETENTION.plusSeconds(10).toNanos());
    assertThat(addUntilFull(store, "late-")).hasSizeGreaterThan(50_000 / (14 * words));
    nanos.addAndGet(RETENTION.plusSeconds(10).toNanos());
    store.maintain();
    assertThat(memory.taken()).isZero();
  }

  private static List<String> addUntilFull(GenerationStore store, String prefix) {
    List<String> added = new ArrayList<>();
    try {
      for (int i = 0; i < 10_000; i++) {
        store.addAll(List.of(prefix + i));
        added.add(prefix + i);
      }
    } catch (AddFailedException e) {
      assertThat(e.reason()).isEqualTo(AddFailedException.Reason.FULL);
      return added;
    }
    throw new AssertionError("there was no bound");
  }
}
