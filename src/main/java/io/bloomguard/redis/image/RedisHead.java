package io.bloomguard.redis.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.Fingerprint;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The head of one partition as it was read: an immutable view.
 *
 * @param condition whether it can be trusted
 * @param serving the image that answers checks, null for none
 * @param building the image being built, null for none
 * @param previous the image that served before, null for none
 * @param keysRead how many keys the serving image was built from, 0 if that is not known
 * @param last the number of the newest generation that was ever published
 * @param scheme how the keys of its images and its journal are hashed, as it stands there (a {@link
 *     HashScheme.Mark}); empty for a head without
 * @param beat the last sign of life, in microseconds of Redis' clock; not part of what is compared
 * @param trust what it says of the completeness of its content
 */
public record RedisHead(
    Condition condition,
    @Nullable RedisImage serving,
    @Nullable RedisImage building,
    @Nullable RedisImage previous,
    long keysRead,
    long last,
    String scheme,
    long beat,
    Trust trust) {

  /** The version of the head's fields. */
  private static final String FORMAT = "2";

  /** What a head is worth. */
  public enum Condition {
    /** No reading so far. */
    UNREAD,
    /** There is none. */
    MISSING,
    /** It is no hash, or its fields do not fit together. */
    DAMAGED,
    /** It is of another secret, hash, partition count or format, with images or without. */
    FOREIGN,
    /** The head of the scheme to which this process changes has taken its place. */
    MOVED,
    /** It is as it should be. */
    VALID
  }

  /**
   * Whether the content is known to be complete, and where.
   *
   * @param server the server that has changed the partition last
   * @param losses changes with every loss, in microseconds; 0 for no valid head
   * @param epoch the server under which it is complete and the losses, empty while in doubt
   * @param digest what the serving image holds in that epoch
   * @param rebuild whether only a new generation ends the doubt
   * @param since the last beat before the doubt, in microseconds of Redis' clock; 0 if there is
   *     none
   */
  public record Trust(
      String server, long losses, String epoch, long digest, boolean rebuild, long since) {

    static final Trust NONE = new Trust("", 0, "", 0, false, 0);

    private static Trust parse(Map<String, String> fields) {
      long losses = Long.parseLong(fields.getOrDefault("losses", "0"));
      String epoch = fields.getOrDefault("epoch", "");
      long since = Long.parseLong(fields.getOrDefault("since", "0"));
      return new Trust(
          fields.getOrDefault("server", ""),
          losses,
          epoch,
          digest(epoch),
          fields.containsKey("rebuild"),
          epoch.isEmpty() ? since : 0);
    }

    /** As {@code partition.lua} computes it: the first eight bytes of the SHA-1. */
    private static long digest(String epoch) {
      try {
        byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(epoch.getBytes(UTF_8));
        return ByteBuffer.wrap(sha1).getLong();
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every Java platform has SHA-1", e);
      }
    }

    /** The same as long as the doubt is not settled. */
    private Trust inDoubt() {
      return new Trust(server, losses, "", 0, rebuild, since);
    }

    /** Whether what this server holds is complete. */
    public boolean holdsAt(String server) {
      return !epoch.isEmpty()
          && epoch.length() > server.length()
          && epoch.charAt(server.length()) == ':'
          && epoch.startsWith(server);
    }
  }

  public static RedisHead of(Condition condition) {
    return of(condition, "");
  }

  private static RedisHead of(Condition condition, String scheme) {
    return new RedisHead(condition, null, null, null, 0, 0, scheme, 0, Trust.NONE);
  }

  /** What Redis holds, or a head of another condition than {@code VALID}. */
  public static RedisHead parse(
      Map<String, String> fields, PartitionKeys keys, Fingerprint own, HashScheme.Pair pair) {
    if (fields.isEmpty()) {
      return of(Condition.MISSING);
    }
    String format = fields.get("format");
    String scheme = fields.get("hashing");
    if (format == null || scheme == null) {
      return of(Condition.DAMAGED);
    }
    if (!format.equals(FORMAT)) {
      return of(Condition.FOREIGN);
    }
    if (!scheme.equals(scheme(own)) && !scheme.equals(pair.mark())) {
      boolean moved = HashScheme.Mark.parse(scheme).own().equals(pair.successor());
      return of(moved ? Condition.MOVED : Condition.FOREIGN, scheme);
    }
    try {
      RedisImage serving = image("serving", fields, keys);
      RedisImage building = image("building", fields, keys);
      RedisImage previous = image("previous", fields, keys);
      if (foreign(serving, own) || foreign(building, own) || foreign(previous, own)) {
        return of(Condition.FOREIGN);
      }
      long keysRead = Long.parseLong(fields.getOrDefault("serving-keys", "0"));
      long last = Long.parseLong(fields.getOrDefault("last", "0"));
      long beat = Long.parseLong(fields.getOrDefault("beat", "0"));
      Trust trust = Trust.parse(fields);
      return new RedisHead(
          Condition.VALID, serving, building, previous, keysRead, last, scheme, beat, trust);
    } catch (IllegalArgumentException e) {
      return of(Condition.DAMAGED);
    }
  }

  /** The scheme of a head, an image and a journal that are in no change. */
  public static String scheme(Fingerprint own) {
    return HashScheme.of(own).text();
  }

  public boolean valid() {
    return condition == Condition.VALID;
  }

  /** Notes a beat that the serving image has shown. */
  public void saw(long shown) {
    if (serving != null) {
      serving.saw(shown);
    }
  }

  /** The same, but not to be believed. */
  public RedisHead inDoubt() {
    return new RedisHead(
        condition, serving, building, previous, keysRead, last, scheme, beat, trust.inDoubt());
  }

  /** Whether generation {@code number} serves. */
  public boolean serves(long number) {
    return serving != null && serving.generation() == number;
  }

  /** The ids of serving, building and previous image, and the scheme, as scripts compare them. */
  public String view() {
    // What is not valid has no images here, so that its view must fit no head that has none.
    return id(serving) + "," + id(building) + "," + id(previous) + "," + (valid() ? scheme : "");
  }

  /** Whether both say the same of every image, whatever their beat. */
  public boolean same(RedisHead other) {
    return condition == other.condition
        && last == other.last
        && trust.equals(other.trust)
        && scheme.equals(other.scheme)
        && view().equals(other.view());
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

  /** Shapes may differ: every node follows the head's. Hashes, partitions and folds may not. */
  private static boolean foreign(@Nullable RedisImage image, Fingerprint own) {
    if (image == null) {
      return false;
    }
    Fingerprint theirs = image.fingerprint();
    return !(theirs.filter().equals(own.filter())
        && theirs.hash().equals(own.hash())
        && theirs.secretId().equals(own.secretId())
        && theirs.partitions() == own.partitions()
        && theirs.partition() == own.partition()
        && theirs.folding().equals(own.folding()));
  }
}
