package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import java.util.ArrayList;
import java.util.List;

/**
 * The fill of a filter's strings: it reads short ones whole and samples long ones, so that counting
 * blocks no Redis.
 */
final class BitFill {

  private final SharedBitmap bitmap;
  private final List<BitString> strings;
  private volatile List<String> warnings = List.of();

  /**
   * @param strings those that can hold keys
   */
  BitFill(SharedBitmap bitmap, List<BitString> strings) {
    this.bitmap = bitmap;
    this.strings = strings;
  }

  /** The present status of the filter. Never throws. */
  FilterStatus status() {
    List<LuaScript.Call> calls = strings.stream().map(BitString::sample).toList();
    List<String> wrong = new ArrayList<>();
    boolean reachable = true;
    double set = 0;
    for (int i = 0; i < calls.size(); i++) {
      try {
        LuaScript.Reply reply = calls.get(i).await(RedisConnections.WRITE);
        String late = strings.get(i).requests().problem();
        if (late != null && !wrong.contains(late)) {
          wrong.add(late);
        }
        if (reply.ok()) {
          set += set(reply);
        } else {
          warn(strings.get(i).name(), reply.outcome(), wrong);
        }
      } catch (RedisUnavailableException e) {
        reachable = false;
        String why = String.valueOf(e.getMessage());
        if (!wrong.contains(why)) {
          wrong.add(why);
        }
      }
    }
    warnings = List.copyOf(wrong);
    FilterStatus status = status(Math.round(set));
    return reachable && wrong.isEmpty() ? status : status.settling();
  }

  private void warn(String name, ScriptOutcome outcome, List<String> wrong) {
    if (outcome != ScriptOutcome.MISSING) {
      wrong.add("The key '" + name + "' in Redis is of another type than string.");
    } else if (!bitmap.missingIsAbsent()) {
      wrong.add("The string '" + name + "' is missing in Redis, so its keys are UNKNOWN.");
    }
  }

  /** The problems found by the last reading. */
  List<String> warnings() {
    return warnings;
  }

  private static double set(LuaScript.Reply reply) {
    long read = 0;
    long bits = 0;
    for (int i = 2; i < reply.fields().size(); i++) {
      byte[] piece = reply.bytes(i);
      read += piece.length;
      for (byte b : piece) {
        bits += Integer.bitCount(b & 0xff);
      }
    }
    return read == 0 ? 0 : (double) bits / read * reply.number(1);
  }

  private FilterStatus status(long bitsSet) {
    FilterShape shape = bitmap.shape();
    long set = Math.min(bitsSet, shape.reachable());
    long elements = shape.estimateElements(set);
    return new FilterStatus(
        FilterState.READY,
        0,
        shape,
        elements,
        (double) set / shape.reachable(),
        shape.falsePositiveProbabilityAt(elements),
        false);
  }
}
