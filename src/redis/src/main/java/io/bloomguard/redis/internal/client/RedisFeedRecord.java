package io.bloomguard.redis.internal.client;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FeedRecord;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The record of a filter's feed, one of the facts that processes share of it. A head that is lost
 * takes it along, and with it the filter's content. Notes of own writes have a key of their own,
 * and appear as keyed digests of 64 bits.
 */
public final class RedisFeedRecord implements FeedRecord {

  private static final LuaScript OWN = LuaScript.of(RedisFeedRecord.class, "own");

  private final String filter;
  private final RedisLink requests;
  private final SharedFact<Feed> fact;
  private final List<byte[]> own;
  private final ToLongFunction<String> digest;

  /**
   * The link of the reading that began last, to one server alone: another one may have an older
   * record, and older values, which the changes since then have to drop once more.
   */
  private volatile RedisLink reading;

  /**
   * @param filter the filter's name, for messages
   * @param head the key of the head
   * @param own the key of the notes of own writes, in the same slot
   * @param digest the keyed digest of a text; the same on every node, or notes are not found
   */
  public RedisFeedRecord(
      String filter,
      RedisConnections connections,
      byte[] head,
      byte[] own,
      ToLongFunction<String> digest) {
    this.filter = filter;
    this.requests = connections.requests(head);
    this.reading = requests;
    this.fact = new SharedFact<>(head, "feed", false, Feed::parse, Feed::text);
    this.own = List.of(own);
    this.digest = digest;
  }

  /**
   * An entry as Redis has it.
   *
   * @param moment until which every change has been applied, in microseconds of Redis' clock; 0 for
   *     none
   * @param position empty for none
   */
  private record Feed(long reader, long begun, long built, long moment, String position) {

    static Feed parse(String text) {
      String[] parts = text.split("\\|", 5);
      return parts.length < 5
          ? new Feed(0, 0, 0, 0, "")
          : new Feed(
              Long.parseLong(parts[0]),
              Long.parseLong(parts[1]),
              Long.parseLong(parts[2]),
              Long.parseLong(parts[3]),
              parts[4]);
    }

    String text() {
      return reader + "|" + begun + "|" + built + "|" + moment + "|" + position;
    }

    Entry entry(long now) {
      Duration age = Duration.of(Math.max(0, now - moment), ChronoUnit.MICROS);
      return new Entry(
          reader, begun, built, position.isEmpty() ? null : position, moment == 0 ? null : age);
    }
  }

  /** Nothing is known of a feed without a head. */
  @Override
  public Entry read() {
    return fact.read(requests, RedisConnections.WRITE).entry(fact.now());
  }

  /** The number is higher than any before, also after a loss of the head. */
  @Override
  public Entry claim() {
    reading = requests.only(requests.server());
    Feed claimed =
        change(
            (feed, now) ->
                new Feed(
                    Math.max(feed.reader + 1, now),
                    feed.begun,
                    feed.built,
                    feed.moment,
                    feed.position));
    if (claimed.reader == 0) {
      throw new StoreUnavailableException("Filter '" + filter + "' has no head in Redis yet", null);
    }
    return claimed.entry(fact.now());
  }

  @Override
  public @Nullable Entry begin(long reader, String position) {
    return changeOf(
        reader,
        (feed, now) -> new Feed(reader, Math.max(feed.begun + 1, now), feed.built, 0, position));
  }

  @Override
  public @Nullable Entry advance(long reader, @Nullable String position, @Nullable Duration age) {
    return changeOf(
        reader,
        (feed, now) ->
            new Feed(
                reader,
                feed.begun,
                feed.built,
                age == null ? feed.moment : now - TimeUnit.NANOSECONDS.toMicros(age.toNanos()),
                position == null ? feed.position : position));
  }

  @Override
  public void built(long begun) {
    fact.await(
        requests,
        RedisConnections.WRITE,
        (feed, now) ->
            new Feed(
                feed.reader, feed.begun, Math.max(feed.built, begun), feed.moment, feed.position));
  }

  private Feed change(SharedFact.Change<Feed> change) {
    return fact.await(reading, RedisConnections.WRITE, change);
  }

  /** A change by its reader alone; null for an earlier one, or without a head. */
  private @Nullable Entry changeOf(long reader, SharedFact.Change<Feed> change) {
    Feed there = change((feed, now) -> feed.reader == reader ? change.of(feed, now) : feed);
    return there.reader == reader ? there.entry(fact.now()) : null;
  }

  /** Nobody waits for the answer, and Redis may be away. */
  @Override
  public void noteOwn(Set<OwnWrite> writes) {
    if (requests.breaker().allows()) {
      var unused = OWN.start(requests, own, notes(OWN_FOR.toMillis(), MOST_OWN, writes)).reply();
    }
  }

  @Override
  public Set<OwnWrite> own(Set<OwnWrite> writes) {
    List<OwnWrite> asked = List.copyOf(writes);
    LuaScript.Reply reply =
        OWN.start(requests, own, notes(0, 0, asked)).await(RedisConnections.WRITE);
    String found = reply.text(1);
    return IntStream.range(0, asked.size())
        .filter(i -> found.charAt(i) == '1')
        .mapToObj(asked::get)
        .collect(Collectors.toSet());
  }

  private Object[] notes(long millis, int most, Collection<OwnWrite> writes) {
    return Stream.concat(
            Stream.<Object>of(millis, most),
            writes.stream()
                .map(RedisFeedRecord::text)
                .map(digest::applyAsLong)
                .map(number -> ByteBuffer.allocate(Long.BYTES).putLong(number).array()))
        .toArray();
  }

  private static String text(OwnWrite write) {
    return write.transaction() + (write.added() ? '+' : ' ') + write.key();
  }
}
