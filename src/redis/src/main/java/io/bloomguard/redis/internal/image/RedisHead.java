package io.bloomguard.redis.internal.image;

import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.redis.internal.client.Utf8;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The head of one partition as last read: an immutable view.
 *
 * @param condition whether it can be trusted
 * @param serving the image that answers checks, null for none
 * @param building the image being built, null for none
 * @param previous the image that served before, null for none
 * @param keysRead the number of keys that the serving image was built from, 0 if unknown
 * @param asOf the time of the data of the newest image set that was published, in milliseconds; 0
 *     for none
 * @param last the number of the newest generation ever published
 * @param lineage the identity of its content, which other heads do not share
 * @param scheme the hash scheme of its images and its journal, as it stands in the head (a {@link
 *     HashScheme.Mark}); empty for a head without
 * @param beat the last heartbeat, in microseconds of Redis' clock; not compared
 * @param trust whether its content is complete
 */
public record RedisHead(
    Condition condition,
    @Nullable RedisImage serving,
    @Nullable RedisImage building,
    @Nullable RedisImage previous,
    long keysRead,
    long asOf,
    long last,
    Lineage lineage,
    String scheme,
    long beat,
    Trust trust) {

  private static final String FORMAT = Integer.toString(ImageFormat.VERSION);

  /** The condition of a head. */
  public enum Condition {
    /** It was never read. */
    UNREAD,
    /** There is no head. */
    MISSING,
    /** It is not a hash, or its fields do not fit together. */
    DAMAGED,
    /** It is of another secret, hash, partition count or format, with images or without. */
    FOREIGN,
    /** The head of the scheme to which this process migrates has replaced it. */
    MOVED,
    /** It is valid. */
    VALID
  }

  /**
   * The completeness of the content: whether it is known, and for which server.
   *
   * @param server the server that last changed the partition
   * @param losses the loss epoch, in microseconds, which changes with every loss; 0 for no valid
   *     head
   * @param epoch the server under which it is complete and the loss epoch, empty while in doubt
   * @param digest the mark of the serving image in that epoch
   * @param rebuild whether only a new generation ends the doubt
   * @param lacks whether the serving image may lack adds from before it was built, and denies no
   *     key for that reason
   * @param since the last beat before the doubt, in microseconds of Redis' clock; 0 if there is
   *     none
   */
  public record Trust(
      String server,
      long losses,
      String epoch,
      long digest,
      boolean rebuild,
      boolean lacks,
      long since) {

    static final Trust NONE = new Trust("", 0, "", 0, false, false, 0);

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
          fields.containsKey("lacks") && epoch.isEmpty(),
          epoch.isEmpty() ? since : 0);
    }

    /** As {@code partition.lua} computes it: the first eight bytes of the SHA-1. */
    private static long digest(String epoch) {
      try {
        byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(Utf8.bytes(epoch));
        return ByteBuffer.wrap(sha1).getLong();
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every Java platform has SHA-1", e);
      }
    }

    /** This trust while the doubt is not settled. */
    private Trust inDoubt() {
      return new Trust(server, losses, "", 0, rebuild, lacks, since);
    }

    /** Whether the content of this server is complete. */
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
    return new RedisHead(condition, null, null, null, 0, 0, 0, Lineage.NONE, scheme, 0, Trust.NONE);
  }

  /**
   * Parses the head in Redis; a missing, damaged or foreign one has its condition and no images.
   */
  public static RedisHead parse(
      Map<String, String> fields, PartitionKeys keys, Fingerprint own, HashScheme.Mark mark) {
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
    if (!scheme.equals(scheme(own)) && !scheme.equals(mark.text())) {
      return of(mark.isOther('>', scheme) ? Condition.MOVED : Condition.FOREIGN, scheme);
    }
    try {
      RedisImage serving = image("serving", fields, keys);
      RedisImage building = image("building", fields, keys);
      RedisImage previous = image("previous", fields, keys);
      if (foreign(serving, own) || foreign(building, own) || foreign(previous, own)) {
        return of(Condition.FOREIGN);
      }
      long keysRead = Long.parseLong(fields.getOrDefault("serving-keys", "0"));
      long asOf = Long.parseLong(fields.getOrDefault("as-of", "0"));
      long last = Long.parseLong(fields.getOrDefault("last", "0"));
      long beat = Long.parseLong(fields.getOrDefault("beat", "0"));
      Trust trust = Trust.parse(fields);
      return new RedisHead(
          Condition.VALID,
          serving,
          building,
          previous,
          keysRead,
          asOf,
          last,
          Lineage.parse(fields),
          scheme,
          beat,
          trust);
    } catch (IllegalArgumentException e) {
      return of(Condition.DAMAGED);
    }
  }

  /** The scheme of a head, an image and a journal outside of a migration. */
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

  /** This head, untrusted. */
  public RedisHead inDoubt() {
    return new RedisHead(
        condition,
        serving,
        building,
        previous,
        keysRead,
        asOf,
        last,
        lineage,
        scheme,
        beat,
        trust.inDoubt());
  }

  /** Whether generation {@code number} serves. */
  public boolean serves(long number) {
    return serving != null && serving.generation() == number;
  }

  /** The ids of serving, building and previous image, and the scheme, as scripts compare them. */
  public String view() {
    // A head that is not valid has no images here, so its view must not match a head without
    // images.
    return id(serving) + "," + id(building) + "," + id(previous) + "," + (valid() ? scheme : "");
  }

  /** Whether both name the same images in the same state, at any beat. */
  public boolean same(RedisHead other) {
    return condition == other.condition
        && last == other.last
        && lineage.equals(other.lineage)
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
