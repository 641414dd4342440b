package io.bloomguard.redis.internal.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Visits every state that can be reached, the nearest first.
 *
 * @param <S> a state
 */
final class Explorer<S extends Model.State> {

  /**
   * What an exploration found.
   *
   * @param states how many states can be reached, or were until something was wrong
   * @param steps how many steps lead from one to another
   * @param depth the longest of the shortest ways to a state
   * @param wrong what was wrong, null for nothing
   * @param way the shortest way there
   */
  record Result(int states, long steps, int depth, String wrong, List<String> way) {}

  private final Model<S> protocol;
  private final int most;
  private final List<byte[]> states = new ArrayList<>();
  private int[] table = new int[1 << 16];
  private Ints parents = new Ints();
  private Ints causes = new Ints();

  /** Steps by which the processes go on, as pairs from, to. */
  private final Ints onwards = new Ints();

  Explorer(Model<S> protocol, int most) {
    this.protocol = protocol;
    this.most = most;
  }

  Result explore(S start) {
    visit(start.code(), -1, -1);
    long steps = 0;
    for (int from = 0; from < states.size(); from++) {
      byte[] code = states.get(from);
      S world = of(code);
      for (int step = 0; step < protocol.steps(); step++) {
        if (!protocol.apply(step, world)) {
          continue;
        }
        steps++;
        String wrong = protocol.wrong(world);
        int to = visit(world.code(), from, step);
        if (wrong != null) {
          return result(steps, wrong, way(from, step));
        }
        if (protocol.isOnward(step)) {
          onwards.add(from);
          onwards.add(to);
        }
        world.read(code);
      }
      if (states.size() > most) {
        return result(steps, "more than " + most + " states", List.of());
      }
    }
    int stuck = stuck();
    if (stuck >= 0) {
      return result(steps, "the processes never get ready again", way(stuck, -1));
    }
    return result(steps, null, List.of());
  }

  private S of(byte[] code) {
    S world = protocol.blank();
    world.read(code);
    return world;
  }

  private Result result(long steps, String wrong, List<String> way) {
    return new Result(states.size(), steps, depth(), wrong, way);
  }

  private int depth() {
    int depth = 0;
    for (int at = states.size() - 1; at > 0; at = parents.get(at)) {
      depth++;
    }
    return depth;
  }

  private int visit(byte[] code, int from, int step) {
    if (states.size() * 2 > table.length) {
      grow();
    }
    int slot = slot(code);
    if (table[slot] == 0) {
      states.add(code);
      parents.add(from);
      causes.add(step);
      table[slot] = states.size();
    }
    return table[slot] - 1;
  }

  private int slot(byte[] code) {
    int mask = table.length - 1;
    int hash = Arrays.hashCode(code) * 0x9E3779B9;
    int slot = (hash ^ hash >>> 15) & mask;
    while (table[slot] != 0 && !Arrays.equals(states.get(table[slot] - 1), code)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    table = new int[table.length * 2];
    for (int i = 0; i < states.size(); i++) {
      table[slot(states.get(i))] = i + 1;
    }
  }

  /** The first state from which the processes cannot get decided answers again, -1 for none. */
  private int stuck() {
    int[] first = new int[states.size() + 1];
    for (int i = 1; i < onwards.size(); i += 2) {
      first[onwards.get(i) + 1]++;
    }
    for (int i = 1; i < first.length; i++) {
      first[i] += first[i - 1];
    }
    int[] sources = new int[onwards.size() / 2];
    int[] next = first.clone();
    for (int i = 0; i < onwards.size(); i += 2) {
      sources[next[onwards.get(i + 1)]++] = onwards.get(i);
    }
    boolean[] recovers = new boolean[states.size()];
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    for (int i = 0; i < recovers.length; i++) {
      if (protocol.ready(of(states.get(i)))) {
        recovers[i] = true;
        queue.add(i);
      }
    }
    while (!queue.isEmpty()) {
      int to = queue.remove();
      for (int i = first[to]; i < first[to + 1]; i++) {
        if (!recovers[sources[i]]) {
          recovers[sources[i]] = true;
          queue.add(sources[i]);
        }
      }
    }
    for (int i = 0; i < recovers.length; i++) {
      if (!recovers[i]) {
        return i;
      }
    }
    return -1;
  }

  private List<String> way(int last, int step) {
    List<String> way = new ArrayList<>();
    if (step >= 0) {
      way.add(protocol.describe(step, of(states.get(last))));
    }
    for (int at = last; at > 0; at = parents.get(at)) {
      S before = of(states.get(parents.get(at)));
      way.add(protocol.describe(causes.get(at), before));
    }
    Collections.reverse(way);
    return way;
  }

  /** A row of numbers that grows. */
  private static final class Ints {

    private int[] values = new int[1 << 12];
    private int size;

    void add(int value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, size * 2);
      }
      values[size++] = value;
    }

    int get(int index) {
      return values[index];
    }

    int size() {
      return size;
    }
  }
}
