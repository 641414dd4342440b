package io.bloomguard.redis.internal.model;

/** One rule of the protocol left out, and a scenario in which that does harm. */
enum Mistake {
  /** An answer counts whatever epoch the image and the head name. */
  EPOCH_NOT_CHECKED(Scenarios.FAILOVER_OF_TWO_ADDS),
  /** An answer counts whatever the image's beat is. */
  BEAT_NOT_CHECKED(Scenarios.IMAGE_RESTORED_OLD),
  /** Scripts compare the image's beat with the head's, but neither with the caller's. */
  CALLERS_BEAT_NOT_COMPARED(Scenarios.RESTORED_OLD),
  /** A process that reads an epoch for which it has not added its own again believes it. */
  OWN_CONFIRMATION_NOT_ASKED(Scenarios.FAILOVER_AND_STOP),
  /** A process that stood still commits a row without adding its key once more. */
  COMMITTED_AFTER_STOP(Scenarios.FAILOVER_AND_STOP),
  /** The partition is settled once anybody has reported. */
  WRITERS_NOT_WAITED_FOR(Scenarios.FAILOVER_OF_TWO_ADDS),
  /** No grace is left where whoever made the head has known none. */
  NO_GRACE_FOR_NEWCOMERS(Scenarios.ALL_LOST_BEFORE_NEWCOMER),
  /** A process that has just come believes what it finds. */
  NEWCOMER_BELIEVES(Scenarios.RESTORED_BEFORE_NEWCOMER),
  /** A process that has just come raises the beat. */
  NEWCOMER_RAISES_BEAT(Scenarios.RESTORED_BEFORE_NEWCOMER),
  /** Adding again needs a whole serving image, as adding does. */
  REPEATED_INTO_SERVING_ONLY(Scenarios.HEAD_RESTORED),
  /** No time is left for those whom a lost list of writers does not name. */
  NO_GRACE(Scenarios.ALL_LOST),
  /** A writer that does not come forward is forgotten. */
  MISSING_WRITER_FORGOTTEN(Scenarios.FAILOVER_AND_CRASH),
  /** A report is made without adding again. */
  ADDS_NOT_REPEATED(Scenarios.FAILOVER_OF_TWO_ADDS),
  /** A process remembers an add only once it was acknowledged. */
  REMEMBERED_AFTER_ACKNOWLEDGED(Scenarios.FAILOVER_OF_TWO_ADDS),
  /** A build is published before the journal is replayed into its image. */
  PUBLISHED_BEFORE_REPLAY(Scenarios.CALM),
  /** The journal is trimmed although a build runs. */
  JOURNAL_TRIMMED_IN_BUILD(Scenarios.TRIMMED),
  /** The journal's end is not compared with the head's. */
  JOURNAL_NOT_COMPARED(Scenarios.JOURNAL_LOST),
  /** Adds go to the serving image alone. */
  NO_DUAL_WRITES(Scenarios.CALM),
  /** Publishing asks neither for the token nor for the image that the head names. */
  TOKEN_NOT_CHECKED(Scenarios.TWO_BUILDERS),
  /** Images of builds share one key, and a chunk is written whatever lies there. */
  CHUNK_NOT_FENCED(Scenarios.TWO_BUILDERS),
  /** A build is registered after its scan of the source. */
  SCANNED_BEFORE_REGISTERED(Scenarios.TRIMMED),
  /** A build is published in doubt. */
  PUBLISHED_UNSETTLED(Scenarios.FAILOVER),
  /** A build goes on after a loss, where its image was not whole. */
  BUILD_OUTLIVES_LOSS(Scenarios.RESTORED),
  /** An add is acknowledged whether or not the serving image is whole. */
  ACKNOWLEDGED_WITHOUT_SERVING(Scenarios.HEAD_RESTORED),
  /** An add goes to the images that the caller knows of, not to those the head names. */
  VIEW_NOT_COMPARED(Scenarios.CALM),
  /** The image before does not learn that it serves no more. */
  NOT_RETIRED(Scenarios.CALM),
  /** An image whose publication a restored head does not know of is left where it is. */
  UNKNOWN_IMAGE_LEFT(Scenarios.KEYS_RESTORED),
  /** How long ago the loss was is told by the head's beat alone. */
  AGE_OF_HEAD_ALONE(Scenarios.IMAGE_RESTORED_OLD),
  /** Scripts do not notice that they run on another server than the one before. */
  SERVER_NOT_COMPARED(Scenarios.FAILOVER_AND_CRASH),
  /** Only who settles asks whether it knows a newer generation. */
  NEWER_GENERATION_FORGOTTEN(Scenarios.FAILOVER_AND_FOREIGN_ROW),
  /** After a loss the rows of other programs are not read once more. */
  NOT_REFILLED(Scenarios.REFILL),
  /** A reading that failed counts as one that added what was lost. */
  REFILL_FAILURE_PASSED(Scenarios.REFILL),
  /** The image before takes no adds any more. */
  PREVIOUS_TAKES_NO_ADDS(Scenarios.ROLLBACK),
  /** An image that lacks what was lost is kept to be rolled back to. */
  INCOMPLETE_KEPT(Scenarios.ROLLBACK_AND_CRASH),
  /** A removal counts down what is being built too. */
  REMOVED_FROM_EVERY_IMAGE(Scenarios.REMOVAL_IN_BUILD),
  /** What is built replays removals. */
  REMOVALS_REPLAYED(Scenarios.REMOVAL_IN_BUILD),
  /** A removal counts down whichever generation serves when it comes. */
  SWAP_NOT_COMPARED(Scenarios.REMOVAL_IN_BUILD),
  /** A removal whose answer was lost is sent again. */
  REMOVAL_REPEATED(Scenarios.REMOVAL),
  /** A removal is sent before its row is gone. */
  REMOVED_BEFORE_ROW(Scenarios.REMOVAL),
  /** A full counter is counted down. */
  FULL_COUNTED_DOWN(Scenarios.REMOVAL_SHARED),
  /** Removals are remembered and made again after a loss. */
  REMOVALS_REMEMBERED(Scenarios.REMOVAL_AND_FAILOVER_OF_OLD_ROW);

  /** Where it shows. */
  private final Scenario scenario;

  Mistake(Scenario scenario) {
    this.scenario = scenario;
  }

  Scenario scenario() {
    return scenario;
  }
}
