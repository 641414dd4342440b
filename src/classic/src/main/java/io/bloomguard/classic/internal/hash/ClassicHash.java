package io.bloomguard.classic.internal.hash;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The hash functions of the PHP class {@code BloomFilterHash}, over bytes, with the values that PHP
 * 8.2 gives on 64-bit platforms. They are not keyed, and some of them distinguish few keys.
 *
 * <p>Each ends in {@code ($hash % 0xFFFFFFFF) & 0xFFFFFFFF}. {@code RSHash}, which articles list
 * beside them, is not defined in that class.
 */
public enum ClassicHash {

  /** By Justin Sobel. */
  JS {
    @Override
    long mix(byte[] key) {
      long hash = 1_315_423_911;
      for (byte b : key) {
        hash ^= PhpNumber.add(hash << 5, b & 0xff, hash >> 2);
      }
      return hash;
    }
  },

  /** By Peter J. Weinberger; this form tests the high bits once, after the loop. */
  PJW {
    @Override
    long mix(byte[] key) {
      long highBits = LOW_32_BITS << 28;
      long hash = 0;
      for (byte b : key) {
        hash = PhpNumber.add(hash << 4, b & 0xff);
      }
      long test = hash & highBits;
      return test == 0 ? hash : (hash ^ test >> 24) & ~highBits;
    }
  },

  /** The hash of object files in the ELF format. */
  ELF {
    @Override
    long mix(byte[] key) {
      long hash = 0;
      for (byte b : key) {
        hash = PhpNumber.add(hash << 4, b & 0xff);
        long high = hash & 0xF000_0000L;
        hash = (hash ^ high >> 24) & ~high;
      }
      return hash;
    }
  },

  /** By Brian Kernighan and Dennis Ritchie, with the seed 131. */
  BKDR {
    @Override
    long mix(byte[] key) {
      long hash = 0;
      for (byte b : key) {
        hash = PhpNumber.multiplyAdd(hash, 131, b & 0xff);
      }
      return hash;
    }
  },

  /** The hash of the database library sdbm. */
  SDBM {
    @Override
    long mix(byte[] key) {
      long hash = 0;
      for (byte b : key) {
        hash = PhpNumber.addSubtract(b & 0xff, hash << 6, hash << 16, hash);
      }
      return hash;
    }
  },

  /** By Daniel J. Bernstein. */
  DJB {
    @Override
    long mix(byte[] key) {
      long hash = 5381;
      for (byte b : key) {
        hash = PhpNumber.add(PhpNumber.add(hash << 5, hash), b & 0xff);
      }
      return hash;
    }
  },

  /** By Donald E. Knuth, The Art of Computer Programming, volume 3, section 6.4. */
  DEK {
    @Override
    long mix(byte[] key) {
      long hash = key.length;
      for (byte b : key) {
        hash = hash << 5 ^ hash >> 27 ^ b & 0xff;
      }
      return hash;
    }
  },

  /** By Fowler, Noll and Vo, with their 32-bit constants. */
  FNV {
    @Override
    long mix(byte[] key) {
      long hash = 2_166_136_261L;
      for (byte b : key) {
        hash = PhpNumber.multiply(hash, 16_777_619) % LOW_32_BITS ^ b & 0xff;
      }
      return hash;
    }
  };

  private static final long LOW_32_BITS = 0xFFFF_FFFFL;

  /**
   * {@return the hash of a key's bytes, 0 to 2^32 - 1}
   *
   * @param key the bytes of a key
   */
  public final long hash(byte[] key) {
    return mix(key) % LOW_32_BITS & LOW_32_BITS;
  }

  /** The hash before it is cut, as a PHP integer. */
  abstract long mix(byte[] key);

  /**
   * {@return the hash of that name, such as {@code bkdr}; null for none}
   *
   * @param name the name in lower case
   */
  public static @Nullable ClassicHash named(String name) {
    for (ClassicHash hash : values()) {
      if (hash.toString().equals(name)) {
        return hash;
      }
    }
    return null;
  }

  /** {@return all names, with commas between them} */
  public static String names() {
    return Arrays.stream(values()).map(ClassicHash::toString).collect(Collectors.joining(", "));
  }

  /** The name in settings. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
