package io.bloomguard.bench;

import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Keys by their number: the same for every contestant and run, present ones from an even number and
 * absent ones from an odd one, so that the two never meet.
 *
 * <p>The numbers are scattered by a bijection of 64 bits, so neighbours have nothing in common and
 * no two keys are the same.
 */
public final class BenchKeys {

  private static final String[] PLACES = {
    "products", "catalogue/reviews", "account/orders/items", "search/results", "media/thumbnails"
  };

  // Greek, Cyrillic, Devanagari, kana and Hangul: two and three bytes a character in UTF-8.
  private static final int[] SCRIPTS = {0x3b1, 0x430, 0x915, 0x3042, 0xac00};

  private BenchKeys() {}

  /** How a key reads. */
  public enum Kind {
    /** Decimal numbers of 10 digits or fewer. */
    IDS,
    /** Random UUIDs in their usual form, 36 characters. */
    UUIDS,
    /** Addresses of 64 to 120 characters. */
    URLS,
    /** Words of 6 to 14 characters, none of them Latin, and a number. */
    NON_LATIN;

    /** The key that stands for a number. */
    public String key(long number) {
      return switch (this) {
        case IDS -> Long.toString(id(number));
        case UUIDS -> uuid(number);
        case URLS -> url(number);
        case NON_LATIN -> nonLatin(number);
      };
    }
  }

  /** The number of the i-th key that the filter holds. */
  public static long present(long i) {
    return 2 * i;
  }

  /** The number of the i-th key that the filter does not hold. */
  public static long absent(long i) {
    return 2 * i + 1;
  }

  /** A positive number for a number of up to 31 bits, no two alike. */
  public static long id(long number) {
    // Odd factors and shifts of about half the width keep it a bijection of 31 bits.
    long mask = (1L << 31) - 1;
    long z = number * 0x3779b97fL & mask;
    z ^= z >>> 15;
    z = z * 0x58476d1dL & mask;
    z ^= z >>> 16;
    return z;
  }

  /**
   * {@code count} keys out of {@code of}, evenly spread, in random order, and lying in memory in
   * that order: a key that is looked up was usually made a moment ago, and should not itself miss
   * the cache.
   */
  public static String[] sample(Kind kind, int count, long of, boolean present) {
    long[] numbers = numbers(count, of, present);
    String[] keys = new String[count];
    for (int i = 0; i < count; i++) {
      keys[i] = kind.key(numbers[i]);
    }
    return keys;
  }

  /** {@code count} ids out of {@code of}, evenly spread, in random order. */
  public static long[] sampleIds(int count, long of, boolean present) {
    long[] ids = numbers(count, of, present);
    for (int i = 0; i < count; i++) {
      ids[i] = id(ids[i]);
    }
    return ids;
  }

  private static long[] numbers(int count, long of, boolean present) {
    long[] numbers = new long[count];
    for (int i = 0; i < count; i++) {
      long each = i * of / count;
      numbers[i] = present ? present(each) : absent(each);
    }
    SplittableRandom random = new SplittableRandom(42);
    for (int i = count - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      long number = numbers[i];
      numbers[i] = numbers[j];
      numbers[j] = number;
    }
    return numbers;
  }

  private static String uuid(long number) {
    long low = id(number) << 14 | 0x8000000000000000L;
    return new UUID(mix(number) & ~0xf000L | 0x4000L, low).toString();
  }

  private static String url(long number) {
    long bits = mix(number);
    int length = 64 + (int) (bits >>> 8 & 0x7fff) % 57;
    StringBuilder url = new StringBuilder(120);
    url.append("https://shop.example/");
    url.append(PLACES[(int) (bits >>> 32 & 0x7fff) % PLACES.length]);
    url.append('/').append(Long.toHexString(id(number))).append('?');
    for (long filler = bits; url.length() < length; filler = mix(filler)) {
      url.append("&q").append(Long.toString(filler & Long.MAX_VALUE, Character.MAX_RADIX));
    }
    url.setLength(length);
    return url.toString();
  }

  private static String nonLatin(long number) {
    long bits = mix(number);
    int script = SCRIPTS[(int) (bits >>> 40 & 0x7fff) % SCRIPTS.length];
    int length = 6 + (int) (bits & 7);
    StringBuilder text = new StringBuilder(32);
    for (int i = 0; i < length; i++) {
      text.append((char) (script + (bits >>> (3 * i + 3) & 15)));
    }
    return text.append(id(number)).toString();
  }

  private static long mix(long number) {
    long z = (number + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
