package io.bloomguard.redis;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.RebuildBoard;
import io.bloomguard.generation.RebuildNews;
import io.bloomguard.generation.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The generations of a filter whose hash secret is still to be had from Redis. */
public final class LateGenerations extends LateStore<GenerationStore> implements GenerationStore {

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

  /** What to tell the store once it is there. */
  private volatile Consumer<GenerationStore> onceThere = ready -> {};

  /**
   * @param store the generations, or null as long as there is no secret; asked again each time, so
   *     it must be quick to answer
   */
  public LateGenerations(
      String filter, FilterShape configured, Supplier<? extends @Nullable GenerationStore> store) {
    super(filter, configured, store);
  }

  @Override
  public boolean mayBeBehind() {
    GenerationStore ready = ready();
    return ready != null && ready.mayBeBehind();
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
  public long keysRead() {
    GenerationStore ready = ready();
    return ready == null ? 0 : ready.keysRead();
  }

  @Override
  public RebuildBoard board() {
    GenerationStore ready = ready();
    return ready == null ? OUT_OF_REACH : ready.board();
  }

  @Override
  public boolean isBuildDue() {
    GenerationStore ready = ready();
    return ready != null && ready.isBuildDue();
  }

  @Override
  public void refillAfterLoss(boolean canRebuild, Consumer<Instant> since) {
    onceThere = ready -> ready.refillAfterLoss(canRebuild, since);
  }

  @Override
  void onceThere(GenerationStore ready) {
    onceThere.accept(ready);
  }
}
