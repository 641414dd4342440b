package io.bloomguard.redis.internal.client;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The outcome of a script: the first element of its answer. All but {@link #OK} give a reason. */
public enum ScriptOutcome {
  /** The script did its work. */
  OK,
  /** The head has changed since the caller read it: the script did nothing. */
  REREAD,
  /** There is no head: the script did nothing. */
  HEADLESS,
  /** The head, or the value in its place, is of another scheme or program. */
  FOREIGN,
  /** Another program's key is in the place. */
  TAKEN,
  /** The key is of another type. */
  WRONG,
  /** There is no such key. */
  MISSING,
  /** The object does not exist. */
  NONE,
  /** The object exists already. */
  EXISTS,
  /** An image is not whole. */
  DAMAGED,
  /** State that the caller relied on was lost. */
  LOST,
  /** A bound is reached. */
  FULL,
  /** The RedisBloom module, or a condition of the caller, refused the command. */
  REFUSED,
  /** The server has no {@code BF.*} commands. */
  NO_MODULE,
  /** A claim stands for other keys. */
  CLAIMED,
  /** There is no room for another claim. */
  CROWDED,
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
  /** Other writers have not reported yet. */
  WAITING,
  /** Only a rebuild ends the doubt. */
  REBUILD,
  /** Another scheme has replaced this one. */
  MOVED,
  /** The object was changed. */
  CHANGED,
  /** The object was left unchanged. */
  KEPT,
  /** A part of the object is missing. */
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
