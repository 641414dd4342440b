package io.bloomguard.redis.internal.model;

/**
 * What an exploration goes through: the steps from state to state, and what must hold in each.
 *
 * @param <S> a state
 */
interface Model<S extends Model.State> {

  /** A state, which equal bytes stand for. */
  interface State {

    byte[] code();

    void read(byte[] code);
  }

  /** A state to be read into. */
  S blank();

  /** How many steps there are, possible ones and others. */
  int steps();

  /** Whether a step is what live processes do to continue, and not an accident. */
  boolean isOnward(int step);

  /** Changes the world by one step; false, and no change, if that step cannot happen. */
  boolean apply(int step, S world);

  /** What is wrong with a state, or with the step to it; null for nothing. */
  String wrong(S world);

  /** Whether the processes have come to where they always must be able to come again. */
  boolean ready(S world);

  String describe(int step, S before);
}
