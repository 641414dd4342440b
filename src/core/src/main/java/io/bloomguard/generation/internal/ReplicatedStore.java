package io.bloomguard.generation.internal;

import io.bloomguard.generation.GenerationStore;

/** A store that may keep a copy of its filter in this process, which follows the shared one. */
public interface ReplicatedStore extends GenerationStore {

  /**
   * {@return the lag of the copy, in seconds: the time since it was last known to lack nothing} NaN
   * if there is no copy.
   */
  double replicaLagSeconds();

  /** {@return whether checks are UNKNOWN because every answer to them comes too late} */
  default boolean answersTooLate() {
    return false;
  }

  /** {@return what writers have waited for copies of this filter} */
  default CopyWaits copyWaits() {
    return CopyWaits.NONE;
  }

  /**
   * What writers of this process have waited for copies of a filter, since its start.
   *
   * @param adds the adds that waited
   * @param nanos the time that they waited, in sum
   * @param ranOut the leases whose end a writer waited for
   * @param copies the copies that were registered when last seen, of this process and of others
   */
  record CopyWaits(long adds, long nanos, long ranOut, int copies) {

    /** No copy, and no wait. */
    public static final CopyWaits NONE = new CopyWaits(0, 0, 0, 0);
  }

  /**
   * Warns once if the serving generation was built from another database.
   *
   * @param source the identity of the one that this process reads
   */
  void comesFrom(String source);

  /** Ends a doubt that only a new generation would end, at the word of an operator. */
  void believe();
}
