package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The Redis keys of one partition of a filter, all in one slot: {@code
 * <prefix>:{<filter>:<partition>}:head|image:<id>|journal|writers|lock|builds|requested|request:<id>}.
 */
final class PartitionKeys {

  private final String base;
  private final byte[] head;
  private final byte[] journal;
  private final byte[] writers;
  private final byte[] lock;
  private final byte[] builds;
  private final byte[] requested;

  PartitionKeys(String prefix, String filter, int partition) {
    this.base = prefix + ":{" + filter + ":" + partition + "}:";
    this.head = (base + "head").getBytes(UTF_8);
    this.journal = (base + "journal").getBytes(UTF_8);
    this.writers = (base + "writers").getBytes(UTF_8);
    this.lock = (base + "lock").getBytes(UTF_8);
    this.builds = (base + "builds").getBytes(UTF_8);
    this.requested = (base + "requested").getBytes(UTF_8);
  }

  /** A hash: which images serve, are built, and served before. */
  byte[] head() {
    return head;
  }

  /** A stream of the hashes of added keys. */
  byte[] journal() {
    return journal;
  }

  /** A hash of the processes that may add: after which loss each has added again, and its end. */
  byte[] writers() {
    return writers;
  }

  /** The token of whoever builds; used in partition 0 only. */
  byte[] lock() {
    return lock;
  }

  /** A hash of how builds go and went; used in partition 0 only. */
  byte[] builds() {
    return builds;
  }

  /** The run that a request has led to; used in partition 0 only. */
  byte[] request(String name) {
    return (base + "request:" + name).getBytes(UTF_8);
  }

  /** There while the cooldown of a requested rebuild lasts; used in partition 0 only. */
  byte[] requested() {
    return requested;
  }

  byte[] image(String id) {
    return (base + "image:" + id).getBytes(UTF_8);
  }

  /** A pattern of SCAN for every image of the partition. */
  String images() {
    return base.replaceAll("([*?\\[\\]\\\\])", "\\\\$1") + "image:*";
  }
}
