package io.bloomguard.redis.internal.build;

import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.client.Utf8;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.PartitionAdds;
import io.bloomguard.redis.internal.partition.RedisPartition;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.StreamMessage;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A partition that gets the generation of a build, and the load of its keys into its image. */
final class ImageLoad {

  private static final int CHUNK_BYTES = 512 << 10;

  /** The most chunks under way: enough to keep Redis busy, few enough to let checks between. */
  private static final int WINDOW = 3;

  private static final int JOURNAL_PAGE = 500;
  private static final LuaScript CHUNK = ImageFormat.SCRIPT.then(ImageLoad.class, "chunk");
  private static final LuaScript COUNT = ImageFormat.SCRIPT.then(ImageLoad.class, "count");
  private static final LuaScript REPLAY =
      ImageFormat.withPositions(ImageFormat.SCRIPT).then(ImageLoad.class, "replay");

  private final RedisPartition partition;
  private final RedisLink link;
  private final RedisImage image;
  private final byte[] seal;
  private final Deque<LuaScript.Call> sent = new ArrayDeque<>();

  /**
   * @param image to be registered at the server that serves now; no other gets a command
   */
  ImageLoad(RedisPartition partition, RedisImage image) {
    this.partition = partition;
    this.link = partition.builds().only(partition.builds().server());
    this.image = image;
    this.seal = image.sealBytes(ImageState.BUILDING);
  }

  RedisPartition partition() {
    return partition;
  }

  RedisLink link() {
    return link;
  }

  RedisImage image() {
    return image;
  }

  int index() {
    return partition.own().partition();
  }

  RedisHead readHead() {
    return partition.head().read(link, link.timeout());
  }

  /** Sends everything; then the image holds the heap's bits and every journalled add. */
  void run(BlockedFilter bits) {
    String replayed = forEachJournalled(null, hashes -> addToHeap(bits, hashes));
    upload(bits);
    forEachJournalled(replayed, this::replay);
  }

  private static void addToHeap(BlockedFilter bits, List<Long> hashes) {
    for (long hash : hashes) {
      bits.addHash(hash);
    }
  }

  private void upload(BlockedFilter bits) {
    long set = Math.round(bits.fillRatio() * bits.shape().bits());
    if (set > 0) {
      for (long word = 0; word < bits.words(); word += CHUNK_BYTES / Long.BYTES) {
        long left = (bits.words() - word) * Long.BYTES;
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, left));
        bits.readWords(word, chunk);
        send(word * Long.BYTES, chunk.array());
      }
    }
    endSending(bits.estimatedElements(), set);
  }

  /** Sends words that begin at a byte of the image's, and waits while too many are under way. */
  void send(long offset, byte[] words) {
    sent.add(
        CHUNK.start(link, List.of(image.key()), seal, ImageFormat.FRAME_BYTES + offset, words));
    if (sent.size() == WINDOW) {
      require(sent.remove().await(link.timeout()));
    }
  }

  /** Ends the sending, after which the image has these counts. */
  void endSending(long elements, long set) {
    while (!sent.isEmpty()) {
      require(sent.remove().await(link.timeout()));
    }
    require(COUNT.run(link, List.of(image.key()), seal, elements, set));
  }

  /** Adds what the journal has from a moment on to the image, to which all else was sent. */
  void replay(Instant from) {
    forEachJournalled(Long.toString(Math.max(0, from.toEpochMilli() - 1)), this::replay);
  }

  void replay(List<Long> hashes) {
    for (int from = 0; from < hashes.size(); from += PartitionAdds.CHUNK) {
      int to = Math.min(hashes.size(), from + PartitionAdds.CHUNK);
      require(add(hashes.subList(from, to)).await(link.timeout()));
    }
  }

  private LuaScript.Call add(List<Long> hashes) {
    return REPLAY.start(
        link,
        List.of(image.key()),
        seal,
        hashes.size(),
        image.offsetsPerKey(),
        image.offsets(hashes),
        image.positionBits());
  }

  /**
   * Passes on the journal's hashes, from after entry {@code last} (null: its beginning) to its end
   * at the time of the call.
   *
   * @return the last entry passed on, or {@code last}
   */
  private @Nullable String forEachJournalled(@Nullable String last, Consumer<List<Long>> hashes) {
    List<StreamMessage<byte[], byte[]>> newest =
        Replies.await(
            link.call(
                c -> c.xrevrange(partition.keys().journal(), Range.unbounded(), Limit.from(1))),
            link.timeout());
    if (newest == null || newest.isEmpty()) {
      return last;
    }
    String end = newest.get(0).getId();
    while (!end.equals(last)) {
      Range<String> range =
          Range.from(
              last == null ? Boundary.unbounded() : Boundary.excluding(last),
              Boundary.including(end));
      List<StreamMessage<byte[], byte[]>> page =
          Replies.await(
              link.call(c -> c.xrange(partition.keys().journal(), range, Limit.from(JOURNAL_PAGE))),
              link.timeout());
      if (page == null || page.isEmpty()) {
        return last;
      }
      List<Long> of = new ArrayList<>();
      page.forEach(entry -> of.addAll(hashes(entry.getBody())));
      hashes.accept(of);
      last = page.get(page.size() - 1).getId();
    }
    return last;
  }

  /** Hashes under another secret mean nothing here, and their keys would be denied. */
  private List<Long> hashes(Map<byte[], byte[]> body) {
    List<Long> hashes = new ArrayList<>();
    body.forEach(
        (name, value) -> {
          String field = Utf8.text(name);
          if (field.equals("s")
              && !Utf8.text(value).equals(RedisHead.scheme(image.fingerprint()))) {
            throw new StoreUnavailableException(
                "The journal of filter '"
                    + image.fingerprint().filter()
                    + "' in Redis has adds of a process with another hash secret; the filter can be"
                    + " built once they are older than the journal's retention",
                null);
          }
          if (field.equals("h")) {
            ByteBuffer packed = ByteBuffer.wrap(value);
            while (packed.remaining() >= Long.BYTES) {
              hashes.add(packed.getLong());
            }
          }
        });
    return hashes;
  }

  private void require(LuaScript.Reply reply) {
    if (!reply.ok()) {
      throw new IllegalStateException(
          "The image of generation "
              + image.generation()
              + " of filter '"
              + image.fingerprint().filter()
              + "' in Redis was cleared by another build or is damaged");
    }
  }
}
