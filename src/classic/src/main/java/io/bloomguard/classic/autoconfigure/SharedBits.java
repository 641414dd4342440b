package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BitmapProperties;
import io.bloomguard.classic.internal.hash.BitOffsets;
import io.bloomguard.classic.internal.hash.ClassicHash;
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
    for (String hash : hashes) {
      if (ClassicHash.named(hash) == null && !(hash.equals(SEEDED) && hashes.size() == 1)) {
        throw new StartRefusedException(
            "%s.hashes has '%s', but must be one or more of %s, or %s alone"
                .formatted(prefix, hash, ClassicHash.names(), SEEDED),
            hash.equals("rs")
                ? "The write-up names RSHash, but defines it nowhere: leave it out."
                : "Correct it.");
      }
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
}
