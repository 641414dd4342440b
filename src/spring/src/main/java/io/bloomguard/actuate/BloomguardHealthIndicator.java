package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilters;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * The health {@code bloomguard}: out of service while a filter that is not ready sheds what it
 * cannot tell, up otherwise. A filter whose policy is open lets requests through, so the
 * application still answers. Up and "switched off" where {@code bloomguard.enabled} is false.
 */
@RegisterReflectionForBinding(StoreServers.Server.class)
public final class BloomguardHealthIndicator extends AbstractHealthIndicator {

  private final @Nullable OperatedFilters filters;
  private final StoreServers servers;

  /**
   * The health of all filters of an application.
   *
   * @param filters the filters to look at, each time that the health is asked for; null if the
   *     library is switched off
   * @param servers told in the details; no server takes the application out of service
   */
  public BloomguardHealthIndicator(@Nullable OperatedFilters filters, StoreServers servers) {
    super("The state of the filters could not be read");
    this.filters = filters;
    this.servers = servers;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    if (filters == null) {
      builder.up().withDetail("state", "switched off: bloomguard.enabled is false");
      return;
    }
    boolean sheds = FilterHealth.describe(filters, servers, builder::withDetail);
    builder.status(sheds ? Status.OUT_OF_SERVICE : Status.UP);
  }
}
