package io.bloomguard.redis.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A fact that processes share of a filter, with its twin in this process: a field of one hash in
 * the slot of partition 0.
 *
 * <p>Each change has a version, by Redis' clock and higher than all before. A change that another
 * process has come before is made once more, of the value there.
 *
 * @param <T> the type of its values, which are compared
 */
public final class SharedFact<T> {

  private static final LuaScript FACT = LuaScript.of(SharedFact.class, "fact");

  private final List<byte[]> keys;
  private final String name;
  private final boolean restores;
  private final Function<String, T> parser;
  private final Function<T, String> printer;
  private volatile Known<T> known;

  /**
   * A fact of which nothing is known.
   *
   * @param head the key of the head of partition 0, beside which the hash is
   * @param restores whether Redis gets back the twin's value, if it has lost that version
   * @param parser reads a value, that of a missing field from an empty text
   */
  public SharedFact(
      byte[] head,
      String name,
      boolean restores,
      Function<String, T> parser,
      Function<T, String> printer) {
    String key = Utf8.text(head);
    this.keys = List.of(Utf8.bytes(key.substring(0, key.lastIndexOf(':')) + ":facts"), head);
    this.name = name;
    this.restores = restores;
    this.parser = parser;
    this.printer = printer;
    this.known = new Known<>(-1, parser.apply(""), 0, System.nanoTime());
  }

  /** A version and its value, when Redis' clock stood there, and when this process heard so. */
  private record Known<T>(long version, T value, long clock, long heard) {}

  /** A change of a value, at a time of Redis' clock in microseconds. Has no effect of its own. */
  public interface Change<T> {

    T of(T value, long now);
  }

  /** The value as this process knows it. */
  public T known() {
    return known.value;
  }

  /** Redis' clock in microseconds, rather too early than too late. */
  public long now() {
    return now(known);
  }

  private static long now(Known<?> known) {
    return known.clock + (System.nanoTime() - known.heard) / 1000;
  }

  /** The value in Redis. */
  public T read(RedisLink link, Duration timeout) {
    return await(link, timeout, (value, now) -> value);
  }

  /**
   * Changes the value, and waits for that.
   *
   * @return the value in Redis after it
   * @throws RedisUnavailableException if that is not known
   */
  public T await(RedisLink link, Duration timeout, Change<T> change) {
    return Objects.requireNonNull(Replies.await(change(link, change), timeout));
  }

  /** Changes the value; the future has that in Redis after it. */
  public CompletableFuture<T> change(RedisLink link, Change<T> change) {
    return change(link, change, known, Attempts.MOST);
  }

  private CompletableFuture<T> change(RedisLink link, Change<T> change, Known<T> seen, int left) {
    T next = change.of(seen.value, now(seen));
    List<Object> args = new ArrayList<>();
    args.addAll(List.of(name, seen.version, restores ? printer.apply(seen.value) : ""));
    if (!next.equals(seen.value)) {
      args.add(printer.apply(next));
    }
    return FACT.start(link, keys, args.toArray())
        .reply()
        .thenCompose(
            reply -> {
              if (reply.outcome() == ScriptOutcome.HEADLESS) {
                return CompletableFuture.completedFuture(parser.apply(""));
              }
              Known<T> there = learn(reply);
              if (reply.ok()) {
                return CompletableFuture.completedFuture(there.value);
              }
              return left > 1
                  ? change(link, change, there, left - 1)
                  : CompletableFuture.failedFuture(
                      new RedisUnavailableException("Other processes changed it each time", null));
            });
  }

  private Known<T> learn(LuaScript.Reply reply) {
    Known<T> there =
        new Known<>(
            Long.parseLong(reply.text(1)),
            parser.apply(reply.text(2)),
            Long.parseLong(reply.text(3)),
            System.nanoTime());
    if (!restores || there.version >= known.version) {
      known = there;
    }
    return there;
  }
}
