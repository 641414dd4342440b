package io.bloomguard.redis.internal.image;

import io.bloomguard.redis.internal.client.ClaimSlot;
import io.bloomguard.redis.internal.client.Utf8;
import java.util.List;

/**
 * The Redis keys of one partition of a filter, all in one slot: {@code
 * <prefix>:{<filter>:<partition>}:head|image:<id>|journal|writers|lock|facts|own|claims|claims:ends}.
 *
 * <p>While another scheme takes the place of the one that serves, its head, journal and writers
 * have {@code next:} before their names, and lose it when they arrive.
 */
public final class PartitionKeys {

  private final String base;
  private final KeySet current;
  private final KeySet next;
  private final ClaimSlot claims;
  private final byte[] lock;
  private final byte[] ownWrites;
  private volatile boolean arriving;

  /** Creates the keys of the serving scheme, or of one that is to replace it. */
  public PartitionKeys(String prefix, String filter, int partition, boolean arriving) {
    this.base = prefix + ":{" + filter + ":" + partition + "}:";
    this.current = KeySet.of(base);
    this.next = KeySet.of(base + "next:");
    this.arriving = arriving;
    this.claims = new ClaimSlot(base);
    this.lock = Utf8.bytes(base + "lock");
    this.ownWrites = Utf8.bytes(base + "own");
  }

  /** Whether the scheme has still to replace the other in this partition. */
  public boolean arriving() {
    return arriving;
  }

  /** Notes whether the scheme has still to replace the other, maybe because Redis went back. */
  public void setArriving(boolean isArriving) {
    arriving = isArriving;
  }

  /** The place of the head, journal and writers of the serving scheme. */
  public KeySet current() {
    return current;
  }

  /** The place of those of the scheme that is to replace it. */
  public KeySet next() {
    return next;
  }

  /** The place of this scheme. */
  public KeySet place() {
    return arriving ? next : current;
  }

  /** A hash: the serving, building and previous image. */
  public byte[] head() {
    return place().head;
  }

  /** A stream of the hashes of added keys. */
  public byte[] journal() {
    return place().journal;
  }

  /**
   * A hash of the processes that may add: for each, the loss epoch after which it has added again,
   * and the end of its entry.
   */
  public byte[] writers() {
    return place().writers;
  }

  /** The token of the builder; used in partition 0 only. */
  public byte[] lock() {
    return lock;
  }

  /** A sorted set of the own writes that a feed of changes passes by; used in partition 0 only. */
  public byte[] ownWrites() {
    return ownWrites;
  }

  /** The claims on adds, which outlive a change of the scheme. */
  public ClaimSlot claims() {
    return claims;
  }

  byte[] image(String id) {
    return Utf8.bytes(base + "image:" + id);
  }

  /** A pattern of SCAN for every image of the partition. */
  public String images() {
    return base.replaceAll("([*?\\[\\]\\\\])", "\\\\$1") + "image:*";
  }

  /** The names of the keys that move when a scheme arrives. */
  public record KeySet(byte[] head, byte[] journal, byte[] writers) {

    private static KeySet of(String base) {
      return new KeySet(
          Utf8.bytes(base + "head"), Utf8.bytes(base + "journal"), Utf8.bytes(base + "writers"));
    }

    /** Head, journal and writers. */
    public List<byte[]> all() {
      return List.of(head, journal, writers);
    }
  }
}
