package io.bloomguard.redis.internal.image;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.Fingerprint;
import org.jspecify.annotations.Nullable;

/**
 * The hash of a filter's keys and the partitions of the hashes, and so the meaning of a head, even
 * one without images, and of a journal.
 *
 * @param canonical the version of the canonicaliser
 * @param hash the hash, such as {@code siphash-1-3}
 * @param secretId the public identifier of its secret, empty for none
 * @param partitions the number of partitions
 * @param folding the folding, which decides the keys that are equal; not named if there is none, so
 *     that heads from before there were foldings stay valid
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

  /** Parses the output of {@link #text}; null for any other text. */
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
   * A head's text about its own scheme and the other one during a migration: {@code own}, {@code
   * own>other} if the other is about to replace it and every add must reach that one too, or {@code
   * own<other} if it has replaced the other in some partitions, and every add must reach the other
   * too in the rest.
   *
   * <p>A process that adds to two schemes accepts this mark in the heads of the own one, besides
   * the plain scheme.
   *
   * @param relation {@code '>'}, {@code '<'}, or a space for no other
   */
  public record Mark(String own, char relation, String other) {

    /** That of a scheme which stands alone. */
    public static Mark of(HashScheme own) {
      return new Mark(own.text(), ' ', "");
    }

    public static Mark parse(String text) {
      int end = 0;
      while (end < text.length() && text.charAt(end) != '>' && text.charAt(end) != '<') {
        end++;
      }
      return end == text.length()
          ? new Mark(text, ' ', "")
          : new Mark(text.substring(0, end), text.charAt(end), text.substring(end + 1));
    }

    public static Mark leaving(HashScheme from, HashScheme to) {
      return new Mark(from.text(), '>', to.text());
    }

    public static Mark arriving(HashScheme to, HashScheme from) {
      return new Mark(to.text(), '<', from.text());
    }

    public String text() {
      return relation == ' ' ? own : own + relation + other;
    }

    /** Whether the other scheme, to which this is the relation, is a head's own by its text. */
    public boolean isOther(char towards, String head) {
      return relation == towards && parse(head).own.equals(other);
    }
  }
}
