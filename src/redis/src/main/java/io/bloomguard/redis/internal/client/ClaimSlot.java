package io.bloomguard.redis.internal.client;

import io.bloomguard.generation.internal.claim.Claim;
import io.bloomguard.guard.ClaimRefusedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The claims on adds that one slot of Redis keeps, with the answers: a hash, and a sorted set of
 * their ends.
 */
public final class ClaimSlot {

  /** The answer of a key that no slot has. */
  public static final byte UNANSWERED = -1;

  private static final LuaScript READ = LuaScript.of(ClaimSlot.class, "claim_read");

  private final List<byte[]> keys;

  /** The claims under names that begin with that of a slot. */
  public ClaimSlot(String base) {
    this.keys = List.of(Utf8.bytes(base + "claims"), Utf8.bytes(base + "claims:ends"));
  }

  /** A script followed by the function that opens a claim. */
  public static LuaScript withClaims(LuaScript script) {
    return script.then(ClaimSlot.class, "claim");
  }

  /** The hash and the sorted set. */
  public List<byte[]> keys() {
    return keys;
  }

  /** Sends the question for the answers under a claim. */
  public LuaScript.Call read(RedisLink link, Claim claim) {
    return READ.start(link, keys, claim.name());
  }

  /**
   * Reads the answers that a slot has, by the indexes of their keys.
   *
   * @param known gets 1 for each key that was new, 0 for each that was not
   * @throws ClaimRefusedException if the claim stands for other keys
   */
  public static void answers(LuaScript.Reply reply, String filter, Claim claim, byte[] known) {
    byte[] held = reply.bytes(1);
    if (held.length == 0) {
      return;
    }
    if (!Arrays.equals(held, 0, Claim.DIGEST_BYTES, claim.digest(), 0, Claim.DIGEST_BYTES)) {
      throw Claim.otherKeys(filter);
    }
    ByteBuffer answers =
        ByteBuffer.wrap(held, Claim.DIGEST_BYTES, held.length - Claim.DIGEST_BYTES);
    while (answers.remaining() >= Short.BYTES) {
      int answer = Short.toUnsignedInt(answers.getShort());
      if (answer / 2 < known.length) {
        known[answer / 2] = (byte) (answer % 2);
      }
    }
  }
}
