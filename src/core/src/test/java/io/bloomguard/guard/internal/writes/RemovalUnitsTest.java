package io.bloomguard.guard.internal.writes;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RemovalUnitsTest {

  private final RemovalUnits units = new RemovalUnits();

  @Test
  void aUnitLastsUntilItsLastHolderHasLeft() {
    RemovalUnits.Unit outer = units.enter();
    RemovalUnits.Unit inner = units.enter();
    assertThat(inner.first(List.of("a", "b"))).containsExactly("a", "b");
    inner.leave();
    assertThat(outer.first(List.of("b", "c"))).containsExactly("c");
    outer.leave();
    assertThat(units.enter().first(List.of("a"))).containsExactly("a");
  }

  @Test
  void aUnitThatEndsOnAnotherThreadIsNotJoined() throws Exception {
    RemovalUnits.Unit unit = units.enter();
    unit.first(List.of("a"));
    Thread other = new Thread(unit::leave);
    other.start();
    other.join();
    assertThat(units.enter().first(List.of("a"))).containsExactly("a");
  }

  @Test
  void aUnitThatHasEndedKnowsItsKeysForAnEndThatComesLater() {
    RemovalUnits.Unit unit = units.enter();
    unit.first(List.of("a"));
    unit.leave();
    assertThat(unit.first(List.of("a", "b"))).containsExactly("b");
  }

  /** Its thread may begin no other for long. */
  @Test
  void noThreadHoldsAUnitThatHasEndedElsewhere() throws Exception {
    WeakReference<RemovalUnits.Unit> unit = endedElsewhere();
    for (int i = 0; i < 100 && unit.get() != null; i++) {
      System.gc();
    }
    assertThat(unit.get()).isNull();
  }

  private WeakReference<RemovalUnits.Unit> endedElsewhere() throws Exception {
    RemovalUnits.Unit unit = units.enter();
    unit.first(List.of("a"));
    Thread other = new Thread(unit::leave);
    other.start();
    other.join();
    return new WeakReference<>(unit);
  }

  @Test
  void aKeyThatWasNotRemovedIsTheFirstAgain() {
    RemovalUnits.Unit unit = units.enter();
    unit.forget(unit.first(List.of("a")));
    assertThat(unit.first(List.of("a"))).containsExactly("a");
  }

  @Test
  void keysPastTheBoundStay() {
    RemovalUnits.Unit unit = units.enter();
    List<String> most = IntStream.range(0, RemovalUnits.MOST).mapToObj(Integer::toString).toList();
    assertThat(unit.first(most)).hasSize(RemovalUnits.MOST);
    assertThat(unit.first(List.of("more"))).isEmpty();
  }
}
