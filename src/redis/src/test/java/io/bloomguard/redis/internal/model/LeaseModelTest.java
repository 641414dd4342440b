package io.bloomguard.redis.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The protocol of leased copies, explored in every order of its steps: a process that writes, one
 * copy or two that answer by themselves, and time.
 *
 * <p>No copy answers that a key is absent whose add was acknowledged before it read its bits. So no
 * check that begins after an acknowledgement does. That checks in Redis do not is what {@link
 * ProtocolModelTest} shows; an add is acknowledged here later than there. From everywhere, adds are
 * acknowledged within a fixed time, and copies get leases again.
 */
@Tag("thorough")
@Tag("long")
class LeaseModelTest {

  private static final Logger log = LoggerFactory.getLogger(LeaseModelTest.class);

  /** Far more than any scenario has: a model that grows without bound fails, and soon. */
  private static final int MOST_STATES = 1_000_000;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUSPENDED_AND_SET_BACK")
  void noOrderOfStepsDeniesAnAcknowledgedKey(LeaseScenario scenario) {
    Explorer.Result result = explore(scenario, null);

    log.info("{}: {} states, {} steps", scenario, result.states(), result.steps());
    assertThat(result.wrong()).as("%s", String.join("\n", result.way())).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void everyRuleLeftOutIsFound(LeaseMistake mistake) {
    Explorer.Result result = explore(mistake.scenario(), mistake);

    log.info(
        "{}, {}: after {} states and {} steps {}\n  {}",
        mistake,
        mistake.scenario(),
        result.states(),
        result.way().size(),
        result.wrong(),
        String.join("\n  ", result.way()));
    assertThat(result.wrong()).as("%s", mistake).isNotNull().endsWith("is answered to be absent");
  }

  /** The limit that the documentation has to state. */
  @Test
  void aSuspensionWhoseTimeTheWallClockIsSetBackIsNotSeen() {
    Explorer.Result result = explore(LeaseScenario.SUSPENDED_AND_SET_BACK, null);

    log.info("{}\n  {}", result.wrong(), String.join("\n  ", result.way()));
    assertThat(result.wrong()).isEqualTo("key 0 is answered to be absent");
  }

  private static Explorer.Result explore(LeaseScenario scenario, LeaseMistake mistake) {
    LeaseProtocol protocol = new LeaseProtocol(scenario, mistake);
    return new Explorer<>(protocol, MOST_STATES).explore(scenario.start());
  }
}
