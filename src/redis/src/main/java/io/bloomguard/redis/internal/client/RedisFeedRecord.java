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
 * The record of a filter's feed, in a field of the head of its partition 0, whose key has one name
 * under every scheme. A head that is lost takes it along, and with it the filter's content. Notes
 * of own writes have a key of their own, and appear as keyed digests of 64 bits.
 */
public final class RedisFeedRecord implements FeedRecord {

  private static final LuaScript FEED = LuaScript.of(RedisFeedRecord.class, "feed");

  private static final LuaScript OWN = LuaScript.of(RedisFeedRecord.class, "own");

  private final String filter;
  private final RedisLink requests;
  private final List<byte[]> head;
  private final List<byte[]> own;
  private final ToLongFunction<String> digest;

  /**
   * The link of the reading that began last, to one server alone: another one may have an older
   * record, and older values, which the changes since then have to drop once more.
   */
  private volatile RedisLink reading;

  /**
   * @param filter the filter's name, for messages
   * @param head the key of the hash
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
    this.head = List.of(head);
    this.own = List.of(own);
    this.digest = digest;
  }

  /** Nothing is known of a feed without a head. */
  @Override
  public Entry read() {
    Entry entry = entryOrNull(run(requests, "read", 0, "", ""));
    return entry == null ? Entry.NONE : entry;
  }

  @Override
  public Entry claim() {
    reading = requests.only(requests.server());
    LuaScript.Reply reply = run(reading, "claim", 0, "", "");
    if (!reply.ok()) {
      throw new StoreUnavailableException("Filter '" + filter + "' has no head in Redis yet", null);
    }
    return entry(reply);
  }

  @Override
  public @Nullable Entry begin(long reader, String position) {
    return entryOrNull(run(reading, "begin", reader, position, ""));
  }

  @Override
  public @Nullable Entry advance(long reader, @Nullable String position, @Nullable Duration age) {
    String micros = age == null ? "" : Long.toString(TimeUnit.NANOSECONDS.toMicros(age.toNanos()));
    return entryOrNull(run(reading, "advance", reader, position == null ? "" : position, micros));
  }

  @Override
  public void built(long begun) {
    run(requests, "built", begun, "", "");
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

  private LuaScript.Reply run(
      RedisLink link, String what, long number, String position, String age) {
    return FEED.start(link, head, what, number, position, age).await(RedisConnections.WRITE);
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
