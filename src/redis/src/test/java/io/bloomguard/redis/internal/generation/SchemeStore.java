package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.RebuildStatusStore;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.partition.Clocks;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The store of a process that knows one scheme alone, whose copy is updated as a test says. */
public final class SchemeStore extends RedisGenerations implements ReplicatedStore {

  private final RedisEnforcement enforcement;
  private final KeyHasher hasher;
  private final boolean removes;

  public SchemeStore(
      RedisFilter filter,
      SchemeContext context,
      Limits limits,
      Clocks clocks,
      RedisEnforcement enforcement) {
    super(filter, context, limits, clocks, enforcement);
    this.enforcement = enforcement;
    this.hasher = context.hasher();
    this.removes = filter.configured().layout().removes();
  }

  @Override
  public String backend() {
    return "redis";
  }

  @Override
  public Membership check(String key) {
    return checkHash(hash(key));
  }

  @Override
  public Membership check(long key) {
    return checkHash(hash(key));
  }

  @Override
  public String keyHash(String key) {
    return HexFormat.of().toHexDigits(hasher.hash(key));
  }

  @Override
  public Membership checkHash(String keyHash) {
    return checkHash(HexFormat.fromHexDigitsToLong(keyHash));
  }

  @Override
  public Membership[] checkAll(List<String> keys) {
    return checkAll(keys, Duration.ZERO);
  }

  @Override
  public Membership[] checkAll(List<String> keys, Duration atLeast) {
    return checkHashes(hashes(keys), atLeast);
  }

  @Override
  public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
    return checkHashesAsync(hashes(keys), waiting);
  }

  @Override
  public boolean removes() {
    return removes;
  }

  @Override
  public int removeAll(List<String> keys, long stamp) {
    return removeAll(hashes(keys), stamp);
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    PendingAdd added = beginAdd(keys);
    added.await();
    return added.isNew();
  }

  @Override
  public PendingAdd beginAdd(List<String> keys) {
    return beginAdd(hashes(keys));
  }

  @Override
  public Duration cooldown() {
    return board().cooldown();
  }

  @Override
  public Duration startCooldown(Duration length) {
    return board().startCooldown(length);
  }

  @Override
  public Enforcement enforcement() {
    return enforcement;
  }

  @Override
  public RebuildStatusStore rebuildStatus() {
    return board();
  }
}
