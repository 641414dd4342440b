package io.bloomguard.actuate;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RebuildStatusStore;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.Membership;
import java.time.Duration;
import java.util.List;

/** A shared store that is out of reach: it knows nothing, and changes nothing. */
final class UnreachableStore implements GenerationStore, RebuildStatusStore, Enforcement {

  private static final FilterShape SHAPE = Sizing.shape(Layout.BLOCKED, 1_000, 0.01);

  private static StoreUnavailableException away() {
    return new StoreUnavailableException("Redis is not connected", null);
  }

  @Override
  public String backend() {
    return "redis";
  }

  @Override
  public Membership check(String key) {
    return Membership.UNKNOWN;
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    throw new AddFailedException("Redis is not connected", null);
  }

  @Override
  public FilterStatus status() {
    return new FilterStatus(FilterState.DOUBTFUL, 0, SHAPE, 0, 0, 0, false);
  }

  @Override
  public KeyExplanation explain(String key) {
    return new KeyExplanation(key, List.of(), Membership.UNKNOWN, "Redis is not connected.");
  }

  @Override
  public void serveEmpty(FilterShape shape) {
    throw away();
  }

  @Override
  public Build beginBuild(FilterShape shape, String run) {
    throw away();
  }

  @Override
  public boolean rollback() {
    throw away();
  }

  @Override
  public Duration cooldown() {
    throw away();
  }

  @Override
  public Duration startCooldown(Duration length) {
    throw away();
  }

  @Override
  public RebuildStatusStore rebuildStatus() {
    return this;
  }

  @Override
  public RebuildStatus read() {
    return RebuildStatus.NONE;
  }

  @Override
  public boolean cancel() {
    throw away();
  }

  @Override
  public Enforcement enforcement() {
    return this;
  }

  @Override
  public Standing standing() {
    return Standing.INITIAL;
  }

  @Override
  public void disarm(long generation) {
    // The others cannot be told.
  }

  @Override
  public void arm() {
    throw away();
  }

  @Override
  public boolean armFor(long generation) {
    throw away();
  }

  @Override
  public void mode(FilterMode mode) {
    throw away();
  }
}
