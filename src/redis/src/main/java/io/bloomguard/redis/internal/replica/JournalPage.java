package io.bloomguard.redis.internal.replica;

import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition's image and journal at one moment, as a replica polls them.
 *
 * @param beat the head's beat
 * @param imageBeat the image's, which is the same unless one of them was put back
 * @param end the end of this page in the journal
 * @param last the journal's last entry
 * @param first the journal's first entry, null for none
 * @param ever entries the journal ever had, -1 if Redis does not tell
 * @param entries the packed hashes of the journal's entries up to {@code end}
 */
public record JournalPage(
    long beat,
    long imageBeat,
    Id end,
    Id last,
    @Nullable Id first,
    long ever,
    List<byte[]> entries) {

  /** The most journal entries in one page, so that no script takes Redis long. */
  public static final int PAGE = 200;

  private static final LuaScript FOLLOW = ImageFormat.SCRIPT.then(JournalPage.class, "follow");

  /** The id of a journal entry. */
  record Id(long millis, long sequence) implements Comparable<Id> {

    static Id parse(String text) {
      int dash = text.indexOf('-');
      return new Id(
          Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
    }

    @Override
    public int compareTo(Id other) {
      int byMillis = Long.compare(millis, other.millis);
      return byMillis != 0 ? byMillis : Long.compare(sequence, other.sequence);
    }

    @Override
    public String toString() {
      return millis + "-" + sequence;
    }
  }

  /**
   * A position in the journal.
   *
   * @param id the last entry before it
   * @param ever entries ever added up to it, -1 for unknown
   */
  record Position(Id id, long ever) {}

  /** Reads the journal's end alone. Null if the image does not serve or is in doubt. */
  static @Nullable JournalPage atEnd(
      RedisLink link, PartitionKeys keys, RedisImage image, RedisHead.Trust trust) {
    return look(link, keys, image, trust, "");
  }

  /** Reads the entries after a position. Null if the image does not serve or is in doubt. */
  static @Nullable JournalPage after(
      RedisLink link,
      PartitionKeys keys,
      RedisImage image,
      RedisHead.Trust trust,
      Position position) {
    return look(link, keys, image, trust, position.id.toString());
  }

  private static @Nullable JournalPage look(
      RedisLink link, PartitionKeys keys, RedisImage image, RedisHead.Trust trust, String after) {
    LuaScript.Reply reply =
        FOLLOW
            .start(
                link,
                List.of(keys.head(), keys.journal(), image.key()),
                image.id(),
                image.lastWord() * Long.BYTES,
                after,
                PAGE)
            .await(RedisConnections.WRITE);
    long ready = image.seal(ImageState.READY);
    if (!reply.ok()
        || !reply.text(1).equals(trust.epoch())
        || word(reply, 2) != ready
        || word(reply, 3) != ready
        || word(reply, 4) != trust.digest()) {
      return null;
    }
    String first = reply.text(8);
    List<byte[]> entries = new ArrayList<>();
    for (int i = 11; i < reply.fields().size(); i++) {
      entries.add(reply.bytes(i));
    }
    return new JournalPage(
        Long.parseLong(reply.text(6)),
        word(reply, 5),
        Id.parse(reply.text(10)),
        Id.parse(reply.text(7)),
        first.isEmpty() ? null : Id.parse(first),
        reply.number(9),
        entries);
  }

  /** A word of the image; 0, which is no seal, if the image is too short. */
  private static long word(LuaScript.Reply reply, int index) {
    byte[] bytes = reply.bytes(index);
    return bytes.length == Long.BYTES ? ByteBuffer.wrap(bytes).getLong() : 0;
  }

  /** Whether neither head nor image is older than one seen before. */
  boolean inStep(long seen) {
    return beat == imageBeat && beat >= seen;
  }

  /** The end of the journal, for a page that began there. */
  Position position() {
    return new Position(end, ever);
  }

  /** Whether the journal has no further entries. */
  boolean complete() {
    return end.equals(last);
  }

  /**
   * The position after this page, null if entries after {@code from} are missing: trimmed, deleted,
   * or lost with the journal.
   */
  @Nullable Position next(Position from) {
    if (last.equals(from.id)) {
      return from;
    }
    if (entries.isEmpty() || first == null || end.compareTo(from.id) <= 0) {
      return null;
    }
    if (!complete() && entries.size() < PAGE) {
      return null;
    }
    if (ever < 0 || from.ever < 0) {
      // The journal still has an entry not younger than the position, so none after it was trimmed.
      return first.compareTo(from.id) <= 0 ? new Position(end, -1) : null;
    }
    long counted = from.ever + entries.size();
    return complete() && counted != ever ? null : new Position(end, counted);
  }

  /** Passes on the hashes of all entries. */
  void forEach(LongConsumer hashes) {
    for (byte[] entry : entries) {
      ByteBuffer packed = ByteBuffer.wrap(entry);
      while (packed.remaining() >= Long.BYTES) {
        hashes.accept(packed.getLong());
      }
    }
  }
}
