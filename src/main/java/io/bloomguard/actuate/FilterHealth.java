package io.bloomguard.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bloomguard.generation.FilterState;
import io.bloomguard.guard.UnknownPolicy;
import java.util.List;
import java.util.Locale;

/**
 * The health of one filter, as the details of {@link BloomguardHealthIndicator} have it.
 *
 * @param state {@code WARMING} too where the warm-up has failed and is tried again
 * @param policy the policy for keys on which it cannot tell: {@code open} or {@code closed}
 * @param warnings what an operator should change about where the filter lives, left out if empty
 */
record FilterHealth(
    FilterState state,
    String policy,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> warnings) {

  static FilterHealth of(OperatedFilter operated, FilterState state) {
    return new FilterHealth(
        operated.filter().triesAgain() ? FilterState.WARMING : state,
        operated.guarded().onUnknown().name().toLowerCase(Locale.ROOT),
        operated.filter().warnings());
  }

  /**
   * Whether the filter answers 503 for want of knowledge. A disarmed one lets everything through,
   * whatever its policy.
   */
  static boolean sheds(OperatedFilter operated, FilterState state) {
    return state != FilterState.READY
        && state != FilterState.DISARMED
        && operated.guarded().onUnknown() == UnknownPolicy.CLOSED;
  }
}
