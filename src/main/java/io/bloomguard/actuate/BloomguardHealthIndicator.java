package io.bloomguard.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bloomguard.generation.FilterState;
import io.bloomguard.guard.UnknownPolicy;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health {@code bloomguard}: out of service while a filter that is not ready sheds what it
 * cannot tell, up otherwise. A filter whose policy is open lets requests through, so the
 * application still answers.
 */
public final class BloomguardHealthIndicator extends AbstractHealthIndicator {

  private final OperatedFilters filters;

  public BloomguardHealthIndicator(OperatedFilters filters) {
    super("The state of the filters could not be read");
    this.filters = filters;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    builder.up();
    for (OperatedFilter operated : filters.all()) {
      FilterState state = operated.filter().status().state();
      if (sheds(state) && operated.guarded().onUnknown() == UnknownPolicy.CLOSED) {
        builder.outOfService();
      }
      builder.withDetail(
          operated.name(),
          new Detail(
              operated.filter().triesAgain() ? FilterState.WARMING : state,
              policy(operated.guarded().onUnknown()),
              operated.filter().warnings()));
    }
  }

  /** A disarmed filter lets everything through, whatever its policy. */
  private static boolean sheds(FilterState state) {
    return state != FilterState.READY && state != FilterState.DISARMED;
  }

  private static String policy(UnknownPolicy policy) {
    return policy.name().toLowerCase(Locale.ROOT);
  }

  /**
   * How one filter stands.
   *
   * @param state {@code WARMING} too where the warm-up has failed and is tried again
   * @param policy the policy for keys on which it cannot tell: {@code open} or {@code closed}
   * @param warnings what an operator should change about where the filter lives, left out if empty
   */
  record Detail(
      FilterState state,
      String policy,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> warnings) {}
}
