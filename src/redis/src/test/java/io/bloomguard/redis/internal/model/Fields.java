package io.bloomguard.redis.internal.model;

/**
 * A walk over all numbers of a model state. Each part hands every number to the walk and keeps what
 * comes back, so that one list of its numbers serves for writing, reading and renumbering them.
 *
 * <p>Numbers of one kind are compared with one another and with nothing else; 0 is none.
 */
interface Fields {

  /** A number that means itself: a flag, a set of bits, a place in a sequence. */
  int plain(int value);

  /** A beat. */
  int beat(int value);

  /** The number of a generation, which is the id of its image too. */
  int generation(int value);

  /** A partition's number of losses. */
  int losses(int value);

  /** The id of a journal's entry. */
  int entry(int value);

  /** A target epoch: a server and a number of losses. */
  default int epoch(int value) {
    int server = plain(Epoch.server(value));
    return Epoch.of(server, losses(Epoch.losses(value)));
  }

  default boolean flag(boolean value) {
    return plain(value ? 1 : 0) == 1;
  }
}
