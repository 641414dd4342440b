package io.bloomguard.classic.internal.subject;

import static java.nio.charset.StandardCharsets.UTF_8;

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
    this.head = (base + "subjects").getBytes(UTF_8);
    this.index = (base + "subjects:index").getBytes(UTF_8);
    this.writers = (base + "subjects:writers").getBytes(UTF_8);
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
    return (image + HexFormat.of().toHexDigits(subject)).getBytes(UTF_8);
  }

  /** The name of a subject in the index. */
  static byte[] member(long subject) {
    return ByteBuffer.allocate(Long.BYTES).putLong(subject).array();
  }
}
