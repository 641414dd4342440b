package io.bloomguard.redis.internal.store;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.generation.RedisGenerations;
import io.bloomguard.redis.internal.migration.ActiveSchemes;
import io.bloomguard.redis.internal.migration.SchemeTracker;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The other schemes of a filter, which answer for keys that the asked one leaves UNKNOWN. */
final class OtherSchemes {

  private final SchemeTracker tracker;
  private final FoldedAnswers folding;

  OtherSchemes(SchemeTracker tracker, FoldedAnswers folding) {
    this.tracker = tracker;
    this.folding = folding;
  }

  /** Asks the other schemes about the keys whose answer is UNKNOWN. Changes the hashes. */
  Membership[] completed(
      RedisGenerations asked, List<String> keys, long[] hashes, Membership[] answers) {
    List<String> unknown = new ArrayList<>();
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] == Membership.UNKNOWN) {
        hashes[unknown.size()] = hashes[i];
        unknown.add(keys.get(i));
      }
    }
    if (unknown.isEmpty()) {
      return answers;
    }
    Membership[] elsewhere = check(asked, unknown, hashes);
    int next = 0;
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] == Membership.UNKNOWN) {
        answers[i] = elsewhere[next++];
      }
    }
    return answers;
  }

  /**
   * Asks the other schemes about keys that the asked one leaves UNKNOWN.
   *
   * @param hashes of the keys, in their order, under the asked scheme
   */
  @SuppressWarnings("ReferenceEquality") // another object: another scheme serves by now
  Membership[] check(RedisGenerations asked, List<String> keys, long[] hashes) {
    // Another partition count may be known from partition 0 alone.
    RedisPartition root = asked.partitions()[0];
    if (!root.head().last().valid() && !root.requests().breaker().isOpen()) {
      root.head().refreshed(root.head().last());
    }
    tracker.follow();
    ActiveSchemes now = tracker.schemes();
    Membership[] answers;
    long[] here = hashes;
    if (now.current() == asked) {
      answers = new Membership[keys.size()];
      Arrays.fill(answers, Membership.UNKNOWN);
    } else {
      here = now.current().hashes(keys);
      answers = folding.doubtAbsence(now.current(), now.current().checkHashes(here, Duration.ZERO));
    }
    RedisGenerations next = now.next();
    if (next == null) {
      return answers;
    }
    // The next scheme answers only in partitions where it has arrived. After its first arrival it
    // has everything, except for adds that a partition took alone after losing its mark.
    Membership[] there =
        folding.doubtAbsence(next, next.checkHashes(next.hashes(keys), Duration.ZERO));
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] == Membership.UNKNOWN && now.current().hasMoved(here[i])) {
        answers[i] = there[i];
      }
    }
    return answers;
  }
}
