package io.bloomguard.test;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.LocalEnforcement;
import io.bloomguard.guard.Membership;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The backend of an application that keeps its filters as sets of hashes. */
final class SetBackend implements FilterBackend {

  @Override
  public String name() {
    return "sets";
  }

  @Override
  public GenerationStore store(StoreOrder order) {
    return new SetStore(order);
  }

  private static final class Generation {

    private final Set<Long> hashes;
    private final FilterShape shape;
    private long number;
    private long keysRead;

    Generation(Set<Long> hashes, FilterShape shape) {
      this.hashes = new HashSet<>(hashes);
      this.shape = shape;
    }
  }

  private static final class SetStore implements GenerationStore {

    private final String filter;
    private final FilterShape shape;
    private final KeyHasher hasher;
    private final Enforcement enforcement = new LocalEnforcement();
    private final Set<Long> added = new HashSet<>();
    private @Nullable Generation serving;
    private @Nullable Generation previous;
    private @Nullable Generation building;
    private long last;
    private long cooldownEnd = System.nanoTime();

    SetStore(StoreOrder order) {
      this.filter = order.filter();
      this.shape = order.shape();
      this.hasher = order.hasher();
    }

    @Override
    public String backend() {
      return "sets";
    }

    @Override
    public synchronized Membership check(String key) {
      if (serving == null) {
        return Membership.UNKNOWN;
      }
      return serving.hashes.contains(hasher.hash(key))
          ? Membership.POSSIBLY_PRESENT
          : Membership.ABSENT;
    }

    @Override
    public synchronized boolean[] addEach(List<String> keys) {
      boolean[] isNew = new boolean[keys.size()];
      for (int i = 0; i < isNew.length; i++) {
        long hash = hasher.hash(keys.get(i));
        isNew[i] = serving == null ? !added.contains(hash) : !serving.hashes.contains(hash);
        added.add(hash);
        Stream.of(generations()).forEach(generation -> generation.hashes.add(hash));
      }
      return isNew;
    }

    private Generation[] generations() {
      return Stream.of(new Generation[] {serving, previous, building})
          .filter(generation -> generation != null)
          .toArray(Generation[]::new);
    }

    @Override
    public synchronized long generation() {
      return serving == null ? 0 : serving.number;
    }

    @Override
    public String keyHash(String key) {
      return HexFormat.of().toHexDigits(hasher.hash(key));
    }

    @Override
    public synchronized FilterStatus status() {
      Generation now = serving;
      if (now == null) {
        return new FilterStatus(FilterState.EMPTY, 0, shape, 0, 0, 0, false);
      }
      long keys = now.hashes.size();
      return new FilterStatus(
          FilterState.READY,
          now.number,
          now.shape,
          keys,
          now.shape.fillRatioAt(keys),
          now.shape.falsePositiveProbabilityAt(keys),
          previous != null);
    }

    @Override
    public KeyExplanation explain(String key) {
      return new KeyExplanation(key, List.of(), check(key), "that is what the set says");
    }

    @Override
    public Enforcement enforcement() {
      return enforcement;
    }

    @Override
    public synchronized void serveEmpty(FilterShape shape) {
      if (serving == null) {
        serve(new Generation(added, shape));
      }
    }

    private void serve(Generation next) {
      next.number = ++last;
      previous = serving;
      serving = next;
    }

    @Override
    public synchronized Build beginBuild(FilterShape shape, String run) {
      if (building != null) {
        throw new BuildRunningException(filter);
      }
      building = new Generation(added, shape);
      return new SetBuild(building, run);
    }

    @Override
    public synchronized boolean rollback() {
      if (previous == null) {
        return false;
      }
      serving = previous;
      previous = null;
      return true;
    }

    @Override
    public synchronized long keysRead() {
      return serving == null ? 0 : serving.keysRead;
    }

    @Override
    public synchronized Duration cooldown() {
      return Duration.ofNanos(Math.max(0, cooldownEnd - System.nanoTime()));
    }

    @Override
    public synchronized Duration startCooldown(Duration length) {
      Duration remaining = cooldown();
      if (remaining.isZero()) {
        cooldownEnd = System.nanoTime() + length.toNanos();
      }
      return remaining;
    }

    private final class SetBuild implements Build {

      private final Generation next;
      private final String run;

      SetBuild(Generation next, String run) {
        this.next = next;
        this.run = run;
      }

      @Override
      public String run() {
        return run;
      }

      @Override
      public void addAll(String[] keys, int count) {
        synchronized (SetStore.this) {
          Arrays.stream(keys, 0, count).forEach(key -> next.hashes.add(hasher.hash(key)));
        }
      }

      @Override
      public void addAll(long[] keys, int count) {
        synchronized (SetStore.this) {
          Arrays.stream(keys, 0, count).forEach(key -> next.hashes.add(hasher.hash(key)));
        }
      }

      @Override
      public void publish(long keysRead) {
        synchronized (SetStore.this) {
          next.keysRead = keysRead;
          serve(next);
        }
      }

      @Override
      public void close() {
        synchronized (SetStore.this) {
          if (building == next) {
            building = null;
          }
        }
      }
    }
  }
}
