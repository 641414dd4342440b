package io.bloomguard.classic.internal.bloom;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Utf8;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * The module's commands on one key, each in a script that proves in the same step that the key is a
 * filter: {@code BF.EXISTS} is 0 for a missing key and for one of another type.
 */
final class BloomCommands {

  /** The most items in one script, so that none blocks Redis for long. */
  static final int CHUNK = 500;

  private static final LuaScript CHECK = LuaScript.of(BloomCommands.class, "look", "check");
  private static final LuaScript INSERT = LuaScript.of(BloomCommands.class, "look", "insert");
  private static final LuaScript RESERVE = LuaScript.of(BloomCommands.class, "look", "reserve");
  private static final LuaScript INFO = LuaScript.of(BloomCommands.class, "look", "info");

  private final SharedBloom key;
  private final List<byte[]> keys;
  private final RedisLink link;

  BloomCommands(SharedBloom key, RedisConnections connections) {
    this.key = key;
    this.keys = key.keys();
    this.link = connections.requests(keys.get(0));
  }

  RedisLink link() {
    return link;
  }

  /**
   * Checks items, in chunks that are all sent before the wait for the first answer.
   *
   * @return a 0 or 1 for each item
   * @throws RedisUnavailableException if Redis does not answer in the time of a request
   * @throws NoFilterException if the key is no filter
   */
  String check(List<String> items) {
    if (!link.breaker().allows()) {
      throw new RedisUnavailableException("Redis does not answer at present", null);
    }
    List<LuaScript.Call> calls = new ArrayList<>();
    for (int from = 0; from < items.size(); from += CHUNK) {
      calls.add(start(CHECK, items, from));
    }
    StringBuilder found = new StringBuilder(items.size());
    try {
      for (LuaScript.Call call : calls) {
        found.append(answer(call, link.timeout()).text(1));
      }
      link.breaker().answered();
    } catch (RedisUnavailableException e) {
      if (e.getCause() instanceof TimeoutException) {
        link.unanswered();
      }
      throw e;
    }
    return found.toString();
  }

  /**
   * Adds items to the existing filter.
   *
   * @return a 1 for each item that was new, else 0
   * @throws RedisUnavailableException if Redis does not answer
   * @throws NoFilterException if the key is no filter
   * @throws StoreUnavailableException if the filter takes no more
   */
  String insert(List<String> items) {
    StringBuilder fresh = new StringBuilder(items.size());
    for (int from = 0; from < items.size(); from += CHUNK) {
      fresh.append(answer(start(INSERT, items, from), RedisConnections.WRITE).text(1));
    }
    return fresh.toString();
  }

  /**
   * Creates an empty filter; returns false if there is one.
   *
   * @throws RedisUnavailableException if Redis does not answer
   * @throws NoFilterException if the key has another type, or the module is missing
   * @throws StoreUnavailableException if it cannot be made
   */
  boolean reserve() {
    LuaScript.Reply reply =
        answer(RESERVE.start(link, keys, key.reservation()), RedisConnections.WRITE);
    return reply.ok();
  }

  /**
   * The module's information on the filter.
   *
   * @throws RedisUnavailableException if Redis does not answer
   * @throws NoFilterException if the key is no filter
   */
  BloomInfo info() {
    LuaScript.Reply reply = answer(INFO.start(link, keys), RedisConnections.WRITE);
    return new BloomInfo(reply.number(1), reply.number(2), reply.number(3), reply.number(4));
  }

  private LuaScript.Call start(LuaScript script, List<String> items, int from) {
    return script.start(
        link,
        keys,
        items.subList(from, Math.min(items.size(), from + CHUNK)).stream()
            .map(Utf8::bytes)
            .toArray());
  }

  private LuaScript.Reply answer(LuaScript.Call call, Duration timeout) {
    LuaScript.Reply reply = call.await(timeout);
    return switch (reply.outcome()) {
      case OK, EXISTS -> reply;
      case MISSING ->
          throw new NoFilterException(
              "there is no key '" + key.key() + "' in Redis" + (key.create() ? " yet" : ""), true);
      case WRONG ->
          throw new NoFilterException(
              "the key '" + key.key() + "' in Redis is of the type " + reply.text(1), false);
      case NO_MODULE ->
          throw new NoFilterException(
              "the server has no BF.* commands: RedisBloom or valkey-bloom must be loaded, or the"
                  + " server be Redis 8",
              false);
      default ->
          throw new StoreUnavailableException("the module says '" + reply.text(1) + "'", null);
    };
  }
}
