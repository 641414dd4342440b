package io.bloomguard.redis.subject;

import io.bloomguard.redis.client.LuaScript;
import io.bloomguard.redis.client.RedisConnections;
import io.bloomguard.redis.client.RedisLink;
import io.bloomguard.redis.client.RedisSession;
import io.bloomguard.redis.client.RedisUnavailableException;
import io.bloomguard.redis.client.ScriptOutcome;
import io.bloomguard.redis.client.TakenPlace;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process knows of a filter by subject in Redis, and tells there of itself every second.
 *
 * <p>Redis may lose what it has acknowledged: by a failover, a restart, a restored dump, a deleted
 * head or index. The head therefore has a creation, a beat that moves on with every sign of life,
 * and the server under which it is believed. Where one of them is not what a process knows, the
 * losses get a new number, and no key is absent until each process on the list of writers has added
 * again, after that number, what it remembers. What that cannot make good, because more was lost
 * than is remembered, keeps the doubt for as long as the lost keys would have lived.
 */
final class SubjectRegister {

  /** How long a doubt lasts at least: others must have had the time to come forward. */
  static final Duration GRACE = Duration.ofSeconds(2);

  /** How long a process that is silent is waited for. */
  private static final Duration LIFETIME = Duration.ofSeconds(10);

  /** Subjects whose time is over that are forgotten with one sign of life, at most. */
  private static final int PRUNED = 1000;

  private static final String FOREIGN =
      "Redis holds subjects of another shape, hash or secret, so every key is UNKNOWN and no"
          + " add is taken: set expected-insertions, false-positive-probability, hash and"
          + " bloomguard.hash-secret as the other processes have them, give the filter another name,"
          + " or wait until the time of these subjects is over";

  private static final LuaScript TELL = LuaScript.of(SubjectRegister.class, "subjects", "tell");
  private static final Logger log = LoggerFactory.getLogger(SubjectRegister.class);

  private final SubjectSettings settings;
  private final SubjectKeys keys;
  private final String fingerprint;
  private final RedisLink requests;
  private final long graceMillis;
  private final String writer = UUID.randomUUID().toString();

  /** Held while the script is waited for. */
  private final ReentrantLock telling = new ReentrantLock();

  private volatile View view = View.NONE;

  /** When this process told of itself last, in nanoseconds. */
  private volatile long told;

  /** Why what is there is not used: another program's, another shape, hash or secret. */
  private volatile @Nullable String refusal;

  /** The losses after which everything was added again; empty before any are known. */
  private volatile String madeGood = "";

  SubjectRegister(
      SubjectSettings settings,
      SubjectKeys keys,
      String fingerprint,
      RedisLink requests,
      Duration grace) {
    this.settings = settings;
    this.keys = keys;
    this.fingerprint = fingerprint;
    this.requests = requests;
    this.graceMillis = grace.toMillis();
  }

  View view() {
    return view;
  }

  /** Why nothing of what Redis holds is used and no add is taken; null if it is. */
  @Nullable String refusal() {
    return refusal;
  }

  /** Whether this process has still to add again what it remembers. */
  boolean isBehind() {
    return !view.losses().equals(madeGood);
  }

  /** Everything was added again after some losses. */
  void madeGood(String losses) {
    madeGood = losses;
  }

  /** Whether a key that is not there is absent, as far as this process knows. */
  boolean isTrusted() {
    View now = view;
    return now.settled() && now.doubt().isZero() && isCurrent(now);
  }

  private boolean isCurrent(View now) {
    return refusal == null && !now.server().isEmpty() && now.server().equals(requests.server());
  }

  /** As {@link #tell}, unless another thread is doing so. */
  void tellIfFree() {
    if (telling.tryLock()) {
      try {
        exchange();
      } finally {
        telling.unlock();
      }
    }
  }

  /**
   * Whether the list of writers may lack this process: it has told of itself at no time, or so long
   * ago that others may take it for gone, because it was stopped.
   */
  boolean isSilent() {
    return view.server().isEmpty() || System.nanoTime() - told > LIFETIME.toNanos() / 2;
  }

  /**
   * Gives a sign of life, and learns how the filter stands, unless another thread has learned that
   * since the call.
   *
   * @throws RedisUnavailableException if Redis does not answer, or other threads wait for it
   */
  @SuppressWarnings("ReferenceEquality") // another object: it was learned since
  void tell() {
    View before = view;
    if (!isLocked()) {
      throw new RedisUnavailableException("Other threads wait for Redis", null);
    }
    try {
      if (view == before || isSilent()) {
        exchange();
      }
    } finally {
      telling.unlock();
    }
  }

  private boolean isLocked() {
    try {
      return telling.tryLock(RedisConnections.WRITE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void exchange() {
    String server = requests.server();
    if (server.equals(RedisSession.ANY)) {
      throw new RedisUnavailableException("Redis is not connected", null);
    }
    View known = view;
    long sent = System.nanoTime();
    LuaScript.Reply reply =
        TELL.start(
                requests.only(server),
                keys.ofSigns(),
                fingerprint,
                server,
                writer,
                known.created(),
                known.beat(),
                madeGood,
                settings.ttl().toMillis(),
                settings.retention().toMillis(),
                graceMillis,
                LIFETIME.toMillis(),
                PRUNED)
            .await(RedisConnections.WRITE);
    if (reply.ok()) {
      learn(server, known, reply);
      told = sent;
    } else {
      refuse(reply.outcome() == ScriptOutcome.TAKEN ? taken(reply.text(1)) : FOREIGN);
    }
  }

  private void refuse(String why) {
    if (!why.equals(refusal)) {
      log.warn("Filter '{}': {}", settings.filter(), why);
    }
    refusal = why;
  }

  private static String taken(String what) {
    return switch (what) {
      case "index" ->
          TakenPlace.reason("the index of subjects", "its name ends in :subjects:index");
      case "writers" ->
          TakenPlace.reason("the list of writers", "its name ends in :subjects:writers");
      default -> TakenPlace.reason("the head of the subjects", "its name ends in :subjects");
    };
  }

  private void learn(String server, View known, LuaScript.Reply reply) {
    refusal = null;
    View now =
        new View(
            server,
            reply.text(1),
            reply.text(2),
            reply.number(3) == 1,
            Long.parseLong(reply.text(4)),
            Duration.ofMillis(reply.number(5)),
            reply.number(6));
    if (!known.losses().isEmpty() && !known.losses().equals(now.losses())) {
      log.warn(
          "Filter '{}': Redis may have lost adds; what this process remembers is added again",
          settings.filter());
    }
    if (known.losses().isEmpty()) {
      // This process has added nothing yet that could be missing.
      madeGood = now.losses();
    }
    view = now;
  }

  /**
   * The filter as it was when this process last told of itself.
   *
   * @param server the server that was spoken to, empty before any was
   * @param created names the head
   * @param losses names the last loss
   * @param settled whether that was made good
   * @param beat the head's beat
   * @param doubt how long keys may be missing that no process remembers
   * @param count subjects that live
   */
  record View(
      String server,
      String created,
      String losses,
      boolean settled,
      long beat,
      Duration doubt,
      long count) {

    static final View NONE = new View("", "", "", false, 0, Duration.ZERO, 0);
  }
}
