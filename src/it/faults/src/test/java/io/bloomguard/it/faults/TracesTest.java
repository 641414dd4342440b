package io.bloomguard.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.faults.RedisWatch.Event;
import io.bloomguard.it.faults.Traces.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** That TLC refuses traces which must not be, and no others. */
class TracesTest {

  private static final long SECOND = 1_000_000;

  private final List<String> traces = new ArrayList<>();

  @Test
  void anAddWaitsForEveryCopy() throws Exception {
    add(reported(), acknowledged(3 * SECOND / 10));
    add(notReported(), acknowledged(3 * SECOND / 10));
    // Its lease has run out.
    add(notReported(), acknowledged(2 * SECOND));

    assertThat(refused()).containsExactly(2L);
  }

  @Test
  void noPromisedKeyIsAbsent() throws Exception {
    List<Step> seen = acknowledged(3 * SECOND / 10);
    seen.add(new Step("absent", SECOND / 10, SECOND));
    add(reported(), seen);
    List<Step> late = acknowledged(3 * SECOND / 10);
    late.add(new Step("absent", 4 * SECOND / 10, SECOND));
    add(reported(), late);
    add(List.of(), List.of(new Step("absent", 0, 1)));

    assertThat(refused()).containsExactly(2L, 3L);
  }

  @Test
  void anInsertThatWasNotSeenInRedisIsNoTrace() {
    List<Event> blind = new ArrayList<>(reported());
    blind.add(1, new Event("blind", SECOND / 10, "", "", 0));
    assertThat(Traces.write(acknowledged(SECOND), blind, new ArrayList<>())).isFalse();
    assertThat(Traces.write(acknowledged(SECOND), List.of(), new ArrayList<>())).isFalse();
  }

  private static List<Step> acknowledged(long end) {
    return new ArrayList<>(List.of(new Step("insert", 0, 0), new Step("acknowledged", 0, end)));
  }

  /** One copy, whose lease began a tenth of a second before the insert. */
  private static List<Event> notReported() {
    return List.of(
        new Event("copy", -SECOND / 10, "one", "5-0", 1_000),
        new Event("entry", SECOND / 10, "", "6-0", 0));
  }

  private static List<Event> reported() {
    List<Event> events = new ArrayList<>(notReported());
    events.add(new Event("copy", 2 * SECOND / 10, "one", "6-0", 1_000));
    return events;
  }

  private void add(List<Event> events, List<Step> seen) {
    List<String> trace = new ArrayList<>();
    assertThat(Traces.write(seen, events, trace)).isTrue();
    traces.add("<<" + String.join(", ", trace) + ">>");
  }

  /** The numbers of those that are refused, from one. */
  private List<Long> refused() throws Exception {
    List<Long> names = LongStream.rangeClosed(1, traces.size()).boxed().toList();
    return Traces.refused(traces, names).stream()
        .map(line -> Long.valueOf(line.split("[ :]")[1]))
        .toList();
  }
}
