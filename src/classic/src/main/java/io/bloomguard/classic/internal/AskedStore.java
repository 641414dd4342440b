package io.bloomguard.classic.internal;

import io.bloomguard.generation.FilterStore;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A filter that Redis is asked for each key: it has its enforcement beside it. */
public abstract class AskedStore implements FilterStore {

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
}
