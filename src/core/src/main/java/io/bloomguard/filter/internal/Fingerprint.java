package io.bloomguard.filter.internal;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All settings that must be equal for two images to give a bit the same meaning.
 *
 * @param filter the filter's name
 * @param shape the dimensions of the image (of one partition)
 * @param hash the hash algorithm, such as {@code siphash-1-3}
 * @param secretId the public identifier of the hash's secret, empty for none
 * @param partitions the number of partitions of the filter
 * @param partition the index of this one
 * @param folding the rule by which keys are equal
 * @param salt the salt of the image, 0 for none
 */
public record Fingerprint(
    String filter,
    FilterShape shape,
    String hash,
    String secretId,
    int partitions,
    int partition,
    KeyFolding folding,
    long salt) {

  /**
   * The version of the text. Every stored form names its images by the text or its digest, and has
   * a version of its own: only a new meaning of the text itself changes this one.
   */
  private static final int TEXT_VERSION = 2;

  /** The name under which the fingerprint of Guava's layout has its hash. */
  private static final String GUAVA_HASH = "murmur3";

  private static final String KEYS = "keys";

  /** What the salt follows upon the hash. */
  private static final char SALT = ':';

  /**
   * Checks the names and the index of the partition.
   *
   * @param filter the filter's name
   * @param shape the dimensions of the image (of one partition)
   * @param hash the hash algorithm, such as {@code siphash-1-3}
   * @param secretId the public identifier of the hash's secret, empty for none
   * @param partitions the number of partitions of the filter
   * @param partition the index of this one
   * @param folding the rule by which keys are equal
   * @param salt the salt of the image, 0 for none
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public Fingerprint {
    requireWord("filter name", filter);
    requireWord("hash", hash);
    if (hash.indexOf(SALT) >= 0) {
      throw new IllegalArgumentException(
          "The fingerprint's hash is '" + hash + "', but must have no colon");
    }
    if (!secretId.isEmpty()) {
      requireWord("secret's identifier", secretId);
    }
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "The number of partitions is " + partitions + ", but must be at least 1");
    }
    if (partition < 0 || partition >= partitions) {
      throw new IllegalArgumentException(
          "The partition is " + partition + ", but must be 0 to " + (partitions - 1));
    }
  }

  /**
   * The fingerprint of an image without a salt.
   *
   * @param filter the filter's name
   * @param shape the dimensions of the image (of one partition)
   * @param hash the hash algorithm, such as {@code siphash-1-3}
   * @param secretId the public identifier of the hash's secret, empty for none
   * @param partitions the number of partitions of the filter
   * @param partition the index of this one
   * @param folding the rule by which keys are equal
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public Fingerprint(
      String filter,
      FilterShape shape,
      String hash,
      String secretId,
      int partitions,
      int partition,
      KeyFolding folding) {
    this(filter, shape, hash, secretId, partitions, partition, folding, 0);
  }

  /**
   * {@return the fingerprint of an image with a salt, and otherwise as this one}
   *
   * @param other the salt, 0 for none
   */
  public Fingerprint withSalt(long other) {
    return other == salt
        ? this
        : new Fingerprint(filter, shape, hash, secretId, partitions, partition, folding, other);
  }

  /**
   * {@return the fingerprint of a filter made by {@link MembershipFilters#create} with these parts}
   *
   * @param filter the filter's name
   * @param shape the dimensions of the image (of one partition)
   * @param hasher names the hash, its secret and the folding
   * @param partitions the number of partitions of the filter, at least 1
   * @param partition the index of this one, from 0
   */
  public static Fingerprint of(
      String filter, FilterShape shape, KeyHasher hasher, int partitions, int partition) {
    return shape.layout() == Layout.GUAVA
        ? new Fingerprint(filter, shape, GUAVA_HASH, "", partitions, partition, hasher.folding())
        : new Fingerprint(
            filter,
            shape,
            hasher.algorithm(),
            hasher.secretId(),
            partitions,
            partition,
            hasher.folding());
  }

  /**
   * Reads the text that {@link #text} wrote, so that a node can follow another node's shape.
   *
   * @param text the text, of this version
   * @return a fingerprint with the same text
   * @throws IllegalArgumentException if the text is of another version or otherwise not canonical
   */
  public static Fingerprint parse(String text) {
    Map<String, String> fields = fields(text);
    requireVersion("format", fields, TEXT_VERSION);
    requireVersion("canonical", fields, CanonicalKey.VERSION);
    String hash = field(fields, "hash");
    int end = hash.indexOf(SALT);
    Fingerprint fingerprint =
        new Fingerprint(
            field(fields, "filter"),
            new FilterShape(
                Layout.valueOf(field(fields, "layout")),
                Long.parseLong(field(fields, "n")),
                Double.parseDouble(field(fields, "p")),
                Long.parseLong(field(fields, "m")),
                Integer.parseInt(field(fields, "block")),
                Integer.parseInt(field(fields, "k"))),
            end < 0 ? hash : hash.substring(0, end),
            field(fields, "secret"),
            Integer.parseInt(field(fields, "partitions")),
            Integer.parseInt(field(fields, "partition")),
            fields.containsKey(KEYS) ? KeyFolding.parse(field(fields, KEYS)) : KeyFolding.EXACT,
            end < 0 ? 0 : Long.parseUnsignedLong(hash.substring(end + 1), 16));
    if (!fingerprint.text().equals(text)) {
      throw new IllegalArgumentException("The text is not a canonical fingerprint");
    }
    return fingerprint;
  }

  /**
   * {@return the one text of this fingerprint: every field, the text's and the canonicaliser's
   * version} Folding and salt are named only if there is one, so that images from before they
   * existed remain valid. The salt stands with the hash, so that a process of a version that knows
   * none takes a salted image for one of another hash: it neither reads nor replaces that.
   */
  public String text() {
    return "format="
        + TEXT_VERSION
        + ";canonical="
        + CanonicalKey.VERSION
        + ";filter="
        + filter
        + ";layout="
        + shape.layout()
        + ";n="
        + shape.expectedInsertions()
        + ";p="
        + shape.falsePositiveProbability()
        + ";m="
        + shape.bits()
        + ";block="
        + shape.blockWords()
        + ";k="
        + shape.hashes()
        + ";hash="
        + hash
        + (salt == 0 ? "" : SALT + HexFormat.of().toHexDigits(salt))
        + ";secret="
        + secretId
        + ";partitions="
        + partitions
        + ";partition="
        + partition
        + (folding.isExact() ? "" : ";" + KEYS + "=" + folding.text());
  }

  /** {@return the first 64 bits, big-endian, of the SHA-256 of {@link #text}} */
  public long digest() {
    try {
      byte[] text = text().getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /**
   * {@return each field in which two texts of fingerprints differ, for a message}
   *
   * @param found the text that was found
   * @param expected another text
   */
  public static String difference(String found, String expected) {
    Map<String, String> theirs = fields(found);
    StringBuilder difference = new StringBuilder();
    Map<String, String> ours = fields(expected);
    ours.forEach(
        (name, value) -> {
          String other = theirs.getOrDefault(name, "(none)");
          if (!other.equals(value)) {
            difference
                .append(difference.isEmpty() ? "" : ", ")
                .append(name + " is " + other + ", expected " + value);
          }
        });
    theirs.forEach(
        (name, value) -> {
          if (!ours.containsKey(name)) {
            difference
                .append(difference.isEmpty() ? "" : ", ")
                .append(name + " is " + value + ", expected (none)");
          }
        });
    return difference.isEmpty() ? "it has fields that are not expected" : difference.toString();
  }

  private static Map<String, String> fields(String text) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String field : text.split(";", -1)) {
      int equals = field.indexOf('=');
      if (equals > 0) {
        fields.put(field.substring(0, equals), field.substring(equals + 1));
      }
    }
    return fields;
  }

  private static String field(Map<String, String> fields, String name) {
    String value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException("The fingerprint has no field '" + name + "'");
    }
    return value;
  }

  private static void requireVersion(String name, Map<String, String> fields, int version) {
    String found = field(fields, name);
    if (!found.equals(Integer.toString(version))) {
      throw new IllegalArgumentException(
          "The fingerprint's " + name + " version is " + found + ", but must be " + version);
    }
  }

  /** Refuses values that would make the text ambiguous. */
  private static void requireWord(String name, String value) {
    if (!value.matches("[A-Za-z0-9._:-]+")) {
      throw new IllegalArgumentException(
          "The fingerprint's "
              + name
              + " is '"
              + value
              + "', but must be letters, digits, dots, colons, hyphens and underscores");
    }
  }
}
