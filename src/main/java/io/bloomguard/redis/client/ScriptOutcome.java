package io.bloomguard.redis.client;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How a script went: the first element of its answer. All but {@link #OK} say why not. */
public enum ScriptOutcome {
  /** It did what it is for. */
  OK,
  /** The head has changed since the caller read it: nothing was done. */
  REREAD,
  /** There is no head: nothing was done. */
  HEADLESS,
  /** The head, or what stands in its place, is of another scheme or program. */
  FOREIGN,
  /** Another program's key stands in the place. */
  TAKEN,
  /** The key is of another type. */
  WRONG,
  /** There is no such key. */
  MISSING,
  /** There is no such thing. */
  NONE,
  /** It is there already. */
  EXISTS,
  /** An image is not whole. */
  DAMAGED,
  /** Something that the caller relied on was lost. */
  LOST,
  /** A bound is reached. */
  FULL,
  /** The RedisBloom module, or a condition of the caller, refused it. */
  REFUSED,
  /** The server has no {@code BF.*} commands. */
  NO_MODULE,
  /** A later build, or none, holds the lock. */
  FENCED,
  /** A build holds the lock. */
  RUNNING,
  /** The partition is in doubt. */
  UNSETTLED,
  /** The doubt is over. */
  SETTLED,
  /** There is no doubt. */
  TRUSTED,
  /** Other writers have not come forward yet. */
  WAITING,
  /** Only a rebuild ends the doubt. */
  REBUILD,
  /** Another scheme has taken the place. */
  MOVED,
  /** It was changed. */
  CHANGED,
  /** It was left as it is. */
  KEPT,
  /** Not all of it is there. */
  INCOMPLETE,
  /** A value was stored. */
  STORED,
  /** A lease or a barrier came between. */
  REVOKED,
  /** A write is under way. */
  OPEN,
  /** A write has ended. */
  ENDED,
  /** There was no write. */
  NEVER;

  private static final Map<String, ScriptOutcome> WORDS =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(ScriptOutcome::word, Function.identity()));

  private String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static ScriptOutcome of(String word) {
    ScriptOutcome outcome = WORDS.get(word);
    if (outcome == null) {
      throw new RedisUnavailableException("A script answered '" + word + "'", null);
    }
    return outcome;
  }
}
