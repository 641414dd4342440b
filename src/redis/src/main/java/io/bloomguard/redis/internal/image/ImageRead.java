package io.bloomguard.redis.internal.image;

import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisSession;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.client.Utf8;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One command that reads the words of some hashes together with both ends of their image, its epoch
 * and its beat: these prove that the words come from one whole, serving generation that lacks
 * nothing.
 *
 * <p>Of a block it reads only the words in which a hash has bits.
 */
public final class ImageRead {

  /** First and last word of the image, its epoch and its beat come before the words of hashes. */
  private static final int ENDS = 4;

  private static final CompletableFuture<long[]> NOT_TRUSTED =
      CompletableFuture.completedFuture(new long[0]);

  private static final ProtocolKeyword BITFIELD_RO = keyword("BITFIELD_RO");

  private final RedisImage image;
  private final RedisHead.Trust trust;

  /** The highest beat before the command was sent: a lower one in the answer is an old image's. */
  private final long floor;

  /** The masks of all words read, hash by hash, and the end of each hash's masks. */
  private final long[] masks;

  private final int[] ends;
  private final CompletableFuture<long[]> words;

  /** Sends the command for {@code hashes[0..count)} about the serving image of a head. */
  public ImageRead(RedisLink link, RedisHead head, RedisImage serving, long[] hashes, int count) {
    this.image = serving;
    this.trust = head.trust();
    this.floor = image.beat();
    BlockGeometry geometry = image.geometry();
    long[] block = new long[geometry.imageWords()];
    this.masks = new long[count * block.length];
    this.ends = new int[count];
    int perHash = Math.min(block.length, image.offsetsPerKey());
    BitfieldArgs args = new BitfieldArgs(image.ends(), count * perHash);
    int end = 0;
    for (int hash = 0; hash < count; hash++) {
      geometry.imageMasks(hashes[hash], block);
      long first = image.firstWord(hashes[hash]);
      for (int i = 0; i < block.length; i++) {
        if (block[i] != 0) {
          masks[end++] = block[i];
          args.word(first + i);
        }
      }
      ends[hash] = end;
    }
    this.words = send(link, args);
  }

  /** Asks only the server under which the head is complete: no answer of another one counts. */
  private CompletableFuture<long[]> send(RedisLink link, BitfieldArgs args) {
    RedisSession session = link.session();
    if (session == null) {
      return link.disconnected();
    }
    return trust.holdsAt(session.server()) || trust.lacks()
        ? link.watch(session, session.send(BITFIELD_RO, new BitfieldOutput(), args))
        : NOT_TRUSTED;
  }

  /** Reads a word by its index in the string. */
  public static CompletableFuture<long[]> word(RedisLink link, RedisImage image, long index) {
    BitfieldArgs args = new BitfieldArgs(image.key());
    args.word(index);
    return link.send(BITFIELD_RO, new BitfieldOutput(), args);
  }

  /** The answer of Redis, perhaps still to come; once complete, for {@link #whole}. */
  public CompletableFuture<long[]> words() {
    return words;
  }

  /**
   * Waits for the words.
   *
   * @return the words that the answers are read from, or null if the image is not whole and serving
   * @throws RedisUnavailableException if they could not be read
   */
  public long @Nullable [] await(Duration timeout) {
    try {
      return whole(Replies.await(words, timeout));
    } catch (RedisUnavailableException e) {
      return unlessNoString(e);
    }
  }

  /** The words read within that time, as one of the checks that a link counts. */
  public long @Nullable [] await(RedisLink link, Duration atMost) {
    try {
      return whole(link.await(words, atMost));
    } catch (RedisUnavailableException e) {
      return unlessNoString(e);
    }
  }

  private static long @Nullable [] unlessNoString(RedisUnavailableException e) {
    if (saysNoString(e.getCause())) {
      return null;
    }
    throw e;
  }

  /** The words that were read, or null if the image is not whole and serving. */
  public long @Nullable [] whole(long @Nullable [] read) {
    long ready = image.seal(ImageState.READY);
    int expected = ENDS + (ends.length == 0 ? 0 : ends[ends.length - 1]);
    if (read == null
        || read.length != expected
        || read[0] != ready
        || read[1] != ready
        || (read[2] != trust.digest() && !trust.lacks())
        || read[3] < floor) {
      return null;
    }
    image.saw(read[3]);
    return read;
  }

  /** Whether these words are of an image that was put back: older than one seen before. */
  public boolean isOlder(long @Nullable [] read) {
    return read != null
        && read.length > 3
        && read[0] == image.seal(ImageState.READY)
        && read[3] < floor;
  }

  /** Whether Redis works, but the image's key holds another type. */
  public static boolean saysNoString(@Nullable Throwable failure) {
    return failure instanceof RedisCommandExecutionException;
  }

  /** The membership of hash {@code index} by these words. */
  public Membership answer(long[] read, int index) {
    for (int i = index == 0 ? 0 : ends[index - 1]; i < ends[index]; i++) {
      if ((image.present(read[ENDS + i]) & masks[i]) != masks[i]) {
        return trust.lacks() ? Membership.UNKNOWN : Membership.ABSENT;
      }
    }
    return Membership.POSSIBLY_PRESENT;
  }

  /** Word {@code i} of the words read for the hashes. */
  public static long word(long[] read, int i) {
    return read[ENDS + i];
  }

  private static ProtocolKeyword keyword(String name) {
    byte[] bytes = Utf8.bytes(name);
    return new ProtocolKeyword() {
      @Override
      public byte[] getBytes() {
        return bytes;
      }

      @Override
      public String toString() {
        return name;
      }
    };
  }
}
