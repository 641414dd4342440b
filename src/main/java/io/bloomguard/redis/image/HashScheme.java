package io.bloomguard.redis.image;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.filter.Fingerprint;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHasher;
import org.jspecify.annotations.Nullable;

/**
 * How a filter's keys become hashes and hashes find their partition, and so what a head, even one
 * without images, and a journal mean.
 *
 * @param canonical the version of the canonicaliser
 * @param hash the hash, such as {@code siphash-1-3}
 * @param secretId the public identifier of its secret, empty for none
 * @param partitions how many partitions there are
 * @param folding which keys are held equal; not named where none are, so that heads from before it
 *     could be stay what they are
 */
public record HashScheme(
    int canonical, String hash, String secretId, int partitions, KeyFolding folding) {

  public static HashScheme of(KeyHasher hasher, int partitions) {
    return new HashScheme(
        CanonicalKey.VERSION, hasher.algorithm(), hasher.secretId(), partitions, hasher.folding());
  }

  public static HashScheme of(Fingerprint image) {
    return new HashScheme(
        CanonicalKey.VERSION, image.hash(), image.secretId(), image.partitions(), image.folding());
  }

  /** What {@link #text} wrote, null for anything else. */
  public static @Nullable HashScheme parse(String text) {
    String[] parts = text.split(";", -1);
    if (parts.length != 4 && parts.length != 5) {
      return null;
    }
    try {
      KeyFolding folding = parts.length == 4 ? KeyFolding.EXACT : KeyFolding.parse(parts[4]);
      HashScheme scheme =
          new HashScheme(
              Integer.parseInt(parts[0]), parts[1], parts[2], Integer.parseInt(parts[3]), folding);
      return scheme.text().equals(text) ? scheme : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  public HashScheme withPartitions(int count) {
    return new HashScheme(canonical, hash, secretId, count, folding);
  }

  public String text() {
    String text =
        String.join(";", Integer.toString(canonical), hash, secretId, Integer.toString(partitions));
    return folding.isExact() ? text : text + ";" + folding.text();
  }

  /**
   * What a head says of its own scheme and of the other one during a change: {@code own}, {@code
   * own>other} where the other is about to take its place and every add must reach that one too, or
   * {@code own<other} where it has taken the place of the other in some partitions, and every add
   * must reach the other too where it has not.
   *
   * @param relation {@code '>'}, {@code '<'}, or a space for no other
   */
  public record Mark(String own, char relation, String other) {

    public static Mark parse(String text) {
      int end = 0;
      while (end < text.length() && text.charAt(end) != '>' && text.charAt(end) != '<') {
        end++;
      }
      return end == text.length()
          ? new Mark(text, ' ', "")
          : new Mark(text.substring(0, end), text.charAt(end), text.substring(end + 1));
    }

    public static String leaving(HashScheme from, HashScheme to) {
      return from.text() + ">" + to.text();
    }

    public static String arriving(HashScheme to, HashScheme from) {
      return to.text() + "<" + from.text();
    }
  }

  /**
   * What a process that adds to two schemes at once accepts of a head of one of them.
   *
   * @param mark besides the plain scheme; empty for nothing
   * @param successor whose head may have taken the place of this one; empty for none
   * @param predecessor whose place this one takes; empty for none
   */
  public record Pair(String mark, String successor, String predecessor) {

    public static final Pair NONE = new Pair("", "", "");

    public static Pair leaving(HashScheme from, HashScheme to) {
      return new Pair(Mark.leaving(from, to), to.text(), "");
    }

    public static Pair arriving(HashScheme to, HashScheme from) {
      return new Pair(Mark.arriving(to, from), "", from.text());
    }

    /** Whether a head is, by what it says of schemes, of the one before this one. */
    public boolean isPredecessor(String head) {
      return !predecessor.isEmpty() && Mark.parse(head).own().equals(predecessor);
    }
  }
}
