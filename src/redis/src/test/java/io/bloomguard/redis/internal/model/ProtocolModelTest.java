package io.bloomguard.redis.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.TestForm;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The protocol of generations and epochs, explored in every order of its steps: two processes, two
 * keys, one partition, rebuilds, rollbacks, crashes, losses, rows of other programs, and rows that
 * go, are inserted again, and whose keys are removed at any time after that.
 *
 * <p>No process denies a key that was acknowledged or that the source shows, until its own row has
 * gone: so neither does a removal take another key with it, nor one of two additions of a key both.
 * No generation is published without such a key, or without what its builder has read, removed
 * meanwhile or not; and from everywhere the processes can get decided answers again. That the model
 * would show a hole is shown by holes: every rule left out is found.
 */
@Tag("thorough")
class ProtocolModelTest {

  private static final Logger log = LoggerFactory.getLogger(ProtocolModelTest.class);

  /** Far more than any scenario has: a model that grows without bound fails, and soon. */
  private static final int MOST_STATES = 1_000_000;

  static Stream<Scenario> scenarios() {
    return (TestForm.THOROUGH ? Scenarios.all() : Scenarios.small()).stream();
  }

  /** Each is found in a scenario of its own: of the short form, if that is. */
  static Stream<Mistake> mistakes() {
    List<Scenario> explored = scenarios().toList();
    return Stream.of(Mistake.values()).filter(mistake -> explored.contains(mistake.scenario()));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void noOrderOfStepsDeniesAKey(Scenario scenario) {
    Explorer.Result result = explore(scenario, null);

    log.info(
        "{}: {} states, {} steps, at most {} steps away",
        scenario,
        result.states(),
        result.steps(),
        result.depth());
    assertThat(result.wrong()).as("%s", String.join("\n", result.way())).isNull();
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  @DisplayName("Every rule is needed")
  void everyRuleLeftOutIsFound(Mistake mistake) {
    Explorer.Result result = explore(mistake.scenario(), mistake);

    log.info(
        "{}, {}: after {} states {}\n  {}",
        mistake,
        mistake.scenario(),
        result.states(),
        result.wrong(),
        String.join("\n  ", result.way()));
    assertThat(result.wrong()).isNotNull().doesNotStartWith("more than");
  }

  private static Explorer.Result explore(Scenario scenario, Mistake mistake) {
    Protocol protocol = new Protocol(scenario, mistake);
    return new Explorer<>(protocol, MOST_STATES).explore(scenario.start());
  }
}
