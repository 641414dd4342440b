package io.bloomguard.redis;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.filter.Fingerprint;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The head of one partition as it was read: an immutable view.
 *
 * @param condition whether it can be trusted
 * @param serving the image that answers checks, null for none
 * @param building the image being built, null for none
 * @param previous the image that served before, null for none
 * @param last the number of the newest generation that was ever published
 * @param hashing how the keys of its images and its journal are hashed, empty for no valid head
 */
record RedisHead(
    Condition condition,
    @Nullable RedisImage serving,
    @Nullable RedisImage building,
    @Nullable RedisImage previous,
    long last,
    String hashing) {

  /** The version of the head's fields. */
  private static final String FORMAT = "1";

  /** What a head is worth. */
  enum Condition {
    /** Nobody has looked yet. */
    UNREAD,
    /** There is none. */
    MISSING,
    /** It is no hash, or its fields do not fit together. */
    DAMAGED,
    /** It is of another secret, hash, partition count or format, with images or without. */
    FOREIGN,
    /** It is as it should be. */
    VALID
  }

  static RedisHead of(Condition condition) {
    return new RedisHead(condition, null, null, null, 0, "");
  }

  /** What Redis holds, or {@code MISSING}, {@code DAMAGED} or {@code FOREIGN}. */
  static RedisHead parse(Map<String, String> fields, PartitionKeys keys, Fingerprint own) {
    if (fields.isEmpty()) {
      return of(Condition.MISSING);
    }
    String format = fields.get("format");
    String hashing = fields.get("hashing");
    if (format == null || hashing == null) {
      return of(Condition.DAMAGED);
    }
    if (!format.equals(FORMAT) || !hashing.equals(hashing(own))) {
      return of(Condition.FOREIGN);
    }
    try {
      RedisImage serving = image("serving", fields, keys);
      RedisImage building = image("building", fields, keys);
      RedisImage previous = image("previous", fields, keys);
      if (foreign(serving, own) || foreign(building, own) || foreign(previous, own)) {
        return of(Condition.FOREIGN);
      }
      long last = Long.parseLong(fields.getOrDefault("last", "0"));
      return new RedisHead(Condition.VALID, serving, building, previous, last, hashing);
    } catch (IllegalArgumentException e) {
      return of(Condition.DAMAGED);
    }
  }

  /**
   * How a filter's keys become hashes and hashes find their partition, and so what a head, even one
   * without images, and a journal mean: canonicaliser, hash, secret's identifier, partition count.
   */
  static String hashing(Fingerprint own) {
    return String.join(
        ";",
        Integer.toString(CanonicalKey.VERSION),
        own.hash(),
        own.secretId(),
        Integer.toString(own.partitions()));
  }

  boolean valid() {
    return condition == Condition.VALID;
  }

  /** Whether generation {@code number} serves. */
  boolean serves(long number) {
    return serving != null && serving.generation() == number;
  }

  /** The ids of serving, building and previous image, and the hashing, as scripts compare them. */
  String view() {
    return id(serving) + "," + id(building) + "," + id(previous) + "," + hashing;
  }

  /** Whether both say the same of every image. */
  boolean same(RedisHead other) {
    return condition == other.condition && last == other.last && view().equals(other.view());
  }

  private static String id(@Nullable RedisImage image) {
    return image == null ? "" : image.id();
  }

  private static @Nullable RedisImage image(
      String role, Map<String, String> fields, PartitionKeys keys) {
    String id = fields.get(role);
    if (id == null) {
      return null;
    }
    int dash = id.indexOf('-');
    String text = fields.get(role + "-fingerprint");
    if (dash < 1 || text == null) {
      throw new IllegalArgumentException("The head's " + role + " image is not complete");
    }
    long generation = Long.parseLong(id.substring(0, dash));
    long token = Long.parseLong(id.substring(dash + 1));
    return new RedisImage(keys, generation, token, Fingerprint.parse(text));
  }

  /** Shapes may differ: every node follows the head's. What hashes and partitions may not. */
  private static boolean foreign(@Nullable RedisImage image, Fingerprint own) {
    if (image == null) {
      return false;
    }
    Fingerprint theirs = image.fingerprint();
    return !(theirs.filter().equals(own.filter())
        && theirs.hash().equals(own.hash())
        && theirs.secretId().equals(own.secretId())
        && theirs.partitions() == own.partitions()
        && theirs.partition() == own.partition());
  }
}
