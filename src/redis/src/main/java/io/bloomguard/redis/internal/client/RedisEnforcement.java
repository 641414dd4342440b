package io.bloomguard.redis.internal.client;

import static java.util.stream.Collectors.joining;

import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.FilterMode;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The enforcement of one filter, in a field of a hash in Redis: the head of its partition 0, whose
 * key has one name under every scheme, or a hash in its place.
 *
 * <p>Each change has a revision that is higher than all before. A process that knows a higher one
 * than Redis writes it back, because Redis has lost it. A process that cannot reach Redis to disarm
 * does so as soon as it can.
 */
public final class RedisEnforcement implements Enforcement {

  private static final LuaScript ENFORCE = LuaScript.of(RedisEnforcement.class, "enforce");
  private static final byte[] FORMAT = Utf8.bytes("format");
  private static final byte[] FORMAT_VERSION = Utf8.bytes("1");
  private static final Logger log = LoggerFactory.getLogger(RedisEnforcement.class);

  private final String filter;
  private final RedisLink requests;
  private final RedisLink builds;
  private final List<byte[]> head;
  private final boolean makesHead;

  /** Held while a thread waits for a script. */
  private final ReentrantLock telling = new ReentrantLock();

  private final ReentrantLock learning = new ReentrantLock();
  private long revision;
  private Standing told = Standing.INITIAL;
  private boolean disarmDue;

  private volatile Proof proof = Proof.NONE;

  private volatile Standing standing = Standing.INITIAL;

  /**
   * Creates an enforcement of unknown state.
   *
   * @param filter the filter's name, for the log
   * @param head the key of the hash; without a field {@code format} it counts as lost
   */
  public RedisEnforcement(String filter, RedisConnections connections, byte[] head) {
    this(filter, connections, head, false);
  }

  private RedisEnforcement(
      String filter, RedisConnections connections, byte[] head, boolean makesHead) {
    this.filter = filter;
    this.requests = connections.requests(head);
    this.builds = connections.builds(head);
    this.head = List.of(head);
    this.makesHead = makesHead;
  }

  /**
   * The enforcement of a filter without a head of its own, in a hash beside it that {@link
   * #maintain} makes.
   *
   * @param keyPrefix the beginning of every key of ours
   */
  public static RedisEnforcement beside(
      String filter, RedisConnections connections, String keyPrefix) {
    byte[] head = Utf8.bytes(keyPrefix + ":{" + filter + "}:standing");
    return new RedisEnforcement(filter, connections, head, true);
  }

  @Override
  public Standing standing() {
    return standing;
  }

  @Override
  public Proof proof() {
    return proof;
  }

  @Override
  public void disarm(long generation) {
    disarm(generation, "");
  }

  @Override
  public void disarm(long generation, String keyHash) {
    learning.lock();
    try {
      Proof more = proof.with(generation, keyHash);
      if (standing.disarmed() && more.equals(proof)) {
        return;
      }
      proof = more;
      disarmDue = true;
      standing = told.disarmed(true);
    } finally {
      learning.unlock();
    }
    try {
      // Nothing waits for this: the next maintenance checks whether it arrived.
      start(requests, "disarm", proof);
    } catch (RuntimeException e) {
      log.debug("Filter '{}': other processes learn later that it is disarmed", filter, e);
    }
  }

  @Override
  public void arm() {
    arm(false);
  }

  @Override
  public void arm(boolean repaired) {
    change(repaired ? "repaired" : "arm", Proof.NONE);
  }

  /** Another process may have seen the wrong rejection. */
  @Override
  public boolean armFor(long generation) {
    if (!standing.disarmed() || generation != proof.generation()) {
      change("arm", Proof.NONE.with(generation, ""));
    }
    return !standing.disarmed();
  }

  @Override
  public void mode(FilterMode mode) {
    change(mode.tag(), Proof.NONE);
  }

  private void change(String what, Proof of) {
    builds.awaitConnected(RedisConnections.CONNECT);
    telling.lock();
    try {
      learn(what, start(builds, what, of).await(RedisConnections.SLOW));
    } finally {
      telling.unlock();
    }
  }

  /** Reads the changes of other processes, and writes those that Redis lacks. Never throws. */
  public void maintain() {
    // The thread that holds the lock reads the same.
    if (!telling.tryLock()) {
      return;
    }
    try {
      if (makesHead) {
        Replies.await(
            requests.call(c -> c.hsetnx(head.get(0), FORMAT, FORMAT_VERSION)),
            RedisConnections.WRITE);
      }
      String what = isDisarmDue() ? "disarm" : "";
      learn(what, start(requests, what, proof).await(RedisConnections.WRITE));
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': whether it is armed could not be read", filter, e);
    } finally {
      telling.unlock();
    }
  }

  private boolean isDisarmDue() {
    learning.lock();
    try {
      return disarmDue;
    } finally {
      learning.unlock();
    }
  }

  private LuaScript.Call start(RedisLink link, String what, Proof of) {
    long known;
    Standing mine;
    learning.lock();
    try {
      known = revision;
      mine = told;
    } finally {
      learning.unlock();
    }
    String hashes = of.keyHashes().stream().map(hash -> hash + ",").collect(joining());
    return ENFORCE.start(
        link,
        head,
        known,
        mine.disarmed() ? "1" : "0",
        mode(mine),
        what,
        of.generation(),
        hashes,
        Proof.MOST);
  }

  private void learn(String what, LuaScript.Reply reply) {
    learning.lock();
    try {
      if (!reply.ok()) {
        // Without a head the filter rejects nothing in any process; the next head gets this change.
        if (!what.isEmpty()) {
          learn(what, revision + 1, changed(what));
        }
        return;
      }
      long there = Long.parseLong(reply.text(1));
      if (there >= revision) {
        learn(what, there, parse(reply.text(2), reply.text(3)));
        if (!disarmDue) {
          List<String> hashes =
              reply.text(5).isEmpty() ? List.of() : List.of(reply.text(5).split(","));
          proof = new Proof(Long.parseLong(reply.text(4)), hashes);
        }
      }
    } finally {
      learning.unlock();
    }
  }

  private void learn(String what, long there, Standing heard) {
    if (heard.disarmed() != standing.disarmed() || heard.mode() != standing.mode()) {
      log.info(
          "Filter '{}' is {}, mode {}",
          filter,
          heard.disarmed() ? "disarmed" : "armed",
          heard.mode() == null ? "as configured" : heard.mode().tag());
    }
    revision = there;
    told = heard;
    if (what.equals("arm") || what.equals("repaired") || what.equals("disarm")) {
      disarmDue = false;
    }
    standing = disarmDue ? heard.disarmed(true) : heard;
  }

  private Standing changed(String what) {
    return switch (what) {
      case "disarm" -> told.disarmed(true);
      case "arm", "repaired" -> told.disarmed(false);
      default -> told.in(FilterMode.valueOf(what.toUpperCase(Locale.ROOT)));
    };
  }

  private static String mode(Standing standing) {
    FilterMode mode = standing.mode();
    return mode == null ? "" : mode.tag();
  }

  private static Standing parse(String disarmed, String mode) {
    for (FilterMode known : FilterMode.values()) {
      if (known.tag().equals(mode)) {
        return new Standing(disarmed.equals("1"), known);
      }
    }
    return new Standing(disarmed.equals("1"), null);
  }
}
