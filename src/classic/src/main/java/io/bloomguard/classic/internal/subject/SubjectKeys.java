package io.bloomguard.classic.internal.subject;

import io.bloomguard.redis.internal.client.Utf8;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;

/**
 * The Redis keys of a filter by subject, all in one slot: {@code
 * <prefix>:{<filter>:0}:subjects|subjects:index|subjects:writers|subject:<hash>}.
 *
 * <p>Head: a hash of fingerprint, server, losses and doubt. Index: a sorted set of the subjects'
 * hashes by the end of their time in milliseconds. Writers: a hash of the processes.
 */
final class SubjectKeys {

  private final byte[] head;
  private final byte[] index;
  private final byte[] writers;
  private final String image;

  SubjectKeys(String prefix, String filter) {
    String base = prefix + ":{" + filter + ":0}:";
    this.head = Utf8.bytes(base + "subjects");
    this.index = Utf8.bytes(base + "subjects:index");
    this.writers = Utf8.bytes(base + "subjects:writers");
    this.image = base + "subject:";
  }

  byte[] head() {
    return head;
  }

  byte[] index() {
    return index;
  }

  /** The keys for the heartbeat of a process. */
  List<byte[]> ofSigns() {
    return List.of(head, index, writers);
  }

  /** The keys for checks and adds of a subject. */
  List<byte[]> of(long subject) {
    return List.of(head, index, image(subject));
  }

  byte[] image(long subject) {
    return Utf8.bytes(image + HexFormat.of().toHexDigits(subject));
  }

  /** The name of a subject in the index. */
  static byte[] member(long subject) {
    return ByteBuffer.allocate(Long.BYTES).putLong(subject).array();
  }
}
