package io.bloomguard.redis.internal.client;

import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.FilterMode;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The enforcement of one filter, one of the facts that processes share of it.
 *
 * <p>A process that knows a later version than Redis writes it back, because Redis has lost it. A
 * process that cannot reach Redis to disarm does so as soon as it can.
 */
public final class RedisEnforcement implements Enforcement {

  private static final byte[] FORMAT = Utf8.bytes("format");
  private static final byte[] FORMAT_VERSION = Utf8.bytes("1");
  private static final Logger log = LoggerFactory.getLogger(RedisEnforcement.class);

  private final String filter;
  private final RedisLink requests;
  private final RedisLink builds;
  private final byte[] head;
  private final boolean makesHead;
  private final SharedFact<State> fact;

  /** The wrong rejections that Redis has still to be told of; null for none. */
  private final AtomicReference<@Nullable Proof> untold = new AtomicReference<>();

  private volatile Standing standing = Standing.INITIAL;

  /**
   * Creates an enforcement of unknown state.
   *
   * @param filter the filter's name, for the log
   * @param head the key of the head, beside which the facts are
   */
  public RedisEnforcement(String filter, RedisConnections connections, byte[] head) {
    this(filter, connections, head, false);
  }

  private RedisEnforcement(
      String filter, RedisConnections connections, byte[] head, boolean makesHead) {
    this.filter = filter;
    this.requests = connections.requests(head);
    this.builds = connections.builds(head);
    this.head = head;
    this.makesHead = makesHead;
    this.fact = new SharedFact<>(head, "standing", true, State::parse, State::text);
  }

  /**
   * The enforcement of a filter without a head of its own.
   *
   * @param keyPrefix the beginning of every key of ours
   */
  public static RedisEnforcement beside(
      String filter, RedisConnections connections, String keyPrefix) {
    byte[] head = Utf8.bytes(keyPrefix + ":{" + filter + "}:standing");
    return new RedisEnforcement(filter, connections, head, true);
  }

  /** The standing and the wrong rejections, which change together. */
  private record State(Standing standing, Proof proof) {

    static State parse(String text) {
      if (text.isEmpty()) {
        return new State(Standing.INITIAL, Proof.NONE);
      }
      String[] parts = text.split("\\|", 4);
      FilterMode mode =
          Arrays.stream(FilterMode.values())
              .filter(known -> known.tag().equals(parts[1]))
              .findAny()
              .orElse(null);
      List<String> hashes = parts[3].isEmpty() ? List.of() : List.of(parts[3].split(","));
      return new State(
          new Standing(parts[0].equals("1"), mode), new Proof(Long.parseLong(parts[2]), hashes));
    }

    String text() {
      FilterMode mode = standing.mode();
      StringBuilder text = new StringBuilder(standing.disarmed() ? "1|" : "0|");
      text.append(mode == null ? "" : mode.tag()).append('|').append(proof.generation());
      text.append('|');
      proof.keyHashes().forEach(hash -> text.append(hash).append(','));
      return text.toString();
    }

    State armed(Proof left) {
      return new State(standing.disarmed(false), left);
    }

    State disarmed(Proof more) {
      Proof all = proof.with(more.generation(), "");
      for (String hash : more.keyHashes()) {
        all = all.with(more.generation(), hash);
      }
      return new State(standing.disarmed(true), all);
    }
  }

  @Override
  public Standing standing() {
    return standing;
  }

  @Override
  public Proof proof() {
    Proof due = untold.get();
    return due == null ? fact.known().proof() : due;
  }

  @Override
  public void disarm(long generation) {
    disarm(generation, "");
  }

  @Override
  public void disarm(long generation, String keyHash) {
    Proof before = proof();
    if (standing.disarmed() && before.with(generation, keyHash).equals(before)) {
      return;
    }
    Proof told = fact.known().proof();
    untold.updateAndGet(due -> (due == null ? told : due).with(generation, keyHash));
    standing = standing.disarmed(true);
    try {
      // Nothing waits for this: the next maintenance checks whether it arrived.
      var unused = tell();
    } catch (RuntimeException e) {
      log.debug("Filter '{}': other processes learn later that it is disarmed", filter, e);
    }
  }

  /** Reads the standing, after Redis was told what it has still to be told. */
  private CompletableFuture<State> tell() {
    Proof due = untold.get();
    return fact.change(requests, (state, now) -> due == null ? state : state.disarmed(due))
        .thenApply(
            state -> {
              untold.compareAndSet(due, null);
              return learn(state);
            });
  }

  @Override
  public void arm() {
    arm(false);
  }

  @Override
  public void arm(boolean repaired) {
    arm((state, now) -> state.armed(repaired ? Proof.NONE : state.proof()));
  }

  /** Another process may have seen the wrong rejection. */
  @Override
  public boolean armFor(long generation) {
    if (!standing.disarmed() || generation != proof().generation()) {
      arm(
          (state, now) ->
              state.proof().generation() == generation ? state : state.armed(state.proof()));
    }
    return !standing.disarmed();
  }

  /** A key that is found wrongly rejected meanwhile is told after this. */
  private void arm(SharedFact.Change<State> change) {
    Proof due = untold.get();
    State armed = changed(change);
    untold.compareAndSet(due, null);
    learn(armed);
  }

  @Override
  public void mode(FilterMode mode) {
    learn(changed((state, now) -> new State(state.standing().in(mode), state.proof())));
  }

  private State changed(SharedFact.Change<State> change) {
    builds.awaitConnected(RedisConnections.CONNECT);
    return fact.await(builds, RedisConnections.SLOW, change);
  }

  /** Reads the changes of other processes, and writes those that Redis lacks. Never throws. */
  public void maintain() {
    try {
      if (makesHead) {
        // Version 0.9 looks there.
        Replies.await(
            requests.call(c -> c.hsetnx(head, FORMAT, FORMAT_VERSION)), RedisConnections.WRITE);
      }
      Replies.await(tell(), RedisConnections.WRITE);
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': whether it is armed could not be read", filter, e);
    }
  }

  private State learn(State heard) {
    Standing now = untold.get() == null ? heard.standing() : heard.standing().disarmed(true);
    if (!now.equals(standing)) {
      log.info(
          "Filter '{}' is {}, mode {}",
          filter,
          now.disarmed() ? "disarmed" : "armed",
          now.mode() == null ? "as configured" : now.mode().tag());
    }
    standing = now;
    return heard;
  }
}
