package io.bloomguard.actuate;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * The health {@code bloomguard}: out of service while a filter that is not ready sheds what it
 * cannot tell, up otherwise. A filter whose policy is open lets requests through, so the
 * application still answers.
 */
public final class BloomguardHealthIndicator extends AbstractHealthIndicator {

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
    boolean sheds = FilterHealth.describe(filters, servers, builder::withDetail);
    builder.status(sheds ? Status.OUT_OF_SERVICE : Status.UP);
  }
}
