package io.bloomguard.generation.internal.local;

import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.ParallelFill;
import io.bloomguard.generation.internal.local.LocalState.Generation;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A generation of a local filter that is being built. */
final class LocalBuild implements GenerationStore.Build {

  private final String run;
  private final Generation generation;
  private final LocalTransitions transitions;
  private final Consumer<Generation> save;
  private final @Nullable ParallelFill fill;

  /**
   * The build of a generation that has been registered.
   *
   * @param save keeps the generation for the next process once it serves
   * @param helpers threads that hash the keys besides the one that reads them
   */
  LocalBuild(
      String run,
      Generation generation,
      LocalTransitions transitions,
      Consumer<Generation> save,
      int helpers) {
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
