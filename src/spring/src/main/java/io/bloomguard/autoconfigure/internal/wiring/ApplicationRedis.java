package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.redis.internal.client.RedisConnections;

/** The application's Redis, as its settings have it, for every backend there. */
public interface ApplicationRedis {

  /**
   * A filter's dimensions in Redis, in the blocks of which a check reads the fewest words. Counters
   * of smaller blocks are no fewer to be read.
   */
  static FilterShape sized(FilterShape shape) {
    long n = shape.expectedInsertions();
    double p = shape.falsePositiveProbability();
    return shape.layout() == Layout.BLOCKED
        ? Sizing.blocked(n, p, Sizing.fewestBlockWords(p))
        : shape;
  }

  /** The connections, which the first call opens. */
  RedisConnections connections();

  /** What every key of ours begins with. */
  String keyPrefix();

  /**
   * The secret under which keys are hashed.
   *
   * @param filter what needs it
   * @throws StartRefusedException if none is configured
   */
  HashSecret secret(String filter);
}
