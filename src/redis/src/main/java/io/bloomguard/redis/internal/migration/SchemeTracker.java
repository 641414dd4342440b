package io.bloomguard.redis.internal.migration;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.generation.FilterParts;
import io.bloomguard.redis.internal.generation.RedisGenerations;
import io.bloomguard.redis.internal.generation.SchemeContext;
import io.bloomguard.redis.internal.image.HashScheme;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the schemes of one filter, as the heads in Redis name them, and advances a migration that
 * has begun.
 */
public final class SchemeTracker {

  private static final Logger log = LoggerFactory.getLogger(SchemeTracker.class);

  private final FilterParts parts;
  private final List<HashSecret> secrets;
  private final KeyFolding here;
  private final ReentrantLock following = new ReentrantLock();
  private volatile ActiveSchemes schemes;

  /** Whether a migration had no builder at the last two polls. */
  private volatile boolean buildDue;

  private boolean idle;

  /** Earlier schemes of the filter. Redis may go back to one, which lacks the adds since. */
  private final Set<HashScheme> left = ConcurrentHashMap.newKeySet();

  /**
   * Assumes a scheme of the filter, until a head names another.
   *
   * @param secrets the hash secrets of the schemes that this process can follow, its own first
   */
  public SchemeTracker(FilterParts parts, List<HashSecret> secrets, SchemeContext supposed) {
    this.parts = parts;
    this.secrets = List.copyOf(secrets);
    this.here = supposed.here();
    this.schemes = new ActiveSchemes(new RedisGenerations(parts, supposed), null);
    schemes.current().startReplica();
  }

  /** The serving scheme and the next one, as far as known. */
  public ActiveSchemes schemes() {
    return schemes;
  }

  /**
   * Adds to both schemes from now on.
   *
   * @throws IllegalStateException if another migration has begun meanwhile
   */
  @SuppressWarnings("ReferenceEquality") // another object: another scheme
  public void begin(ActiveSchemes both) {
    following.lock();
    try {
      RedisGenerations known = schemes.next();
      if (schemes.current() != both.current() || (known != null && known != both.next())) {
        throw new IllegalStateException(
            "Another scheme migration of filter '"
                + name()
                + "' has begun; ask for the rebuild again");
      }
      install(both);
    } finally {
      following.unlock();
    }
  }

  /**
   * Reads the heads in Redis, and follows them.
   *
   * @throws StoreUnavailableException if one cannot be read
   */
  public ActiveSchemes look() {
    Attempts.until(
        () -> {
          schemes.current().look();
          return !follow();
        });
    return schemes;
  }

  /** Follows the heads as last read; true if that changed the schemes. Never throws. */
  public boolean follow() {
    if (schemes.otherScheme() == null) {
      return false;
    }
    following.lock();
    try {
      ActiveSchemes now = schemes;
      String other = now.otherScheme();
      ActiveSchemes next = other == null ? null : schemes(now, HashScheme.Mark.parse(other));
      if (next == null || next.equals(now)) {
        return false;
      }
      install(next);
      return true;
    } finally {
      following.unlock();
    }
  }

  /** The migration from one scheme to another. */
  public SchemeMigration migration(RedisGenerations from, RedisGenerations to) {
    return new SchemeMigration(
        name(), from, to, parts.limits().lateCommits(parts.filter().journalRetention()));
  }

  /** Whether a migration waits for a build that no process runs. */
  public boolean isBuildDue() {
    return buildDue && schemes.next() != null;
  }

  /**
   * Advances a migration that has begun as far as possible without a build.
   *
   * @param building whether some process builds the filter; called only during a migration
   * @throws StoreUnavailableException if Redis does not answer
   */
  public void advance(BooleanSupplier building) {
    ActiveSchemes now = schemes;
    RedisGenerations next = now.next();
    buildDue = false;
    if (next == null) {
      idle = false;
      SchemeMigration.repair(now.current());
      return;
    }
    if (next.hasArrived() && now.otherScheme() == null) {
      now.current().look();
      if (now.otherScheme() == null) {
        // The scheme arrived, and its predecessor replaced it, while this process slept.
        install(new ActiveSchemes(now.current(), null));
        return;
      }
    }
    ScriptOutcome outcome = migration(now.current(), next).advance();
    boolean built = outcome == ScriptOutcome.OK || outcome == ScriptOutcome.UNSETTLED;
    // Twice: a builder releases the lock a moment before it ends the migration.
    boolean wasIdle = idle;
    idle = !built && !building.getAsBoolean();
    buildDue = idle && wasIdle;
    follow();
  }

  private @Nullable ActiveSchemes schemes(ActiveSchemes now, HashScheme.Mark mark) {
    boolean arriving = mark.relation() == '<';
    RedisGenerations current = context(now, arriving ? mark.other() : mark.own(), false);
    if (current == null || mark.relation() == ' ') {
      return current == null ? null : new ActiveSchemes(current, null);
    }
    RedisGenerations next = context(now, arriving ? mark.own() : mark.other(), true);
    return next == null ? null : new ActiveSchemes(current, next);
  }

  /**
   * The generations of a scheme, given as text of a head; null if this process cannot follow it.
   */
  private @Nullable RedisGenerations context(ActiveSchemes now, String text, boolean arriving) {
    HashScheme scheme = HashScheme.parse(text);
    SchemeContext context =
        scheme == null ? null : SchemeContext.of(secrets, here, scheme, arriving);
    if (context == null) {
      return null;
    }
    return now.all().stream()
        .filter(known -> known.scheme().equals(context.scheme()))
        .findFirst()
        .orElseGet(() -> following(now, context));
  }

  private String name() {
    return parts.filter().name();
  }

  /**
   * The generations after those that this process has followed so far; no process uses them yet.
   */
  public RedisGenerations following(ActiveSchemes now, SchemeContext context) {
    RedisGenerations fresh = new RedisGenerations(parts, context);
    fresh.inheritFrom(now.current(), left.contains(context.scheme()));
    return fresh;
  }

  /** Adds read the schemes before and after: so these change before any head is accepted. */
  @SuppressWarnings("ReferenceEquality") // another object: another scheme
  private void install(ActiveSchemes fresh) {
    ActiveSchemes before = schemes;
    RedisGenerations current = fresh.current();
    RedisGenerations next = fresh.next();
    schemes = fresh;
    // An add that is still under way to a replaced scheme goes to its successor too.
    before.all().stream()
        .filter(old -> !fresh.all().contains(old))
        .forEach(RedisGenerations::forgetAdds);
    if (current != before.current()) {
      left.add(before.current().scheme());
      before.current().stopReplica();
      current.startReplica();
    }
    if (next == null) {
      current.standAlone();
      log.info("Filter '{}' is hashed as {}", name(), current.scheme().text());
    } else {
      current.mark(HashScheme.Mark.leaving(current.scheme(), next.scheme()));
      next.mark(HashScheme.Mark.arriving(next.scheme(), current.scheme()));
      if (before.next() == null) {
        log.info(
            "Filter '{}' changes from {} to {}; adds go to both until it is built",
            name(),
            current.scheme().text(),
            next.scheme().text());
      }
    }
  }
}
