package io.bloomguard.generation.internal.local;

import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.AddsSince;
import io.bloomguard.generation.internal.ImageRefusedException;
import io.bloomguard.generation.internal.ParallelFill;
import io.bloomguard.generation.internal.local.LocalState.Generation;
import io.bloomguard.image.ImageSet;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A generation of a local filter that is being built. */
final class LocalBuild implements GenerationStore.Build {

  private final String run;
  private final Generation generation;
  private final LocalTransitions transitions;
  private final Consumer<Generation> save;
  private final @Nullable ImageSet set;
  private @Nullable ParallelFill fill;
  private final Whole whole;

  /** How far back the journal has every add, at the time of the call. */
  interface Whole {
    Instant since(Instant now);
  }

  /**
   * The build of a generation that has been registered.
   *
   * @param save keeps the generation for the next process once it serves
   * @param set the image set that it was begun for, null for none
   * @param whole tells how far back the journal reaches
   * @param helpers threads that hash the keys besides the one that reads them
   */
  LocalBuild(
      String run,
      Generation generation,
      LocalTransitions transitions,
      Consumer<Generation> save,
      @Nullable ImageSet set,
      Whole whole,
      int helpers) {
    this.set = set;
    this.whole = whole;
    this.run = run;
    this.generation = generation;
    this.transitions = transitions;
    this.save = save;
    BlockedFill way = generation.fill();
    this.fill =
        way != null && generation.bits instanceof BlockedFilter blocked
            ? new ParallelFill(blocked.hasher(), List.of(way), helpers)
            : null;
  }

  @Override
  public String run() {
    return run;
  }

  /**
   * Adds the hashes of adds that were acknowledged before the build was registered.
   *
   * @param words the longs of one hash
   */
  void replay(long[] hashes, int count, int words) {
    for (int i = 0; i < count; i++) {
      generation.addHash(hashes, i * words);
    }
  }

  @Override
  public void follows(long begun) {
    generation.follows(begun);
  }

  @Override
  public void addAll(String[] keys, int count) {
    if (fill != null) {
      fill.addAll(keys, count);
    } else {
      generation.bits.addAll(keys, count);
    }
  }

  @Override
  public void addAll(long[] keys, int count) {
    if (fill != null) {
      fill.addAll(keys, count);
    } else {
      for (int i = 0; i < count; i++) {
        generation.bits.add(keys[i]);
      }
    }
  }

  /**
   * Merges the slices into the bits, which have the replayed and all later adds. Where those are
   * not enough, the set is better than nothing, but denies no key.
   */
  @Override
  public @Nullable String load(ImageSet.Files files, boolean complete) throws IOException {
    if (set == null || fill == null || !(generation.bits instanceof BlockedFilter bits)) {
      throw new ImageRefusedException("Only filters of the layout 'blocked' take image sets");
    }
    Instant now = Instant.now();
    AddsSince.require(
        set, Fingerprint.of(set.plan().filter(), bits.shape(), bits.hasher(), 1, 0), now);
    Generation serving = transitions.state().serving;
    String doubt =
        AddsSince.of(set.plan().filter(), set, whole.since(now), Duration.ZERO, complete)
            .doubt(serving != null && serving.denies());
    fill.finish();
    fill.close();
    fill = null;
    generation.filled();
    for (ImageSet.Slice slice : set.slices()) {
      slice.read(files, (partition, offset, words) -> bits.mergeWords(offset / Long.BYTES, words));
    }
    generation.comesFrom(set.asOf(), doubt == null);
    return doubt;
  }

  @Override
  public void publish(long keysRead) {
    generation.wasBuiltFrom(keysRead);
    if (fill != null) {
      fill.finish();
      generation.filled();
    }
    transitions.publish(generation);
    save.accept(generation);
  }

  @Override
  public void close() {
    if (fill != null) {
      fill.close();
    }
    transitions.giveUp(generation);
  }
}
