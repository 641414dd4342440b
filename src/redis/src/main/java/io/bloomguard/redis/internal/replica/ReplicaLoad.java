package io.bloomguard.redis.internal.replica;

import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.replica.JournalPage.Position;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * The load of an image into a replica, chunk by chunk.
 *
 * <p>The position in the journal was taken before the first chunk is read. Bits of a serving image
 * are only ever set, and an add sets them and writes the journal in one step; so every add
 * meanwhile is in the chunks, or in the journal after the position, or in both.
 */
final class ReplicaLoad {

  private static final int CHUNK_BYTES = 512 << 10;

  /** The most chunks under way: Redis is kept busy, and other commands come between. */
  private static final int WINDOW = 2;

  private final RedisLink link;
  private final String server;
  private final RedisImage image;
  private final String epoch;
  private final BlockedFilter bits;
  private final Position position;
  private final Deque<CompletableFuture<byte[]>> sent = new ArrayDeque<>();
  private long nextSent;
  private long nextMerged;

  /**
   * Creates a load that has read nothing.
   *
   * @param link leads to {@code server} alone
   * @param epoch the epoch under which the image's content is complete, by the head
   * @param before the journal's end before the first chunk
   */
  ReplicaLoad(
      RedisLink link,
      String server,
      RedisImage image,
      String epoch,
      BlockedFilter bits,
      Position before) {
    this.link = link;
    this.server = server;
    this.image = image;
    this.epoch = epoch;
    this.bits = bits;
    this.position = before;
  }

  BlockedFilter bits() {
    return bits;
  }

  /** The server that the image is read from, and the only one that may tell of later adds. */
  String server() {
    return server;
  }

  /** The end of the journal before the first chunk. */
  Position position() {
    return position;
  }

  /** The link to that server alone. */
  RedisLink link() {
    return link;
  }

  /** The image that is copied. */
  RedisImage image() {
    return image;
  }

  /** The epoch under which its content is complete. */
  String epoch() {
    return epoch;
  }

  /**
   * Reads the next chunk and asks for one more.
   *
   * @return false if there was none left
   * @throws RedisUnavailableException if Redis does not answer, or the image is no longer whole
   */
  boolean next() {
    while (sent.size() < WINDOW && nextSent < bits.words()) {
      sent.add(send());
    }
    CompletableFuture<byte[]> first = sent.poll();
    if (first == null) {
      return false;
    }
    byte[] chunk = Replies.await(first, RedisConnections.WRITE);
    long words = Math.min(CHUNK_BYTES / Long.BYTES, bits.words() - nextMerged);
    if (chunk == null || chunk.length != words * Long.BYTES) {
      throw new RedisUnavailableException("The image ends too early", null);
    }
    bits.mergeWords(nextMerged, ByteBuffer.wrap(chunk));
    nextMerged += words;
    return true;
  }

  private CompletableFuture<byte[]> send() {
    long begin = ImageFormat.FRAME_BYTES + nextSent * Long.BYTES;
    long end = ImageFormat.FRAME_BYTES + bits.words() * Long.BYTES;
    long last = Math.min(begin + CHUNK_BYTES, end) - 1;
    nextSent = (last + 1 - ImageFormat.FRAME_BYTES) / Long.BYTES;
    return link.call(c -> c.getrange(image.key(), begin, last));
  }
}
