package io.bloomguard.redis.internal.store;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.generation.RedisGenerations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answers of a scheme with another folding of keys, as far as they hold here: a key may be
 * absent there that equals a present one here.
 */
final class FoldedAnswers {

  private static final Logger log = LoggerFactory.getLogger(FoldedAnswers.class);

  private final String filter;
  private final KeyFolding own;
  private boolean warned;

  FoldedAnswers(String filter, KeyFolding own) {
    this.filter = filter;
    this.own = own;
  }

  /** Whether an absence under the scheme's folding is one under ours. */
  boolean covers(RedisGenerations asked) {
    return asked.folding().covers(own);
  }

  /** The answer, or UNKNOWN for an absence that does not hold here. */
  Membership doubtAbsence(RedisGenerations asked, Membership answer) {
    return answer == Membership.ABSENT && !covers(asked) ? Membership.UNKNOWN : answer;
  }

  /** Turns absences of many keys that are in doubt into UNKNOWN, in place. */
  Membership[] doubtAbsence(RedisGenerations asked, Membership[] answers) {
    if (covers(asked)) {
      return answers;
    }
    for (int i = 0; i < answers.length; i++) {
      answers[i] = answers[i] == Membership.ABSENT ? Membership.UNKNOWN : answers[i];
    }
    return answers;
  }

  /** The explanation of a key, with the folding as the reason if the folding decides. */
  KeyExplanation explain(RedisGenerations asked, String key) {
    KeyExplanation why = asked.explain(key);
    return why.membership() == doubtAbsence(asked, why.membership())
        ? why
        : new KeyExplanation(key, why.bits(), Membership.UNKNOWN, reason(asked));
  }

  /** The reason why absences are unknown. */
  String reason(RedisGenerations asked) {
    return "Its keys are folded as "
        + asked.folding().text()
        + " in Redis and as "
        + own.text()
        + " here, so that what is not in it is unknown until a rebuild of this process";
  }

  /** Warns once if absences are unknown. Called by one thread at a time. */
  void warn(RedisGenerations asked) {
    boolean covered = covers(asked);
    if (!covered && !warned) {
      log.warn("Filter '{}': {}", filter, reason(asked));
    }
    warned = !covered;
  }
}
