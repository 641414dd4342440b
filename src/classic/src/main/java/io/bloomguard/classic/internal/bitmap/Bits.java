package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.ScriptOutcome;

/**
 * Bits of a string as a script has read them.
 *
 * @param missing whether the string is missing
 * @param digits 0 or 1 for each; empty if there is no such string
 */
record Bits(boolean missing, String digits) {

  /**
   * The bits in a script's answer.
   *
   * @param count the number of digits that were asked for
   */
  static Bits of(LuaScript.Reply reply, int count) {
    String digits = reply.ok() ? reply.text(1) : "";
    return new Bits(
        reply.outcome() == ScriptOutcome.MISSING, digits.length() == count ? digits : "");
  }

  /** Whether the string was there and is one. */
  boolean isThere() {
    return !digits.isEmpty();
  }

  boolean isSet(int index) {
    return digits.charAt(index) == '1';
  }

  /** The answer for a key of the bits from {@code from} on. */
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
