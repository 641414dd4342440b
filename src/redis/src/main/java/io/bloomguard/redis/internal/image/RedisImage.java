package io.bloomguard.redis.internal.image;

import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.redis.internal.client.Utf8;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One generation's image in Redis: a string of an 80-byte header, the filter's words, and an
 * 80-byte trailer, all in big-endian 64-bit words.
 *
 * <p>The fingerprint names the salt of the image, by which alone hashes have their places in it.
 *
 * <p>Header: seal, magic and format version, fingerprint digest, generation, fencing token, state,
 * added keys, set bits, epoch digest, beat. Trailer: magic, fingerprint digest, generation, token,
 * state, four zeros, seal. The seal is a mix of digest, generation, token and state, so that a
 * check need only compare the first and the last word of the string: a truncated, foreign or
 * unfinished image lacks one of them.
 */
public final class RedisImage {

  private static final long MAGIC = ByteBuffer.wrap(Utf8.bytes("BLOOMGRD")).getLong();

  private final String id;
  private final byte[] key;
  private final Fingerprint fingerprint;
  private final long generation;
  private final long token;
  private final BlockGeometry geometry;
  private final BitfieldArgs ends;
  private final long[] seals = new long[ImageState.values().length];

  /** The highest beat seen; the image in Redis is not older. */
  private final AtomicLong beat = new AtomicLong();

  /** The image {@code <generation>-<token>} of one partition. */
  public RedisImage(PartitionKeys keys, long generation, long token, Fingerprint fingerprint) {
    this.id = generation + "-" + token;
    this.key = keys.image(id);
    this.fingerprint = fingerprint;
    this.generation = generation;
    this.token = token;
    this.geometry = new BlockGeometry(fingerprint.shape(), fingerprint.salt());
    this.ends = new BitfieldArgs(key);
    ends.word(ImageFormat.SEAL);
    ends.word(lastWord());
    ends.word(ImageFormat.EPOCH);
    ends.word(ImageFormat.BEAT);
    for (ImageState state : ImageState.values()) {
      seals[state.code()] = seal(fingerprint.digest(), generation, token, state);
    }
  }

  public String id() {
    return id;
  }

  public byte[] key() {
    return key;
  }

  public Fingerprint fingerprint() {
    return fingerprint;
  }

  public long generation() {
    return generation;
  }

  /** The positions of a hash's bits, under the image's salt. */
  public BlockGeometry geometry() {
    return geometry;
  }

  /** The first and last word in a state; never 0, which Redis returns for a missing word. */
  public long seal(ImageState state) {
    return seals[state.code()];
  }

  /** The seal as written in the string. */
  public byte[] sealBytes(ImageState state) {
    return ByteBuffer.allocate(Long.BYTES).putLong(seal(state)).array();
  }

  /** The highest beat seen so far. */
  public long beat() {
    return beat.get();
  }

  /** Notes a beat that was read. */
  void saw(long read) {
    if (read > beat.get()) {
      beat.accumulateAndGet(read, Math::max);
    }
  }

  /** The index of the string's last word. */
  public long lastWord() {
    long words = fingerprint.shape().sizeBytes() / Long.BYTES;
    return words + 2 * ImageFormat.FRAME_WORDS - 1;
  }

  /** The arguments that read first and last word of the string, epoch and beat; to be copied. */
  BitfieldArgs ends() {
    return ends;
  }

  /** The byte at which the trailer begins. */
  public long trailerOffset() {
    return (lastWord() + 1 - ImageFormat.FRAME_WORDS) * Long.BYTES;
  }

  /** The index in the string of the first word of a hash's block. */
  public long firstWord(long hash) {
    return geometry.blockIndex(hash) * geometry.imageWords() + ImageFormat.FRAME_WORDS;
  }

  /** The header without its counters. */
  public byte[] header(ImageState state) {
    return ByteBuffer.allocate(ImageFormat.ADDED_KEYS * Long.BYTES)
        .putLong(seal(state))
        .putLong(MAGIC ^ ImageFormat.VERSION)
        .putLong(fingerprint.digest())
        .putLong(generation)
        .putLong(token)
        .putLong(state.code())
        .array();
  }

  public byte[] trailer(ImageState state) {
    return ByteBuffer.allocate(ImageFormat.FRAME_BYTES)
        .putLong(MAGIC ^ ImageFormat.VERSION)
        .putLong(fingerprint.digest())
        .putLong(generation)
        .putLong(token)
        .putLong(state.code())
        .putLong(0)
        .putLong(0)
        .putLong(0)
        .putLong(0)
        .putLong(seal(state))
        .array();
  }

  /**
   * The bit offsets of hashes' positions as Redis counts them (from the highest bit of the first
   * byte), as unsigned big-endian 32-bit numbers, {@link #offsetsPerKey} for each hash; 0, which is
   * no position, if a hash has fewer.
   */
  public byte[] offsets(List<Long> hashes) {
    int perKey = offsetsPerKey();
    int width = positionBits();
    long[] masks = new long[geometry.imageWords()];
    ByteBuffer offsets = ByteBuffer.allocate(hashes.size() * perKey * Integer.BYTES);
    for (long hash : hashes) {
      geometry.imageMasks(hash, masks);
      long first = firstWord(hash);
      int written = 0;
      for (int i = 0; i < masks.length; i++) {
        for (long mask = masks[i]; mask != 0; mask &= mask - 1) {
          int bit = Long.numberOfTrailingZeros(mask);
          offsets.putInt((int) ((first + i) * Long.SIZE + (Long.SIZE - width - bit)));
          written++;
        }
      }
      // A hash may have a position twice, which counts once.
      for (; written < perKey; written++) {
        offsets.putInt(0);
      }
    }
    return offsets.array();
  }

  /**
   * The arguments of a script that takes the image from one state to another: seal and byte of the
   * last word in the first, header, trailer and byte of the trailer in the second.
   */
  public List<Object> change(ImageState from, ImageState to) {
    return List.of(
        sealBytes(from), lastWord() * Long.BYTES, header(to), trailer(to), trailerOffset());
  }

  /** The bits at each position: 1, or those of a counter. */
  public int positionBits() {
    return fingerprint.shape().layout().counterBits();
  }

  /** The bits that a word must have for a key to be present. */
  long present(long word) {
    return geometry.present(word);
  }

  public int offsetsPerKey() {
    return fingerprint.shape().hashes();
  }

  private static long seal(long digest, long generation, long token, ImageState state) {
    long seal = mix(mix(mix(digest + MAGIC) + generation) + token) + state.code() + 1;
    return mix(seal) | 1;
  }

  /** David Stafford's variant 13 of the MurmurHash3 finaliser, as SplittableRandom has it. */
  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
