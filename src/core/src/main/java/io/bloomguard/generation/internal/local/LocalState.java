package io.bloomguard.generation.internal.local;

import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.generation.internal.KnownFalsePositives;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import io.bloomguard.guard.Membership;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** All generations of a local filter at one moment. Immutable, but the generations are not. */
final class LocalState {

  /** The state without any generation. */
  static final LocalState EMPTY = new LocalState(null, null, null, 0, 0);

  /** The generation that answers checks, null before the first. */
  final @Nullable Generation serving;

  /** The generation being built, null for none. */
  final @Nullable Generation building;

  /** The previous generation, null once its grace period is over. */
  final @Nullable Generation previous;

  /** The time at which {@link #previous} stopped serving. */
  final long swapped;

  /** The highest number given to a generation. */
  private final long last;

  private LocalState(
      @Nullable Generation serving,
      @Nullable Generation building,
      @Nullable Generation previous,
      long swapped,
      long last) {
    this.serving = serving;
    this.building = building;
    this.previous = previous;
    this.swapped = swapped;
    this.last = last;
  }

  /** The state in which a snapshot serves as the first generation. */
  static LocalState restored(Snapshot.Restored snapshot, KnownFalsePositives known) {
    return new LocalState(new Generation(1, snapshot, known), null, null, 0, 1);
  }

  /** The state in which the next generation is being built. */
  LocalState withBuilding(MembershipFilter bits, KnownFalsePositives known) {
    Generation next = new Generation(last + 1, bits, known);
    return new LocalState(serving, next, previous, swapped, last + 1);
  }

  /** The state in which the serving snapshot is refuted: no generation serves. */
  LocalState withoutServing() {
    return new LocalState(null, building, previous, swapped, last);
  }

  /** The state in which the generation being built is given up, and its number with it. */
  LocalState withoutBuilding() {
    return new LocalState(serving, null, previous, swapped, last - 1);
  }

  /**
   * The state in which the generation that was being built serves. Neither a snapshot is kept for a
   * rollback, nor a generation that followed an earlier begin of the feed.
   */
  LocalState published(long now) {
    boolean kept =
        serving != null
            && building != null
            && serving.snapshotTime == null
            && serving.begun >= building.begun;
    Generation before = kept ? serving : null;
    return new LocalState(building, null, /* previous= */ before, now, last);
  }

  /**
   * The state in which the previous generation serves again, and the one that served is given up.
   */
  LocalState rolledBack(long now) {
    return new LocalState(/* serving= */ previous, building, /* previous= */ null, now, last);
  }

  /** The state in which the previous generation is given up. */
  LocalState withoutPrevious() {
    return new LocalState(serving, building, null, swapped, last);
  }

  /** Whether an add hears which of its keys are new. */
  boolean tells() {
    return serving != null && serving.denies;
  }

  /**
   * Adds the keys of hashes to every generation.
   *
   * @param words the longs of one hash
   * @return for each key whether it was absent from the serving generation until then
   */
  boolean[] addEach(long[] hashes, int words) {
    boolean[] isNew = new boolean[hashes.length / words];
    for (int i = 0; i < isNew.length; i++) {
      int at = i * words;
      if (building != null) {
        building.addHash(hashes, at);
      }
      if (previous != null) {
        previous.addHash(hashes, at);
      }
      isNew[i] = serving != null && serving.addHash(hashes, at) && serving.denies;
    }
    return isNew;
  }

  /** A generation. */
  static final class Generation {

    /** The number of the generation, from 1. */
    final long number;

    final MembershipFilter bits;

    /** The same if they are in blocks, else null. */
    private final @Nullable BlockedFilter blocked;

    /** What this process knows of the false positives of bits in blocks. */
    final KnownFalsePositives known;

    /** Whether keys that are not in the generation are absent; otherwise they are unknown. */
    private volatile boolean denies;

    /** The number of keys that the generation was built from, 0 if that is not known. */
    private volatile long keysRead;

    /** The time of the data of the image set that it was made of; null for none. */
    private volatile @Nullable Instant asOf;

    /** The begin of the feed since which the generation has all changes, 0 for none. */
    private volatile long begun;

    /** The time at which the generation's snapshot was written, null for a built generation. */
    final @Nullable Instant snapshotTime;

    /** The fill through which adds reach the bits while they are filled, null before and after. */
    private volatile @Nullable BlockedFill fill;

    private Generation(
        long number,
        MembershipFilter bits,
        KnownFalsePositives known,
        @Nullable Instant snapshotTime) {
      this.number = number;
      this.bits = bits;
      this.blocked = bits instanceof BlockedFilter in ? in : null;
      this.known = known;
      this.snapshotTime = snapshotTime;
    }

    private Generation(long number, MembershipFilter bits, KnownFalsePositives known) {
      this(number, bits, known, null);
      this.denies = true;
      this.fill = blocked == null ? null : new BlockedFill(blocked);
    }

    private Generation(long number, Snapshot.Restored snapshot, KnownFalsePositives known) {
      this(number, snapshot.bits(), known, snapshot.asOf());
      this.begun = snapshot.position() == null ? 0 : 1;
      this.denies = snapshot.denies();
      this.keysRead = snapshot.keysRead();
    }

    Membership answer(boolean possible) {
      if (possible) {
        return Membership.POSSIBLY_PRESENT;
      }
      return denies ? Membership.ABSENT : Membership.UNKNOWN;
    }

    boolean has(String key) {
      return blocked == null ? bits.mightContain(key) : hasHash(blocked.hasher().hash(key));
    }

    boolean has(long key) {
      return blocked == null ? bits.mightContain(key) : hasHash(blocked.hasher().hash(key));
    }

    private boolean hasHash(long hash) {
      return blocked != null && blocked.mightContainHash(hash) && !known.has(hash);
    }

    /** Checks all keys. */
    void has(String[] keys, boolean[] answers) {
      bits.mightContainAll(keys, keys.length, answers);
      for (int i = 0; i < keys.length && !known.isEmpty(); i++) {
        answers[i] = answers[i] && has(keys[i]);
      }
    }

    /** Whether the bits have a key that is known to be absent. */
    boolean knowsAbsent(String key) {
      return blocked != null && known.has(blocked.hasher().hash(key));
    }

    /**
     * Notes a null entry of a key: whether it had one; null for a key of which nothing is noted.
     */
    @Nullable Boolean foundNothing(String key) {
      if (!denies || blocked == null) {
        return null;
      }
      long hash = blocked.hasher().hash(key);
      return blocked.mightContainHash(hash) ? (Boolean) known.foundNothing(hash) : null;
    }

    /** Adds the key of a hash that these bits computed, as {@link MembershipFilter#addHash}. */
    boolean addHash(long[] hashes, int at) {
      BlockedFill filling = fill;
      if (filling != null) {
        return filling.addHash(hashes[at]);
      }
      boolean changed = bits.addHash(hashes, at);
      // Counters may have been cleared since the key was known.
      if (blocked != null && (!changed || bits.shape().layout().removes())) {
        known.added(hashes[at]);
      }
      return changed;
    }

    boolean denies() {
      return denies;
    }

    /** Denies keys that it does not have from now on: it is a snapshot that is proved. */
    void deny() {
      denies = true;
    }

    @Nullable Instant asOf() {
      return asOf;
    }

    /** Notes the image set that it is made of, before it serves. */
    void comesFrom(Instant data, boolean complete) {
      asOf = data;
      denies = complete;
    }

    long keysRead() {
      return keysRead;
    }

    void wasBuiltFrom(long keys) {
      keysRead = keys;
    }

    long begun() {
      return begun;
    }

    void follows(long begin) {
      begun = begin;
    }

    @Nullable BlockedFill fill() {
      return fill;
    }

    /** Ends the fill: a later add through it goes to the bits directly. */
    void filled() {
      fill = null;
    }
  }
}
