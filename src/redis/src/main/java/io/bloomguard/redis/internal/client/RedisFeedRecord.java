package io.bloomguard.redis.internal.client;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FeedRecord;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The record of a filter's feed, in a field of the head of its partition 0, whose key has one name
 * under every scheme. A head that is lost takes it along, and with it the filter's content.
 */
public final class RedisFeedRecord implements FeedRecord {

  private static final LuaScript FEED = LuaScript.of(RedisFeedRecord.class, "feed");

  private final String filter;
  private final RedisLink requests;
  private final List<byte[]> head;

  /**
   * @param filter the filter's name, for messages
   * @param head the key of the hash
   */
  public RedisFeedRecord(String filter, RedisConnections connections, byte[] head) {
    this.filter = filter;
    this.requests = connections.requests(head);
    this.head = List.of(head);
  }

  /** Nothing is known of a feed without a head. */
  @Override
  public Entry read() {
    Entry entry = entryOrNull(run("read", 0, "", ""));
    return entry == null ? Entry.NONE : entry;
  }

  @Override
  public Entry claim() {
    LuaScript.Reply reply = run("claim", 0, "", "");
    if (!reply.ok()) {
      throw new StoreUnavailableException("Filter '" + filter + "' has no head in Redis yet", null);
    }
    return entry(reply);
  }

  @Override
  public @Nullable Entry begin(long reader, String position) {
    return entryOrNull(run("begin", reader, position, ""));
  }

  @Override
  public @Nullable Entry advance(long reader, @Nullable String position, @Nullable Duration age) {
    String micros = age == null ? "" : Long.toString(TimeUnit.NANOSECONDS.toMicros(age.toNanos()));
    return entryOrNull(run("advance", reader, position == null ? "" : position, micros));
  }

  @Override
  public void built(long begun) {
    run("built", begun, "", "");
  }

  private LuaScript.Reply run(String what, long number, String position, String age) {
    return FEED.start(requests, head, what, number, position, age).await(RedisConnections.WRITE);
  }

  private static @Nullable Entry entryOrNull(LuaScript.Reply reply) {
    return reply.ok() ? entry(reply) : null;
  }

  private static Entry entry(LuaScript.Reply reply) {
    String age = reply.text(4);
    String position = reply.text(5);
    return new Entry(
        Long.parseLong(reply.text(1)),
        Long.parseLong(reply.text(2)),
        Long.parseLong(reply.text(3)),
        position.isEmpty() ? null : position,
        age.isEmpty() ? null : Duration.of(Long.parseLong(age), ChronoUnit.MICROS));
  }
}
