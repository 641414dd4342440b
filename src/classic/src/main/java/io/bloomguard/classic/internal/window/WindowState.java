package io.bloomguard.classic.internal.window;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.Window;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.redis.internal.client.LuaScript;

/**
 * The state of a window as last read.
 *
 * @param trusted whether a key that no generation has is absent
 * @param newest the number of the generation that takes the adds
 * @param early the number of generations begun early
 * @param bits the set bits of each generation that holds keys
 */
record WindowState(boolean trusted, long newest, long early, long... bits) {

  /** The state before the first reading. */
  static final WindowState NONE = new WindowState(false, 0, 0);

  /** The state in an answer of the script {@code state.lua}. */
  static WindowState of(LuaScript.Reply reply) {
    long[] bits = new long[reply.fields().size() - 5];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = reply.number(5 + i);
    }
    return new WindowState(reply.number(2) == 1, reply.number(3), reply.number(4), bits);
  }

  /** The elements and fill of the fullest generation; the false-positive probability of all. */
  FilterStatus status(FilterShape shape) {
    long most = 0;
    double[] probabilities = new double[bits.length];
    for (int i = 0; i < bits.length; i++) {
      most = Math.max(most, bits[i]);
      probabilities[i] = shape.falsePositiveProbabilityAt(shape.estimateElements(bits[i]));
    }
    FilterStatus status =
        new FilterStatus(
            newest == 0 ? FilterState.EMPTY : FilterState.READY,
            newest,
            shape,
            shape.estimateElements(most),
            (double) most / shape.bits(),
            Window.ofWindow(probabilities),
            false);
    return newest == 0 || trusted ? status : status.settling();
  }

  WindowStatus window(WindowFilter filter, long imageBytes) {
    long elements = 0;
    for (long set : bits) {
      elements += filter.shape().estimateElements(set);
    }
    return new WindowStatus(
        filter.window(), bits.length, elements, bits.length * imageBytes, early);
  }
}
