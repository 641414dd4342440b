package io.bloomguard.redis.bitmap;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.client.LuaScript;
import io.bloomguard.redis.client.ScriptOutcome;

/** Bits of a string as a script has read them: digits, or none where it is not there. */
final class Bits {

  private static final byte[] NONE = new byte[0];

  private final boolean missing;
  private final byte[] digits;

  private Bits(boolean missing, byte[] digits) {
    this.missing = missing;
    this.digits = digits;
  }

  /**
   * What a script has answered.
   *
   * @param count the number of digits that were asked for
   */
  static Bits of(LuaScript.Reply reply, int count) {
    byte[] digits = reply.ok() ? reply.bytes(1) : NONE;
    return new Bits(
        reply.outcome() == ScriptOutcome.MISSING, digits.length == count ? digits : NONE);
  }

  /** Whether the string is there and is one. */
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

  /** What the bits of a key say. */
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
