package io.bloomguard.redis;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.JournalSize;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.guard.verify.Enforcement;
import io.bloomguard.guard.verify.FilterMode;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A filter whose hash secret is still to be had from Redis: every answer is unknown until it is. An
 * application therefore starts without Redis too.
 */
public class LateStore<S extends FilterStore> implements FilterStore {

  static final String WHY = "The shared hash secret cannot be had from Redis yet";

  private final String filter;
  private final FilterShape configured;
  private final Supplier<? extends @Nullable S> store;

  private final Enforcement enforcement = new LateEnforcement();

  /**
   * @param store the store, or null as long as there is no secret; asked again each time, so it
   *     must be quick to answer
   */
  public LateStore(String filter, FilterShape configured, Supplier<? extends @Nullable S> store) {
    this.filter = filter;
    this.configured = configured;
    this.store = store;
  }

  @Override
  public String backend() {
    return RedisGenerations.backend(configured);
  }

  @Override
  public Membership check(String key) {
    S ready = ready();
    return ready == null ? Membership.UNKNOWN : ready.check(key);
  }

  @Override
  public Membership check(long key) {
    S ready = ready();
    return ready == null ? Membership.UNKNOWN : ready.check(key);
  }

  @Override
  public long generation() {
    S ready = ready();
    return ready == null ? 0 : ready.generation();
  }

  @Override
  public String keyHash(String key) {
    S ready = ready();
    return ready == null ? "" : ready.keyHash(key);
  }

  @Override
  public @Nullable WindowStatus window() {
    S ready = ready();
    return ready == null ? null : ready.window();
  }

  @Override
  public Membership[] checkAll(List<String> keys) {
    S ready = ready();
    if (ready != null) {
      return ready.checkAll(keys);
    }
    Membership[] answers = new Membership[keys.size()];
    Arrays.fill(answers, Membership.UNKNOWN);
    return answers;
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    S ready = ready();
    if (ready == null) {
      throw new AddFailedException("Filter '" + filter + "' could not take an add: " + WHY, null);
    }
    onceThere(ready);
    return ready.addEach(keys);
  }

  @Override
  public long servingStamp() {
    S ready = ready();
    return ready == null ? 0 : ready.servingStamp();
  }

  @Override
  public boolean removes() {
    return configured.layout().removes();
  }

  @Override
  public int removeAll(List<String> keys, long stamp) {
    S ready = ready();
    if (ready == null && stamp == 0) {
      throw RemovalFailedException.repeatable(
          "Filter '" + filter + "' could not remove keys: " + WHY, null);
    }
    return ready == null ? 0 : ready.removeAll(keys, stamp);
  }

  @Override
  public boolean likelyPresent(String key) {
    S ready = ready();
    return ready != null && ready.likelyPresent(key);
  }

  @Override
  public JournalSize journalSize() {
    S ready = ready();
    return ready == null ? FilterStore.super.journalSize() : ready.journalSize();
  }

  @Override
  public double replicaLagSeconds() {
    S ready = ready();
    return ready == null ? Double.NaN : ready.replicaLagSeconds();
  }

  @Override
  public FilterStatus status() {
    S ready = ready();
    return ready == null
        ? new FilterStatus(FilterState.DOUBTFUL, 0, configured, 0, 0, 0, false)
        : ready.status();
  }

  @Override
  public KeyExplanation explain(String key) {
    S ready = ready();
    return ready == null
        ? new KeyExplanation(key, List.of(), Membership.UNKNOWN, WHY + ".")
        : ready.explain(key);
  }

  @Override
  public void serveEmpty(FilterShape shape) {
    required().serveEmpty(shape);
  }

  @Override
  public Enforcement enforcement() {
    return enforcement;
  }

  @Override
  public void giveSignOfLife() {
    S ready = ready();
    if (ready != null) {
      ready.giveSignOfLife();
    }
  }

  @Override
  public void maintain() {
    S ready = ready();
    if (ready != null) {
      onceThere(ready);
      ready.maintain();
    }
  }

  @Override
  public List<String> warnings() {
    S ready = ready();
    return ready == null ? List.of() : ready.warnings();
  }

  @Override
  public void close() {
    S ready = ready();
    if (ready != null) {
      ready.close();
    }
  }

  /** The store, null as long as there is no secret. */
  final @Nullable S ready() {
    return store.get();
  }

  /**
   * The store, which has been told what it must know.
   *
   * @throws StoreUnavailableException as long as there is no secret
   */
  final S required() {
    S ready = ready();
    if (ready == null) {
      throw new StoreUnavailableException(WHY, null);
    }
    onceThere(ready);
    return ready;
  }

  /** Tells the store, each time before it is changed, what it must know by then. */
  void onceThere(S ready) {}

  /** Before there is a store, nothing is rejected, so that nothing is rejected wrongly. */
  private final class LateEnforcement implements Enforcement {

    @Override
    public Standing standing() {
      S ready = ready();
      return ready == null ? Standing.INITIAL : ready.enforcement().standing();
    }

    @Override
    public void disarm(long generation) {
      S ready = ready();
      if (ready != null) {
        ready.enforcement().disarm(generation);
      }
    }

    @Override
    public void arm() {
      required().enforcement().arm();
    }

    @Override
    public boolean armFor(long generation) {
      return required().enforcement().armFor(generation);
    }

    @Override
    public void mode(FilterMode mode) {
      required().enforcement().mode(mode);
    }
  }
}
