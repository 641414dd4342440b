package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BitmapProperties;
import io.bloomguard.classic.internal.hash.BitOffsets;
import io.bloomguard.classic.internal.hash.ClassicHash;
import io.bloomguard.classic.internal.hash.SeededBkdr;
import io.bloomguard.classic.internal.hash.StringChoice;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.guard.StartRefusedException;
import java.util.List;
import java.util.Objects;

/**
 * The bits that a filter shares with other programs.
 *
 * @param bits their number (m)
 * @param offsets where the bits of a key lie in its string
 * @param choice which string holds a key
 */
record SharedBits(long bits, BitOffsets offsets, StringChoice choice) {

  private static final String SEEDED = "bkdr-seeded";

  /**
   * Those of the settings.
   *
   * @param filter the filter's name
   * @throws StartRefusedException naming the value and the rule it breaks
   */
  static SharedBits of(String filter, BitmapProperties bitmap) {
    String prefix = "bloomguard.filters." + filter + ".bitmap";
    validateHashes(prefix, bitmap);
    validateBits(prefix, bitmap);
    validateServers(prefix, bitmap);
    long bits = bitmap.bits();
    Integer seeds = bitmap.hashCount();
    int servers = Math.max(1, bitmap.servers().size());
    return new SharedBits(
        bits,
        seeds == null
            ? BitOffsets.of(
                bits,
                bitmap.hashes().stream().map(ClassicHash::named).filter(Objects::nonNull).toList())
            : BitOffsets.seeded(bits, seeds),
        bitmap.partitioned() ? StringChoice.of(bits, servers) : new StringChoice(servers, 1));
  }

  /** Distinct keys with which half of the bits that hashes reach are set, the classic's optimum. */
  long halfFull() {
    return Sizing.halfFull((double) offsets.reachable() * choice.used(), offsets.count());
  }

  /**
   * The dimensions with the probability that follows for n keys.
   *
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  FilterShape shape(long expectedInsertions) {
    return Sizing.given(
        expectedInsertions, bits, offsets.count(), offsets.reachable() * choice.used());
  }

  private static void validateHashes(String prefix, BitmapProperties bitmap) {
    List<String> hashes = bitmap.hashes();
    boolean seeded = hashes.contains(SEEDED);
    Integer hashCount = bitmap.hashCount();
    String names = "one or more of " + ClassicHash.names() + ", or " + SEEDED + " alone";
    if (hashes.isEmpty()) {
      throw new StartRefusedException(
          prefix + ".hashes is not set, but must be " + names,
          "Set it to the hashes of the other program, in any order.");
    }
    for (String hash : hashes) {
      if (ClassicHash.named(hash) == null && !(hash.equals(SEEDED) && hashes.size() == 1)) {
        throw new StartRefusedException(
            prefix + ".hashes has '" + hash + "', but must be " + names,
            hash.equals("rs")
                ? "The write-up names RSHash, but defines it nowhere: leave it out."
                : "Correct it.");
      }
    }
    if (seeded && (hashCount == null || hashCount < 1 || hashCount > SeededBkdr.SEEDS)) {
      throw new StartRefusedException(
          "%s.hash-count is %s, but must be 1 to %s"
              .formatted(prefix, hashCount == null ? "not set" : hashCount, SeededBkdr.SEEDS),
          "Set it to the number of hashes that the other program uses.");
    }
    if (!seeded && hashCount != null) {
      throw new StartRefusedException(
          prefix + ".hash-count is " + hashCount + ", but is for the hash '" + SEEDED + "' alone",
          "Leave it out: each hash of the list is one bit of a key.");
    }
  }

  private static void validateServers(String prefix, BitmapProperties bitmap) {
    for (String server : bitmap.servers()) {
      if (BitmapProperties.Server.of(server) == null) {
        throw new StartRefusedException(
            prefix + ".servers has the part '" + server + "', which is no host:port",
            "Write it such as 'one.example:6379,two.example:6379', in the order of the other"
                + " program; leave it out for spring.data.redis.");
      }
    }
  }

  private static void validateBits(String prefix, BitmapProperties bitmap) {
    long bits = bitmap.bits();
    if (bits > FilterShape.MAX_WORDS * Long.SIZE) {
      throw new StartRefusedException(
          "%s.bits is %s, but must be at most %s"
              .formatted(prefix, bits, FilterShape.MAX_WORDS * Long.SIZE),
          "Lower it, or split the keys over several filters.");
    }
  }
}
