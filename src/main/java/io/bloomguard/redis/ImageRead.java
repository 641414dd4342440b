package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.filter.BlockGeometry;
import io.bloomguard.guard.Membership;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.time.Duration;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One command that reads the words of some hashes together with the first and the last word of
 * their image, so that they are known to be of one whole, serving generation.
 */
final class ImageRead {

  private static final byte[] GET = "GET".getBytes(US_ASCII);
  private static final byte[] I64 = "i64".getBytes(US_ASCII);
  private static final ProtocolKeyword BITFIELD_RO = keyword("BITFIELD_RO");

  private final RedisImage image;
  private final long[] hashes;
  private final Future<long[]> words;

  /** Sends the command. */
  ImageRead(RedisLink link, RedisImage image, long... hashes) {
    this.image = image;
    this.hashes = hashes;
    CommandArgs<byte[], byte[]> args = RedisLink.args().addKey(image.key());
    get(args, 0);
    for (long hash : hashes) {
      long first = image.firstWord(hash);
      for (int i = 0; i < image.geometry().blockWords(); i++) {
        get(args, first + i);
      }
    }
    get(args, image.lastWord());
    this.words = link.send(BITFIELD_RO, new WordsOutput(), args);
  }

  /** Reads words by their index in the string. */
  static Future<long[]> words(RedisLink link, RedisImage image, long... indexes) {
    CommandArgs<byte[], byte[]> args = RedisLink.args().addKey(image.key());
    for (long index : indexes) {
      get(args, index);
    }
    return link.send(BITFIELD_RO, new WordsOutput(), args);
  }

  /**
   * Waits for the words.
   *
   * @return the words of the hashes from index 1 on, or null if the image is not whole and serving
   * @throws RedisUnavailableException if they could not be read
   */
  long @Nullable [] await(Duration timeout) {
    long[] read;
    try {
      read = RedisLink.await(words, timeout);
    } catch (RedisUnavailableException e) {
      if (e.getCause() instanceof RedisCommandExecutionException) {
        return null; // it is no string
      }
      throw e;
    }
    long ready = image.seal(ImageState.READY);
    return read != null
            && read.length == hashes.length * image.geometry().blockWords() + 2
            && read[0] == ready
            && read[read.length - 1] == ready
        ? read
        : null;
  }

  /** What the words say of hash {@code index}. */
  Membership answer(long[] read, int index) {
    BlockGeometry geometry = image.geometry();
    long[] masks = new long[geometry.blockWords()];
    geometry.masks(hashes[index], masks);
    int first = 1 + index * masks.length;
    for (int i = 0; i < masks.length; i++) {
      if ((read[first + i] & masks[i]) != masks[i]) {
        return Membership.ABSENT;
      }
    }
    return Membership.POSSIBLY_PRESENT;
  }

  private static void get(CommandArgs<byte[], byte[]> args, long word) {
    args.add(GET).add(I64).add("#" + word);
  }

  private static ProtocolKeyword keyword(String name) {
    byte[] bytes = name.getBytes(US_ASCII);
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
