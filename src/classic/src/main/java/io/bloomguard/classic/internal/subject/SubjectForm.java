package io.bloomguard.classic.internal.subject;

import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.redis.internal.client.Utf8;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;

/**
 * The form of a filter by subject in Redis. Its keys lie in one slot: {@code
 * <prefix>:{<filter>:0}:subjects|subjects:index|subjects:writers|subject:<hash>}.
 *
 * <p>Head: a hash of fingerprint, server, losses and doubt. Index: a sorted set of the subjects'
 * hashes by the end of their time in milliseconds. Writers: a hash of the processes.
 *
 * <p>Images, in big-endian 64-bit words. Header: seal, magic with the format version, fingerprint
 * digest, subject, time of creation, time until which keys may be missing, added keys, set bits.
 * Trailer: time of creation, seal. Times are Redis' milliseconds. The seal is a mix of magic,
 * digest and subject, so that a truncated string, or that of another subject, filter or shape,
 * lacks one of both ends.
 */
final class SubjectForm {

  /** The header's word that counts set bits. */
  static final int BITS_WORD = 7;

  /** The version of this form, the last character of the magic. */
  private static final int FORMAT_VERSION = 1;

  private static final long MAGIC =
      ByteBuffer.wrap(Utf8.bytes("BLOOMSB" + FORMAT_VERSION)).getLong();

  private final String base;
  private final long digest;

  SubjectForm(String keyPrefix, Fingerprint fingerprint) {
    this.base = keyPrefix + ":{" + fingerprint.filter() + ":0}:subject";
    this.digest = fingerprint.digest();
  }

  byte[] head() {
    return Utf8.bytes(base + "s");
  }

  byte[] index() {
    return Utf8.bytes(base + "s:index");
  }

  byte[] writers() {
    return Utf8.bytes(base + "s:writers");
  }

  byte[] image(long subject) {
    return Utf8.bytes(base + ":" + HexFormat.of().toHexDigits(subject));
  }

  /** The keys for checks and adds of a subject. */
  List<byte[]> keys(long subject) {
    return List.of(head(), index(), image(subject));
  }

  /** The name of a subject in the index. */
  static byte[] member(long subject) {
    return ByteBuffer.allocate(Long.BYTES).putLong(subject).array();
  }

  /** The properties on which all processes that share the filter must agree. */
  String fingerprint() {
    return HexFormat.of().toHexDigits(digest);
  }

  /** The first 32 bytes of a subject's image, which identify it. */
  byte[] front(long subject) {
    return ByteBuffer.allocate(4 * Long.BYTES)
        .putLong(mix(mix(digest ^ MAGIC) ^ subject))
        .putLong(MAGIC)
        .putLong(digest)
        .putLong(subject)
        .array();
  }

  /** The finaliser of MurmurHash3. */
  private static long mix(long value) {
    long mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
