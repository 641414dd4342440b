package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.RebuildStatusStore;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.redis.internal.build.RedisBuild;
import io.bloomguard.redis.internal.partition.Clocks;
import io.bloomguard.redis.internal.partition.PartitionReplica;
import io.bloomguard.redis.internal.partition.RecoverySettings;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The store of a process that knows one scheme alone, whose copy is updated as a test says. */
public final class SchemeStore extends RedisGenerations implements ReplicatedStore {

  private final FilterParts parts;
  private final KeyHasher hasher;
  private final boolean removes;

  public SchemeStore(RedisFilter filter, SchemeContext context, Limits limits, Clocks clocks) {
    this(FilterParts.of(filter, limits, clocks), context);
  }

  private SchemeStore(FilterParts parts, SchemeContext context) {
    super(parts, context);
    this.parts = parts;
    this.hasher = context.hasher();
    this.removes = parts.filter().configured().layout().removes();
  }

  @Override
  public String backend() {
    return "redis";
  }

  @Override
  public Membership check(String key) {
    return checkHash(hasher.hash(key));
  }

  @Override
  public Membership check(long key) {
    return checkHash(hasher.hash(key));
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
    return parts.board().cooldown();
  }

  @Override
  public Duration startCooldown(Duration length) {
    return parts.board().startCooldown(length);
  }

  @Override
  public Enforcement enforcement() {
    return parts.enforcement();
  }

  @Override
  public RebuildStatusStore rebuildStatus() {
    return parts.board();
  }

  @Override
  public Build beginBuild(FilterShape shape, String run) {
    return beginImages(null, shape, run);
  }

  @Override
  public void comesFrom(String source) {
    upkeep().comesFrom(RedisBuild.hashed(source, hasher));
  }

  @Override
  public long keysRead() {
    return root().keysRead();
  }

  @Override
  public @Nullable Instant imagesAsOf() {
    long asOf = root().asOf();
    return asOf == 0 ? null : Instant.ofEpochMilli(asOf);
  }

  @Override
  public void prepare() {
    upkeep().prepare();
  }

  @Override
  public void maintain() {
    upkeep().maintain();
  }

  @Override
  public void heartbeat() {
    upkeep().heartbeat();
  }

  @Override
  public List<String> warnings() {
    return upkeep().warnings();
  }

  @Override
  public void refillAfterLoss(boolean canRebuild, Consumer<Instant> since) {
    parts.refill().set(new RecoverySettings.Refill(canRebuild, since));
  }

  @Override
  public boolean likelyPresent(String key) {
    long hash = hasher.hash(key);
    PartitionReplica replica = partitionOf(hash).replica();
    return replica != null && replica.likelyPresent(hash);
  }

  public @Nullable Boolean foundNothing(long hash) {
    PartitionReplica replica = partitionOf(hash).replica();
    return replica == null ? null : replica.foundNothing(hash);
  }
}
