package io.bloomguard.generation;

import io.bloomguard.filter.BlockedFill;
import io.bloomguard.filter.BlockedFilter;
import io.bloomguard.filter.MembershipFilter;
import io.bloomguard.guard.Membership;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** All generations of a local filter at one moment. Immutable but for the bits. */
final class LocalState {

  /** No generation at all. */
  static final LocalState EMPTY = new LocalState(null, null, null, 0, 0);

  /** The generation that answers checks, null before the first. */
  final @Nullable Generation serving;

  /** The generation being built, null for none. */
  final @Nullable Generation building;

  /** The previous generation, null once its grace is over. */
  final @Nullable Generation previous;

  /** When {@link #previous} stopped serving. */
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

  /** A snapshot serves as the first generation. */
  static LocalState restored(Snapshot.Restored snapshot) {
    return new LocalState(new Generation(1, snapshot), null, null, 0, 1);
  }

  /** The next generation is being built. */
  LocalState withBuilding(MembershipFilter bits) {
    return new LocalState(serving, new Generation(last + 1, bits), previous, swapped, last + 1);
  }

  /** The snapshot that serves is proved: it denies from now on what it does not have. */
  LocalState denying() {
    Generation proved = serving == null ? null : new Generation(serving);
    return new LocalState(proved, building, previous, swapped, last);
  }

  /** The snapshot that serves is refuted: nothing serves. */
  LocalState withoutServing() {
    return new LocalState(null, building, previous, swapped, last);
  }

  /** The generation being built is given up, and its number with it. */
  LocalState withoutBuilding() {
    return new LocalState(serving, null, previous, swapped, last - 1);
  }

  /** The generation that was being built serves. A snapshot is nothing to roll back to. */
  LocalState published(long now) {
    Generation before = serving != null && serving.snapshotTime == null ? serving : null;
    return new LocalState(building, null, /* previous= */ before, now, last);
  }

  /** The previous generation serves again. */
  LocalState rolledBack(long now) {
    return new LocalState(/* serving= */ previous, building, /* previous= */ serving, now, last);
  }

  /** The previous generation is given up. */
  LocalState withoutPrevious() {
    return new LocalState(serving, building, null, swapped, last);
  }

  /**
   * Adds the keys of hashes to every generation.
   *
   * @param words of one hash
   * @return for each whether it was absent from the serving one until then
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

    /** From 1. */
    final long number;

    final MembershipFilter bits;

    /** Whether keys that are not in it are absent; otherwise they are unknown. */
    final boolean denies;

    /** How many keys it was built from, 0 if that is not known. */
    private volatile long keysRead;

    /** When the snapshot was written that it comes from, null for one that was built. */
    final @Nullable Instant snapshotTime;

    /** The way into the bits while they are filled, null before and after. */
    private volatile @Nullable BlockedFill fill;

    private Generation(long number, MembershipFilter bits) {
      this.number = number;
      this.bits = bits;
      this.denies = true;
      this.snapshotTime = null;
      this.fill = bits instanceof BlockedFilter blocked ? new BlockedFill(blocked) : null;
    }

    private Generation(long number, Snapshot.Restored snapshot) {
      this.number = number;
      this.bits = snapshot.bits();
      this.denies = snapshot.denies();
      this.snapshotTime = snapshot.asOf();
      this.keysRead = snapshot.keysRead();
    }

    /** A snapshot whose bits are shared with {@code doubted}, and that denies. */
    private Generation(Generation doubted) {
      this.number = doubted.number;
      this.bits = doubted.bits;
      this.denies = true;
      this.snapshotTime = doubted.snapshotTime;
      this.keysRead = doubted.keysRead;
    }

    Membership answer(boolean possible) {
      if (possible) {
        return Membership.POSSIBLY_PRESENT;
      }
      return denies ? Membership.ABSENT : Membership.UNKNOWN;
    }

    /** Adds the key with a hash that the bits made, as {@link MembershipFilter#addHash}. */
    boolean addHash(long[] hashes, int at) {
      BlockedFill filling = fill;
      return filling == null ? bits.addHash(hashes, at) : filling.addHash(hashes[at]);
    }

    long keysRead() {
      return keysRead;
    }

    void wasBuiltFrom(long keys) {
      keysRead = keys;
    }

    @Nullable BlockedFill fill() {
      return fill;
    }

    /** The fill has ended: a later add by it goes to the bits directly. */
    void filled() {
      fill = null;
    }
  }
}
