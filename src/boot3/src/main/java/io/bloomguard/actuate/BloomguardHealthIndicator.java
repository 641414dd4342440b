package io.bloomguard.actuate;

import io.bloomguard.generation.FilterState;
import java.util.List;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/**
 * The health {@code bloomguard}: out of service while a filter that is not ready sheds what it
 * cannot tell, up otherwise. A filter whose policy is open lets requests through, so the
 * application still answers.
 */
public final class BloomguardHealthIndicator extends AbstractHealthIndicator {

  /** No filter can have this name. */
  static final String SERVERS = "redisServers";

  private final OperatedFilters filters;
  private final StoreServers servers;

  /**
   * @param servers told in the details; no server takes the application out of service
   */
  public BloomguardHealthIndicator(OperatedFilters filters, StoreServers servers) {
    super("The state of the filters could not be read");
    this.filters = filters;
    this.servers = servers;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    builder.up();
    for (OperatedFilter operated : filters.all()) {
      FilterState state = operated.filter().status().state();
      if (FilterHealth.sheds(operated, state)) {
        builder.outOfService();
      }
      builder.withDetail(operated.name(), FilterHealth.of(operated, state));
    }
    List<StoreServers.Server> connected = servers.servers();
    if (!connected.isEmpty()) {
      builder.withDetail(SERVERS, connected);
    }
  }
}
