package io.bloomguard.redis;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.JournalSize;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.RebuildBoard;
import io.bloomguard.generation.RebuildNews;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.guard.verify.Enforcement;
import io.bloomguard.guard.verify.FilterMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The generations of a filter whose hash secret is still to be had from Redis: every answer is
 * unknown until it is. An application therefore starts without Redis too.
 */
public final class LateGenerations implements GenerationStore {

  private static final String WHY = "The shared hash secret cannot be had from Redis yet";

  private static final RebuildBoard OUT_OF_REACH =
      new RebuildBoard() {
        @Override
        public RebuildNews read() {
          return RebuildNews.NONE;
        }

        @Override
        public boolean cancel() {
          throw new StoreUnavailableException(WHY, null);
        }
      };

  private final String filter;
  private final FilterShape configured;
  private final Supplier<? extends @Nullable GenerationStore> store;

  private final Enforcement enforcement = new LateEnforcement();

  /** What to tell the store once it is there. */
  private volatile Consumer<GenerationStore> onceThere = ready -> {};

  /**
   * @param store the generations, or null as long as there is no secret; asked again each time, so
   *     it must be quick to answer
   */
  public LateGenerations(
      String filter, FilterShape configured, Supplier<? extends @Nullable GenerationStore> store) {
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
    GenerationStore ready = store.get();
    return ready == null ? Membership.UNKNOWN : ready.check(key);
  }

  @Override
  public Membership check(long key) {
    GenerationStore ready = store.get();
    return ready == null ? Membership.UNKNOWN : ready.check(key);
  }

  @Override
  public long generation() {
    GenerationStore ready = store.get();
    return ready == null ? 0 : ready.generation();
  }

  @Override
  public String keyHash(String key) {
    GenerationStore ready = store.get();
    return ready == null ? "" : ready.keyHash(key);
  }

  @Override
  public @Nullable WindowStatus window() {
    GenerationStore ready = store.get();
    return ready == null ? null : ready.window();
  }

  @Override
  public boolean mayBeBehind() {
    GenerationStore ready = store.get();
    return ready != null && ready.mayBeBehind();
  }

  @Override
  public Membership[] checkAll(List<String> keys) {
    GenerationStore ready = store.get();
    if (ready != null) {
      return ready.checkAll(keys);
    }
    Membership[] answers = new Membership[keys.size()];
    Arrays.fill(answers, Membership.UNKNOWN);
    return answers;
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    GenerationStore ready = store.get();
    if (ready == null) {
      throw new AddFailedException("Filter '" + filter + "' could not take an add: " + WHY, null);
    }
    onceThere.accept(ready);
    return ready.addEach(keys);
  }

  @Override
  public long servingStamp() {
    GenerationStore ready = store.get();
    return ready == null ? 0 : ready.servingStamp();
  }

  @Override
  public boolean removes() {
    return configured.layout().removes();
  }

  @Override
  public int removeAll(List<String> keys, long stamp) {
    GenerationStore ready = store.get();
    if (ready == null && stamp == 0) {
      throw RemovalFailedException.repeatable(
          "Filter '" + filter + "' could not remove keys: " + WHY, null);
    }
    return ready == null ? 0 : ready.removeAll(keys, stamp);
  }

  @Override
  public boolean likelyPresent(String key) {
    GenerationStore ready = store.get();
    return ready != null && ready.likelyPresent(key);
  }

  @Override
  public JournalSize journalSize() {
    GenerationStore ready = store.get();
    return ready == null ? GenerationStore.super.journalSize() : ready.journalSize();
  }

  @Override
  public double replicaLagSeconds() {
    GenerationStore ready = store.get();
    return ready == null ? Double.NaN : ready.replicaLagSeconds();
  }

  @Override
  public FilterStatus status() {
    GenerationStore ready = store.get();
    return ready == null
        ? new FilterStatus(FilterState.DOUBTFUL, 0, configured, 0, 0, 0, false)
        : ready.status();
  }

  @Override
  public KeyExplanation explain(String key) {
    GenerationStore ready = store.get();
    return ready == null
        ? new KeyExplanation(key, List.of(), Membership.UNKNOWN, WHY + ".")
        : ready.explain(key);
  }

  @Override
  public void serveEmpty(FilterShape shape) {
    required().serveEmpty(shape);
  }

  @Override
  public Build beginBuild(FilterShape shape, String run) {
    return required().beginBuild(shape, run);
  }

  @Override
  public Build beginAsItIs(FilterShape shape, String run) {
    return required().beginAsItIs(shape, run);
  }

  @Override
  public boolean rollback() {
    return required().rollback();
  }

  @Override
  public Duration cooldown() {
    return required().cooldown();
  }

  @Override
  public Duration startCooldown(Duration length) {
    return required().startCooldown(length);
  }

  @Override
  public Enforcement enforcement() {
    return enforcement;
  }

  @Override
  public long keysRead() {
    GenerationStore ready = store.get();
    return ready == null ? 0 : ready.keysRead();
  }

  @Override
  public RebuildBoard board() {
    GenerationStore ready = store.get();
    return ready == null ? OUT_OF_REACH : ready.board();
  }

  @Override
  public void giveSignOfLife() {
    GenerationStore ready = store.get();
    if (ready != null) {
      ready.giveSignOfLife();
    }
  }

  @Override
  public void maintain() {
    GenerationStore ready = store.get();
    if (ready != null) {
      onceThere.accept(ready);
      ready.maintain();
    }
  }

  @Override
  public boolean isBuildDue() {
    GenerationStore ready = store.get();
    return ready != null && ready.isBuildDue();
  }

  @Override
  public List<String> warnings() {
    GenerationStore ready = store.get();
    return ready == null ? List.of() : ready.warnings();
  }

  @Override
  public void refillAfterLoss(boolean canRebuild, Consumer<Instant> since) {
    onceThere = ready -> ready.refillAfterLoss(canRebuild, since);
  }

  @Override
  public void close() {
    GenerationStore ready = store.get();
    if (ready != null) {
      ready.close();
    }
  }

  /** Before there is a store, nothing is rejected, so that nothing is rejected wrongly. */
  private final class LateEnforcement implements Enforcement {

    @Override
    public Standing standing() {
      GenerationStore ready = store.get();
      return ready == null ? Standing.INITIAL : ready.enforcement().standing();
    }

    @Override
    public void disarm(long generation) {
      GenerationStore ready = store.get();
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

  private GenerationStore required() {
    GenerationStore ready = store.get();
    if (ready == null) {
      throw new StoreUnavailableException(WHY, null);
    }
    onceThere.accept(ready);
    return ready;
  }
}
