package io.bloomguard.redis.internal.generation;

import io.bloomguard.generation.internal.claim.Claim;
import io.bloomguard.generation.internal.claim.ClaimSettings;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.ClaimRefusedException;
import io.bloomguard.redis.internal.client.ClaimPart;
import io.bloomguard.redis.internal.client.ClaimSlot;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * An add under a claim, with the answers that every partition had before it. Another number of
 * partitions, or another secret, may have put a key's answer elsewhere than where the key is now.
 */
final class ClaimedAdd {

  private final String filter;
  private final Claim claim;
  private final ClaimSettings settings;

  /** For each partition and key the answer, {@link ClaimSlot#UNANSWERED} for none. */
  private final byte[][] answers;

  /** For each key the answer of another partition than its own. */
  private final byte[] elsewhere;

  private ClaimedAdd(String filter, Claim claim, ClaimSettings settings, int partitions, int keys) {
    this.filter = filter;
    this.claim = claim;
    this.settings = settings;
    this.answers = new byte[partitions][keys];
    this.elsewhere = new byte[keys];
    Arrays.fill(elsewhere, ClaimSlot.UNANSWERED);
  }

  /**
   * Reads the answers of every partition: nothing is added before all are read.
   *
   * @throws ClaimRefusedException if the claim stands for other keys
   * @throws AddFailedException if one cannot be read
   */
  static ClaimedAdd read(
      String filter, RedisPartition[] partitions, int keys, Claim claim, ClaimSettings settings) {
    ClaimedAdd add = new ClaimedAdd(filter, claim, settings, partitions.length, keys);
    List<LuaScript.Call> calls =
        Stream.of(partitions)
            .map(partition -> partition.keys().claims().read(partition.requests(), claim))
            .toList();
    try {
      for (int i = 0; i < partitions.length; i++) {
        Arrays.fill(add.answers[i], ClaimSlot.UNANSWERED);
        LuaScript.Reply reply = calls.get(i).await(RedisConnections.WRITE);
        ClaimSlot.answers(reply, filter, claim, add.answers[i]);
      }
    } catch (RedisUnavailableException e) {
      throw new AddFailedException(
          "Filter '" + filter + "' could not take an add: " + e.getMessage(), e);
    }
    return add;
  }

  /**
   * What a partition takes of the add.
   *
   * @param indexes of its keys in the whole add
   */
  ClaimPart part(int partition, int[] indexes) {
    int[] here = indexes.clone();
    for (int at = 0; at < here.length; at++) {
      int key = indexes[at];
      for (int other = 0; other < answers.length; other++) {
        if (other != partition && answers[other][key] > elsewhere[key]) {
          elsewhere[key] = answers[other][key];
        }
      }
      if (elsewhere[key] != ClaimSlot.UNANSWERED) {
        here[at] = ClaimPart.ELSEWHERE;
      }
    }
    return new ClaimPart(filter, claim, settings, settings.maxBytes() / answers.length, here);
  }

  /** Puts the answers of other partitions in place of those just given. */
  void answer(boolean[] isNew) {
    for (int key = 0; key < elsewhere.length; key++) {
      if (elsewhere[key] != ClaimSlot.UNANSWERED) {
        isNew[key] = elsewhere[key] == 1;
      }
    }
  }
}
