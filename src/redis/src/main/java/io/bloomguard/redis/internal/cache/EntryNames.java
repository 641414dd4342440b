package io.bloomguard.redis.internal.cache;

import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.redis.internal.client.KeyScan;
import io.bloomguard.redis.internal.client.Utf8;
import java.util.List;
import java.util.stream.Stream;

/**
 * The names of a cache's entries in Redis. Those of a key have its keyed digest, and are in one
 * slot: {@code <prefix>:{<cache>:<digest>}:value}, {@code :lease}, {@code :barrier} and {@code
 * :written}.
 *
 * @param base {@code <prefix>:{<cache>}
 */
record EntryNames(String base, KeyDigest digest) {

  /** The same names with another computation of the digests. */
  EntryNames ofCall() {
    return new EntryNames(base, digest.ofCall());
  }

  /** The common beginning of the names of a key's entries. */
  String stem(String key) {
    return base + ":" + digest.hex(key) + "}:";
  }

  /** The name that each lookup needs, made in one piece. */
  byte[] value(String key) {
    return Utf8.bytes(base + ":" + digest.hex(key) + "}:value");
  }

  byte[] lease(String key) {
    return name(stem(key), "lease");
  }

  /** The barrier and the note of a key's last write. */
  List<byte[]> marks(String key) {
    String stem = stem(key);
    return List.of(name(stem, "barrier"), written(stem));
  }

  static byte[] written(String stem) {
    return name(stem, "written");
  }

  List<byte[]> all(String key) {
    String stem = stem(key);
    return List.of(
        name(stem, "value"), name(stem, "lease"), name(stem, "barrier"), name(stem, "written"));
  }

  static byte[][] valuesAndLeases(List<String> stems) {
    return stems.stream()
        .flatMap(stem -> Stream.of(name(stem, "value"), name(stem, "lease")))
        .toArray(byte[][]::new);
  }

  /** The pattern of the values and leases of all keys. */
  String valuesAndLeases() {
    // The common form of "value" and "lease": no other name of ours has it. A digest of any
    // length would be one of the cache "a:b" too, for the cache "a".
    return KeyScan.literal(base + ":") + "?".repeat(KeyDigest.LENGTH) + "}:[vl][ae][la][us]e";
  }

  /** The name of the number of null entries. */
  byte[] nulls() {
    return Utf8.bytes(base + "}:nulls");
  }

  private static byte[] name(String stem, String kind) {
    return Utf8.bytes(stem + kind);
  }
}
