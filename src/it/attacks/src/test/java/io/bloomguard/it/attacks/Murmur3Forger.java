package io.bloomguard.it.attacks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.internal.KeyRules;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;

/**
 * Makes keys that collide under the 128-bit form of MurmurHash3 for 64-bit machines.
 *
 * <p>Nothing in that hash goes one way. Each 16-byte block is mixed into a state of two words by
 * steps that can each be undone, and the input words are mixed without the seed before they meet
 * the state:
 *
 * <ul>
 *   <li>With a known seed, the last block of a key can be solved for, so that the key ends in any
 *       state one likes: {@link #collidingWith}.
 *   <li>With any seed, a difference in the top bit passes the additions and the multiplication by
 *       five with certainty, so that the differences of two blocks cancel: {@link #family}. The
 *       idea is published by J.-P. Aumasson, D. J. Bernstein and M. Boßlet ("Hash-flooding DoS
 *       reloaded", 2012), and in the paper on SipHash by the first two.
 * </ul>
 */
final class Murmur3Forger {

  /** Bytes of a pair of blocks that can be swapped for another without a change of the hash. */
  static final int UNIT_BYTES = 32;

  /** Of a server, by default. */
  static final KeyRules RULES = new KeyRules(256);

  /** Stands in a text for bytes that are none. */
  private static final char REPLACEMENT = '\uFFFD';

  private static final long C1 = 0x87c37b91114253d5L;
  private static final long C2 = 0x4cf5ad432745937fL;
  private static final long ADD1 = 0x52dce729L;
  private static final long ADD2 = 0x38495ab5L;
  private static final long FINAL1 = 0xff51afd7ed558ccdL;
  private static final long FINAL2 = 0xc4ceb9fe1a85ec53L;
  private static final long UN_C1 = inverse(C1);
  private static final long UN_C2 = inverse(C2);
  private static final long UN_FINAL1 = inverse(FINAL1);
  private static final long UN_FINAL2 = inverse(FINAL2);
  private static final long UN_5 = inverse(5);

  private final SplittableRandom random;

  Murmur3Forger(long seed) {
    random = new SplittableRandom(seed);
  }

  /**
   * Keys whose whole hash under the seed 0 is {@code hash}, the 16 bytes as Guava gives them. Each
   * has a readable first block, and a second one that is solved for.
   */
  static List<String> collidingWith(byte[] hash, int count) {
    ByteBuffer words = ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN);
    State target = State.before(words.getLong(), words.getLong(), UNIT_BYTES);
    long readable = word("product-");
    List<String> keys = new ArrayList<>(count);
    for (int i = 0; keys.size() < count; i++) {
      long number = digits(i);
      State first = new State(0, 0).after(readable, number);
      ByteBuffer bytes = ByteBuffer.allocate(UNIT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      bytes.putLong(readable).putLong(number);
      first.solve(target, bytes);
      String key = text(bytes.array());
      if (key != null) {
        keys.add(key);
      }
    }
    return keys;
  }

  /** 2^{@code units} keys that have one hash, whatever the seed. */
  List<String> family(int units) {
    List<String> keys = List.of("");
    for (int i = 0; i < units; i++) {
      // The first block leaves a difference in the top bit of the state's second word alone.
      String one = text(letters());
      String[] two = pair(Murmur3Forger::mix2, Murmur3Forger::unmix2, 1L << 63 - 31);
      // The second block has the first word meet it with its own, and so cancel it there, and then
      // takes it away from the second word.
      String[] three = pair(Murmur3Forger::mix1, Murmur3Forger::unmix1, 1L << 63 - 27);
      String[] four = pair(Murmur3Forger::mix2, Murmur3Forger::unmix2, 1L << 63);
      List<String> longer = new ArrayList<>(2 * keys.size());
      for (String key : keys) {
        longer.add(key + one + two[0] + three[0] + four[0]);
        longer.add(key + one + two[1] + three[1] + four[1]);
      }
      keys = longer;
    }
    return keys;
  }

  /** Two texts of eight bytes whose mixed words differ in {@code difference}. */
  private String[] pair(LongUnaryOperator mix, LongUnaryOperator unmix, long difference) {
    while (true) {
      long word = letters();
      String other = text(unmix.applyAsLong(mix.applyAsLong(word) ^ difference));
      if (other != null) {
        return new String[] {text(word), other};
      }
    }
  }

  private long letters() {
    long word = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      word = word << 8 | random.nextInt('0', 'z' + 1);
    }
    return word;
  }

  /** Eight digits of {@code number} to the base of 36, as a word of the input: one for each. */
  private static long digits(int number) {
    long word = 0;
    for (int i = 0, rest = number; i < Long.BYTES; i++, rest /= 36) {
      word = word << 8 | Character.forDigit(rest % 36, 36);
    }
    return word;
  }

  private static long word(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8)).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  private static String text(long word) {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return text(bytes.putLong(word).array());
  }

  /** The text that a server would take as a key, or null where the bytes are none. */
  private static String text(byte[] bytes) {
    for (byte b : bytes) {
      if (b >= 0 && b < 0x20) {
        return null;
      }
    }
    String text = new String(bytes, UTF_8);
    return text.indexOf(REPLACEMENT) < 0 && RULES.accepts(text) ? text : null;
  }

  private static long mix1(long word) {
    return Long.rotateLeft(word * C1, 31) * C2;
  }

  private static long unmix1(long mixed) {
    return Long.rotateRight(mixed * UN_C2, 31) * UN_C1;
  }

  private static long mix2(long word) {
    return Long.rotateLeft(word * C2, 33) * C1;
  }

  private static long unmix2(long mixed) {
    return Long.rotateRight(mixed * UN_C1, 33) * UN_C2;
  }

  /** What undoes a multiplication by {@code odd}: Newton's iteration doubles the right bits. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int i = 0; i < 5; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }

  private static long unfinish(long word) {
    word ^= word >>> 33;
    word *= UN_FINAL2;
    word ^= word >>> 33;
    word *= UN_FINAL1;
    return word ^ word >>> 33;
  }

  /** The state between two blocks. */
  private record State(long one, long two) {

    /** The state from which a key of {@code length} bytes ends with this hash. */
    static State before(long one, long two, int length) {
      two -= one;
      one -= two;
      one = unfinish(one);
      two = unfinish(two);
      two -= one;
      one -= two;
      return new State(one ^ length, two ^ length);
    }

    State after(long word1, long word2) {
      long next1 = (Long.rotateLeft(one ^ mix1(word1), 27) + two) * 5 + ADD1;
      long next2 = (Long.rotateLeft(two ^ mix2(word2), 31) + next1) * 5 + ADD2;
      return new State(next1, next2);
    }

    /** Appends the block that leads from this state to {@code target}. */
    void solve(State target, ByteBuffer block) {
      long mixed1 = Long.rotateRight((target.one - ADD1) * UN_5 - two, 27) ^ one;
      long mixed2 = Long.rotateRight((target.two - ADD2) * UN_5 - target.one, 31) ^ two;
      block.putLong(unmix1(mixed1)).putLong(unmix2(mixed2));
    }
  }
}
