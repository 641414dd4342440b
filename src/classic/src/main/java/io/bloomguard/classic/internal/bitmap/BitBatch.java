package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.classic.internal.AskedStore;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some keys of one string.
 *
 * @param string the string that holds them
 * @param indexes their indexes among the caller's keys
 * @param offsets their bits, those of a key side by side
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record BitBatch(BitString string, List<Integer> indexes, long[] offsets) {

  /** The most scripts under way, so that many keys do not wait for each. */
  private static final int ADDS_AT_ONCE = 16;

  private int bits() {
    return offsets.length / indexes.size();
  }

  /** Sends the check of its bits. */
  LuaScript.Call read() {
    return string.read(offsets);
  }

  /** Sends the check, unless Redis left recent ones unanswered: null then. */
  LuaScript.@Nullable Call check() {
    return string.requests().breaker().allows() ? read() : null;
  }

  /** Waits for a check, and writes its answers. Never throws. */
  void await(LuaScript.@Nullable Call check, Membership[] answers, boolean missingIsAbsent) {
    Bits read = null;
    try {
      read = check == null ? null : Bits.of(check.await(), offsets.length);
    } catch (RedisUnavailableException e) {
      // Redis is unreachable or slow: the answers are the same as for a missing string.
    }
    for (int i = 0; i < indexes.size(); i++) {
      answers[indexes.get(i)] =
          read == null ? Membership.UNKNOWN : read.membership(i * bits(), bits(), missingIsAbsent);
    }
  }

  /**
   * Adds all keys.
   *
   * @param isNew receives for each key whether one of its bits was clear
   * @throws AddFailedException if one could not be stored; others may have been
   */
  static void addAll(SharedBitmap bitmap, List<BitBatch> batches, boolean[] isNew) {
    for (int from = 0; from < batches.size(); from += ADDS_AT_ONCE) {
      List<BitBatch> some = batches.subList(from, Math.min(batches.size(), from + ADDS_AT_ONCE));
      List<LuaScript.Call> calls =
          some.stream()
              .map(batch -> batch.string.add(bitmap.create(), batch.bits(), batch.offsets))
              .toList();
      for (int i = 0; i < calls.size(); i++) {
        some.get(i).added(bitmap, calls.get(i), isNew);
      }
    }
  }

  private void added(SharedBitmap bitmap, LuaScript.Call call, boolean[] isNew) {
    Bits digits;
    try {
      digits = Bits.of(call.await(RedisConnections.WRITE), indexes.size());
    } catch (StoreUnavailableException e) {
      throw AskedStore.failed(bitmap.filter(), String.valueOf(e.getMessage()), e);
    }
    if (digits.missing()) {
      throw AskedStore.failed(
          bitmap.filter(),
          ("the string '%s' is missing in Redis. An add to a new one would deny every key that it"
                  + " has held, so let the program that owns it make it, or set"
                  + " bloomguard.filters.%s.bitmap.create: true")
              .formatted(string.name(), bitmap.filter()),
          null);
    }
    if (!digits.isThere()) {
      throw AskedStore.failed(
          bitmap.filter(),
          "the key '" + string.name() + "' in Redis is of another type than string",
          null);
    }
    for (int i = 0; i < indexes.size(); i++) {
      isNew[indexes.get(i)] = digits.isSet(i);
    }
  }
}
