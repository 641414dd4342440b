package io.bloomguard.classic.internal;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A filter that Redis is asked for each key: it has its enforcement beside it. */
public abstract class AskedStore implements FilterStore {

  /** The reason where Redis is out of reach. */
  protected static final String SILENT = "Redis does not answer, so nothing is certain.";

  private final RedisEnforcement enforcement;

  /**
   * @param enforcement whether its rejections take effect
   */
  protected AskedStore(RedisEnforcement enforcement) {
    this.enforcement = enforcement;
  }

  @Override
  public Membership check(String key) {
    return checkAll(List.of(key))[0];
  }

  @Override
  public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
    return CompletableFuture.supplyAsync(() -> checkAll(keys), waiting);
  }

  @Override
  public Enforcement enforcement() {
    return enforcement;
  }

  @Override
  public void maintain() {
    enforcement.maintain();
  }

  /** The status of a filter that answers, by its set bits. */
  public static FilterStatus filled(long generation, FilterShape shape, long setBits) {
    long set = Math.min(setBits, shape.reachable());
    long elements = shape.estimateElements(set);
    return new FilterStatus(
        FilterState.READY,
        generation,
        shape,
        elements,
        (double) set / shape.reachable(),
        shape.falsePositiveProbabilityAt(elements),
        false);
  }

  /** The explanation of a key of which nothing is known. */
  protected static KeyExplanation unknown(String key, String reason) {
    return new KeyExplanation(key, List.of(), Membership.UNKNOWN, reason);
  }

  /** An add that failed. */
  public static AddFailedException failed(String filter, String why, @Nullable Throwable cause) {
    return new AddFailedException("Filter '" + filter + "' could not take an add: " + why, cause);
  }
}
