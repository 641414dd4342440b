package io.bloomguard.classic.internal.guava;

import com.google.common.hash.Funnel;
import com.google.common.hash.Hashing;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyForm;
import io.bloomguard.filter.internal.KeyFunnel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The key of Guava's filter: its text or number, or sixteen bytes that have the same hash.
 *
 * <p>Guava's filter takes no hash. But MurmurHash3 (x64, 128 bits, seed 0) of sixteen bytes is a
 * bijection, so that each step of it can be undone, and there is one such input for each hash.
 * After Austin Appleby's public-domain MurmurHash3.
 */
final class GuavaKeys {

  private static final Funnel<Object> UTF8 =
      orBytes((key, into) -> into.putString((CharSequence) key, StandardCharsets.UTF_8));
  private static final Funnel<Object> UTF16 =
      orBytes((key, into) -> into.putUnencodedChars((CharSequence) key));
  private static final Funnel<Object> LONG = orBytes((key, into) -> into.putLong((Long) key));
  private static final Funnel<Object> INT =
      orBytes((key, into) -> into.putInt(((Long) key).intValue()));

  private static final long C1 = 0x87c37b91114253d5L;
  private static final long C2 = 0x4cf5ad432745937fL;
  private static final long C1_INVERSE = inverse(C1);
  private static final long C2_INVERSE = inverse(C2);
  private static final long FIVE_INVERSE = inverse(5);
  private static final long MIX_1_INVERSE = inverse(0xff51afd7ed558ccdL);
  private static final long MIX_2_INVERSE = inverse(0xc4ceb9fe1a85ec53L);
  private static final int BYTES = 2 * Long.BYTES;

  private GuavaKeys() {}

  /**
   * A funnel that takes elements like Guava's funnel of that kind, and sixteen bytes as they are.
   */
  static Funnel<Object> of(KeyFunnel kind) {
    return switch (kind) {
      case STRING_UTF8, BYTES -> UTF8;
      case STRING_UTF16 -> UTF16;
      case LONG -> LONG;
      case INT -> INT;
    };
  }

  /**
   * The input of a funnel for a canonical key, folded: the text itself, or a {@link Long}.
   *
   * @throws InvalidKeyException if the funnel takes numbers and the key is none in its range
   */
  static Object element(KeyFunnel kind, String key) {
    KeyForm form = kind.form();
    if (form == KeyForm.TEXT) {
      return key;
    }
    if (!form.accepts(key)) {
      throw new InvalidKeyException(form.rule());
    }
    return Long.valueOf(key);
  }

  /** The element that Guava's funnel gets for a number. */
  static Object element(KeyFunnel kind, long key) {
    return kind == KeyFunnel.LONG ? Long.valueOf(key) : element(kind, Long.toString(key));
  }

  private static Funnel<Object> orBytes(Funnel<Object> keys) {
    return (key, into) -> {
      if (key instanceof byte[] bytes) {
        into.putBytes(bytes);
      } else {
        keys.funnel(key, into);
      }
    };
  }

  /** Writes both words of an element's hash. */
  static void hash(Object element, Funnel<Object> funnel, long[] hash) {
    ByteBuffer bytes =
        ByteBuffer.wrap(Hashing.murmur3_128().hashObject(element, funnel).asBytes())
            .order(ByteOrder.LITTLE_ENDIAN);
    hash[0] = bytes.getLong();
    hash[1] = bytes.getLong();
  }

  /** The sixteen bytes with a hash: each step of the hash undone, the last one first. */
  static Object withHash(long first, long second) {
    long h2 = second - first;
    long h1 = unmix(first - h2);
    h2 = unmix(h2) - h1;
    h1 = h1 - h2;
    h1 ^= BYTES;
    h2 ^= BYTES;
    h2 = Long.rotateRight((h2 - 0x38495ab5) * FIVE_INVERSE - h1, 31);
    h1 = Long.rotateRight((h1 - 0x52dce729) * FIVE_INVERSE, 27);
    return ByteBuffer.allocate(BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(Long.rotateRight(h1 * C2_INVERSE, 31) * C1_INVERSE)
        .putLong(Long.rotateRight(h2 * C1_INVERSE, 33) * C2_INVERSE)
        .array();
  }

  private static long unmix(long mixed) {
    long hash = (mixed ^ mixed >>> 33) * MIX_2_INVERSE;
    hash = (hash ^ hash >>> 33) * MIX_1_INVERSE;
    return hash ^ hash >>> 33;
  }

  /** The inverse of an odd factor modulo 2^64, by Newton's iteration. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int i = 0; i < 5; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }
}
