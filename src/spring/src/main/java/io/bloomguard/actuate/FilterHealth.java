package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.guard.internal.UnknownPolicy;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;

/**
 * The health of one filter, as the details of {@link BloomguardHealthIndicator} have it: its {@code
 * state}, {@code WARMING} too where the warm-up has failed and is tried again, its {@code policy}
 * for keys on which it cannot tell, and the {@code warnings} that an operator should heed, if any.
 */
final class FilterHealth {

  /** No filter can have this name. */
  static final String SERVERS = "redisServers";

  private FilterHealth() {}

  /**
   * Passes the health of each filter to {@code details}, and the servers if there are any.
   *
   * @return whether any filter sheds
   */
  static boolean describe(
      OperatedFilters filters, StoreServers servers, BiConsumer<String, Object> details) {
    boolean sheds = false;
    for (OperatedFilter operated : filters.all()) {
      FilterState state = operated.filter().status().state();
      sheds |= sheds(operated, state);
      details.accept(operated.name(), of(operated, state));
    }
    List<StoreServers.Server> connected = servers.servers();
    if (!connected.isEmpty()) {
      details.accept(SERVERS, connected);
    }
    return sheds;
  }

  private static EndpointAnswer of(OperatedFilter operated, FilterState state) {
    return EndpointAnswer.of("state", operated.filter().triesAgain() ? FilterState.WARMING : state)
        .with("policy", operated.guarded().onUnknown().name().toLowerCase(Locale.ROOT))
        .with("warnings", operated.warnings());
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
