package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.filter.BlockGeometry;
import io.bloomguard.filter.Fingerprint;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One generation's image in Redis: a string of an 80-byte header, the filter's words, and an
 * 80-byte trailer, all in big-endian 64-bit words.
 *
 * <p>Header: seal, magic and format version, fingerprint digest, generation, fencing token, state,
 * added keys, set bits, epoch digest, beat. Trailer: magic, fingerprint digest, generation, token,
 * state, four zeros, seal. The seal is a mix of digest, generation, token and state, so that a
 * check need only compare the first and the last word of the string: a truncated, foreign or
 * unfinished image has not both.
 */
final class RedisImage {

  /** Words of the header, and of the trailer. */
  static final int FRAME_WORDS = 10;

  static final int FRAME_BYTES = FRAME_WORDS * Long.BYTES;

  /** The header's word that says under which epoch the content is complete. */
  static final int EPOCH_WORD = 8;

  /** The header's word that moves on with every add and every sign of life. */
  static final int BEAT_WORD = 9;

  /** The part of the header that says what the image is; counters, epoch and beat follow. */
  static final int HEAD_BYTES = 6 * Long.BYTES;

  private static final long MAGIC = ByteBuffer.wrap("BLOOMGRD".getBytes(US_ASCII)).getLong();

  private final String id;
  private final byte[] key;
  private final Fingerprint fingerprint;
  private final long generation;
  private final long token;
  private final BlockGeometry geometry;
  private final WordsArgs ends;
  private final long[] seals = new long[ImageState.values().length];

  /** The highest beat that was seen; what Redis holds now is no older. */
  private final AtomicLong beat = new AtomicLong();

  /** The image {@code <generation>-<token>} of one partition. */
  RedisImage(PartitionKeys keys, long generation, long token, Fingerprint fingerprint) {
    this.id = generation + "-" + token;
    this.key = keys.image(id);
    this.fingerprint = fingerprint;
    this.generation = generation;
    this.token = token;
    this.geometry = new BlockGeometry(fingerprint.shape());
    this.ends = new WordsArgs(key);
    ends.word(0);
    ends.word(lastWord());
    ends.word(EPOCH_WORD);
    ends.word(BEAT_WORD);
    for (ImageState state : ImageState.values()) {
      seals[state.code()] = seal(fingerprint.digest(), generation, token, state);
    }
  }

  String id() {
    return id;
  }

  byte[] key() {
    return key;
  }

  Fingerprint fingerprint() {
    return fingerprint;
  }

  long generation() {
    return generation;
  }

  BlockGeometry geometry() {
    return geometry;
  }

  /** The first and last word in a state; never 0, which is what Redis reads where nothing is. */
  long seal(ImageState state) {
    return seals[state.code()];
  }

  /** The seal as it stands in the string. */
  byte[] sealBytes(ImageState state) {
    return ByteBuffer.allocate(Long.BYTES).putLong(seal(state)).array();
  }

  /** The highest beat that was seen so far. */
  long beat() {
    return beat.get();
  }

  /** Notes a beat that was read. */
  void saw(long read) {
    if (read > beat.get()) {
      beat.accumulateAndGet(read, Math::max);
    }
  }

  /** The index of the string's last word. */
  long lastWord() {
    return fingerprint.shape().bits() / Long.SIZE + 2 * FRAME_WORDS - 1;
  }

  /** What reads first and last word of the string, epoch and beat; to be copied. */
  WordsArgs ends() {
    return ends;
  }

  /** The byte at which the trailer begins. */
  long trailerOffset() {
    return (lastWord() + 1 - FRAME_WORDS) * Long.BYTES;
  }

  /** The index in the string of the first word of a hash's block. */
  long firstWord(long hash) {
    return geometry.blockIndex(hash) * geometry.blockWords() + FRAME_WORDS;
  }

  /** The header without its counters. */
  byte[] header(ImageState state) {
    return ByteBuffer.allocate(HEAD_BYTES)
        .putLong(seal(state))
        .putLong(MAGIC ^ Fingerprint.FORMAT_VERSION)
        .putLong(fingerprint.digest())
        .putLong(generation)
        .putLong(token)
        .putLong(state.code())
        .array();
  }

  byte[] trailer(ImageState state) {
    return ByteBuffer.allocate(FRAME_BYTES)
        .putLong(MAGIC ^ Fingerprint.FORMAT_VERSION)
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
   * The bit offsets of hashes as Redis counts them (from the highest bit of the first byte), as
   * unsigned big-endian 32-bit numbers, {@link #offsetsPerKey} for each hash.
   */
  byte[] offsets(List<Long> hashes) {
    int perKey = offsetsPerKey();
    long[] masks = new long[geometry.blockWords()];
    ByteBuffer offsets = ByteBuffer.allocate(hashes.size() * perKey * Integer.BYTES);
    for (long hash : hashes) {
      geometry.masks(hash, masks);
      long first = firstWord(hash);
      int written = 0;
      int last = 0;
      for (int i = 0; i < masks.length; i++) {
        for (long mask = masks[i]; mask != 0; mask &= mask - 1) {
          int bit = Long.numberOfTrailingZeros(mask);
          last = (int) ((first + i) * Long.SIZE + (Long.SIZE - 1 - bit));
          offsets.putInt(last);
          written++;
        }
      }
      // Positions may repeat; naming one twice changes nothing.
      for (; written < perKey; written++) {
        offsets.putInt(last);
      }
    }
    return offsets.array();
  }

  /**
   * What a script needs to take the image from one state to another: seal and byte of the last word
   * in the first, header, trailer and byte of the trailer in the second.
   */
  List<Object> change(ImageState from, ImageState to) {
    return List.of(
        sealBytes(from), lastWord() * Long.BYTES, header(to), trailer(to), trailerOffset());
  }

  int offsetsPerKey() {
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
