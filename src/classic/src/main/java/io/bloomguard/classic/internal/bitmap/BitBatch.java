package io.bloomguard.classic.internal.bitmap;

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
record BitBatch(BitString string, int[] indexes, long[] offsets) {

  /** The most scripts under way, so that many keys do not wait for each. */
  private static final int ADDS_AT_ONCE = 16;

  private int bits() {
    return offsets.length / indexes.length;
  }

  /** Sends the check of its bits. */
  LuaScript.Call read() {
    return string.read(offsets);
  }

  /** Sends the check, unless Redis left recent ones unanswered. */
  Check check() {
    return new Check(this, string.requests().breaker().allows() ? read() : null);
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
      digits = Bits.of(call.await(RedisConnections.WRITE), indexes.length);
    } catch (StoreUnavailableException e) {
      throw failed(bitmap, String.valueOf(e.getMessage()), e);
    }
    if (digits.missing()) {
      throw failed(
          bitmap,
          ("the string '%s' is missing in Redis. An add to a new one would deny every key that it"
                  + " has held, so let the program that owns it make it, or set"
                  + " bloomguard.filters.%s.bitmap.create: true")
              .formatted(string.name(), bitmap.filter()),
          null);
    }
    if (!digits.isThere()) {
      throw failed(
          bitmap, "the key '" + string.name() + "' in Redis is of another type than string", null);
    }
    for (int i = 0; i < indexes.length; i++) {
      isNew[indexes[i]] = digits.isSet(i);
    }
  }

  private static AddFailedException failed(
      SharedBitmap bitmap, String why, @Nullable Throwable cause) {
    return new AddFailedException(
        "Filter '" + bitmap.filter() + "' could not take an add: " + why, cause);
  }

  /**
   * A check under way.
   *
   * @param call null if it was not sent
   */
  record Check(BitBatch batch, LuaScript.@Nullable Call call) {

    /** Waits and writes the answers. Never throws. */
    void await(Membership[] answers, boolean missingIsAbsent) {
      Bits read = read();
      int bits = batch.bits();
      for (int i = 0; i < batch.indexes.length; i++) {
        answers[batch.indexes[i]] =
            read == null ? Membership.UNKNOWN : read.membership(i * bits, bits, missingIsAbsent);
      }
    }

    private @Nullable Bits read() {
      try {
        return call == null ? null : Bits.of(call.await(), batch.offsets.length);
      } catch (RedisUnavailableException e) {
        // Redis is unreachable or slow: the answers are the same as for a missing string.
        return null;
      }
    }
  }
}
