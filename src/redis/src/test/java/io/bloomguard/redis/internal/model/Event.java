package io.bloomguard.redis.internal.model;

/** What happens to Redis from without, once each and in a scenario's order, at any time. */
enum Event {
  /** The replica, or a dump, has what the master has now. */
  BACKUP,
  /** The backup grows older than what processes remember. */
  AGE,
  /** Another server goes on with the backup. */
  FAILOVER,
  /** The slot moves to another server, whole. */
  MOVE,
  /** The slot moves back to the first server, whole. */
  MOVE_BACK,
  /** The backup is put back into the running server. */
  RESTORE,
  /** Every key of the backup is put back; images made since stay. */
  RESTORE_KEYS,
  RESTORE_HEAD,
  RESTORE_IMAGE,
  RESTORE_PREVIOUS,
  RESTORE_JOURNAL,
  DROP_HEAD,
  DROP_IMAGE,
  DROP_JOURNAL,
  FLUSH
}
