package io.bloomguard.classic.internal.hash;

import java.util.zip.CRC32;

/**
 * The choice of the bit string that holds a key: one CRC-32 of the key chooses the server and, on
 * it, the partition.
 *
 * <p>Both remainders come from the same number, so the number of pairs that occur is only the least
 * common multiple of both counts.
 *
 * @param servers the number of servers, at least 1
 * @param partitions the number of strings on each of them, at least 1
 */
public record StringChoice(int servers, int partitions) {

  /** The bits of the longest string in Redis: 512 MiB. */
  public static final long MOST_BITS = 1L << 32;

  /**
   * Checks the counts.
   *
   * @param servers the number of servers, at least 1
   * @param partitions the number of strings on each of them, at least 1
   * @throws IllegalArgumentException if a count is below 1
   */
  public StringChoice {
    if (servers < 1 || partitions < 1) {
      throw new IllegalArgumentException(
          "There are " + servers + " servers and " + partitions + " partitions, but must be 1");
    }
  }

  /**
   * {@return the choice among as many strings as m bits need}
   *
   * @param bits m of all strings together, at least 1
   * @param servers the number of servers, at least 1
   */
  public static StringChoice of(long bits, int servers) {
    long each = ceil(bits, servers);
    return new StringChoice(servers, bits > MOST_BITS ? Math.toIntExact(ceil(each, MOST_BITS)) : 1);
  }

  /**
   * {@return the CRC-32 of a key's bytes, 0 to 2^32 - 1}
   *
   * @param key the bytes of a key
   */
  public static long crc32(byte[] key) {
    CRC32 crc = new CRC32();
    crc.update(key);
    return crc.getValue();
  }

  /**
   * {@return the index of the server for a CRC-32}
   *
   * @param crc32 the CRC-32 of a key, 0 to 2^32 - 1
   */
  public int server(long crc32) {
    return (int) (crc32 % servers);
  }

  /**
   * {@return the index of the partition for a CRC-32}
   *
   * @param crc32 the CRC-32 of a key, 0 to 2^32 - 1
   */
  public int partition(long crc32) {
    return (int) (crc32 % partitions);
  }

  /** {@return the number of strings that any key can lie in} */
  public int used() {
    return Math.toIntExact((long) servers * partitions / gcd(servers, partitions));
  }

  /**
   * {@return whether any key can lie in that string}
   *
   * @param server the index of the server
   * @param partition the index of the partition
   */
  public boolean isUsed(int server, int partition) {
    return (server - partition) % gcd(servers, partitions) == 0;
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  private static long ceil(long a, long b) {
    return (a + b - 1) / b;
  }
}
