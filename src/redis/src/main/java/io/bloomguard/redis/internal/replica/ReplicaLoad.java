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
 *
 * @param link leads to {@code server} alone
 * @param server the server that the image is read from, and the only one that may tell of later
 *     adds
 * @param image the image that is copied
 * @param epoch the epoch under which its content is complete, by the head
 * @param position the end of the journal before the first chunk
 */
record ReplicaLoad(
    RedisLink link,
    String server,
    RedisImage image,
    String epoch,
    BlockedFilter bits,
    Position position,
    Chunks chunks) {

  private static final int CHUNK_BYTES = 512 << 10;

  /** The most chunks under way: Redis is kept busy, and other commands come between. */
  private static final int WINDOW = 2;

  /** The chunks under way, and the words before which all were sent, or merged. */
  static final class Chunks {

    private final Deque<CompletableFuture<byte[]>> sent = new ArrayDeque<>();
    private long nextSent;
    private long nextMerged;
  }

  /**
   * Reads the next chunk and asks for one more.
   *
   * @return false if there was none left
   * @throws RedisUnavailableException if Redis does not answer, or the image is no longer whole
   */
  boolean next() {
    while (chunks.sent.size() < WINDOW && chunks.nextSent < bits.words()) {
      chunks.sent.add(send());
    }
    CompletableFuture<byte[]> first = chunks.sent.poll();
    if (first == null) {
      return false;
    }
    byte[] chunk = Replies.await(first, RedisConnections.WRITE);
    long words = Math.min(CHUNK_BYTES / Long.BYTES, bits.words() - chunks.nextMerged);
    if (chunk == null || chunk.length != words * Long.BYTES) {
      throw new RedisUnavailableException("The image ends too early", null);
    }
    bits.mergeWords(chunks.nextMerged, ByteBuffer.wrap(chunk));
    chunks.nextMerged += words;
    return true;
  }

  private CompletableFuture<byte[]> send() {
    long begin = ImageFormat.FRAME_BYTES + chunks.nextSent * Long.BYTES;
    long end = ImageFormat.FRAME_BYTES + bits.words() * Long.BYTES;
    long last = Math.min(begin + CHUNK_BYTES, end) - 1;
    chunks.nextSent = (last + 1 - ImageFormat.FRAME_BYTES) / Long.BYTES;
    return link.call(c -> c.getrange(image.key(), begin, last));
  }
}
