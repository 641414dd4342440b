package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.classic.internal.AskedStore;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
    Set<String> wrong = new LinkedHashSet<>();
    double set = 0;
    for (int i = 0; i < calls.size(); i++) {
      try {
        LuaScript.Reply reply = calls.get(i).await(RedisConnections.WRITE);
        Optional.ofNullable(strings.get(i).requests().problem()).ifPresent(wrong::add);
        if (reply.ok()) {
          set += set(reply);
        } else {
          warn(strings.get(i).name(), reply.outcome(), wrong);
        }
      } catch (RedisUnavailableException e) {
        wrong.add(String.valueOf(e.getMessage()));
      }
    }
    warnings = List.copyOf(wrong);
    FilterStatus status = AskedStore.filled(0, bitmap.shape(), Math.round(set));
    return wrong.isEmpty() ? status : status.settling();
  }

  private void warn(String name, ScriptOutcome outcome, Set<String> wrong) {
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
}
