package io.bloomguard.classic.internal.window;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.Window;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.redis.internal.client.LuaScript;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

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
    long[] bits = IntStream.range(5, reply.fields().size()).mapToLong(reply::number).toArray();
    return new WindowState(reply.number(2) == 1, reply.number(3), reply.number(4), bits);
  }

  /** The elements and fill of the fullest generation; the false-positive probability of all. */
  FilterStatus status(FilterShape shape) {
    long most = LongStream.of(bits).max().orElse(0);
    double[] probabilities =
        elements(shape).mapToDouble(shape::falsePositiveProbabilityAt).toArray();
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
    long elements = elements(filter.shape()).sum();
    return new WindowStatus(
        filter.window(), bits.length, elements, bits.length * imageBytes, early);
  }

  private LongStream elements(FilterShape shape) {
    return LongStream.of(bits).map(shape::estimateElements);
  }
}
