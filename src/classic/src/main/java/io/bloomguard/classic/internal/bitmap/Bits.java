package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.ScriptOutcome;

/** Bits of a string as a script has read them: digits, or none if the string is missing. */
final class Bits {

  private static final byte[] NONE = new byte[0];

  private final boolean missing;
  private final byte[] digits;

  private Bits(boolean missing, byte[] digits) {
    this.missing = missing;
    this.digits = digits;
  }

  /**
   * The bits in a script's answer.
   *
   * @param count the number of digits that were asked for
   */
  static Bits of(LuaScript.Reply reply, int count) {
    byte[] digits = reply.ok() ? reply.bytes(1) : NONE;
    return new Bits(
        reply.outcome() == ScriptOutcome.MISSING, digits.length == count ? digits : NONE);
  }

  /** Whether the key exists and is a string. */
  boolean isThere() {
    return digits.length > 0;
  }

  /** Whether there is no such key. */
  boolean isMissing() {
    return missing;
  }

  boolean isSet(int index) {
    return digits[index] == '1';
  }

  /** The membership of a key by its bits. */
  Membership membership(int from, int count, boolean missingIsAbsent) {
    if (!isThere()) {
      return missing && missingIsAbsent ? Membership.ABSENT : Membership.UNKNOWN;
    }
    for (int i = from; i < from + count; i++) {
      if (!isSet(i)) {
        return Membership.ABSENT;
      }
    }
    return Membership.POSSIBLY_PRESENT;
  }
}
