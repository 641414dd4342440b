package io.bloomguard.redis.internal.client;

import io.bloomguard.generation.internal.claim.Claim;
import io.bloomguard.generation.internal.claim.ClaimSettings;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.ClaimRefusedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an add under a claim that one slot takes.
 *
 * @param filter the filter's name
 * @param maxBytes the most memory of all claims in the slot
 * @param indexes where each key is in the whole add; {@link #ELSEWHERE} if another slot has its
 *     answer
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ClaimPart(
    String filter, Claim claim, ClaimSettings settings, long maxBytes, int[] indexes) {

  /** The index of a key whose answer another slot has. */
  public static final int ELSEWHERE = 0xffff;

  private static final List<Object> NONE = List.of("", "", "", 0, 0);

  /** The keys of a part. */
  public ClaimPart part(int from, int to) {
    return new ClaimPart(filter, claim, settings, maxBytes, Arrays.copyOfRange(indexes, from, to));
  }

  /** The arguments of a script that opens a claim; those of an add without one. */
  public static List<Object> arguments(@Nullable ClaimPart part) {
    return part == null ? NONE : part.arguments();
  }

  private List<Object> arguments() {
    ByteBuffer packed = ByteBuffer.allocate(indexes.length * Short.BYTES);
    for (int index : indexes) {
      packed.putShort((short) index);
    }
    return List.of(
        claim.name(), claim.digest(), packed.array(), settings.ttl().toMillis(), maxBytes);
  }

  /**
   * Refuses an add that its claim did not let through; it has changed nothing.
   *
   * @throws ClaimRefusedException if the claim stands for other keys
   * @throws AddFailedException if there is no room for another claim, or it is not known which keys
   *     are new
   */
  public void requireTaken(LuaScript.Reply reply) {
    switch (reply.outcome()) {
      case CLAIMED -> throw Claim.otherKeys(filter);
      case CROWDED -> throw settings.full(filter);
      case UNSETTLED -> throw ClaimSettings.unsettled(filter);
      default -> {}
    }
  }
}
