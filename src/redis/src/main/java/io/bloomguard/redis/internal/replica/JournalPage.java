package io.bloomguard.redis.internal.replica;

import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.image.JournalId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition's journal at one moment, as a replica polls it.
 *
 * @param beat the head's beat
 * @param copies the number of registered copies
 * @param leases whether copies may hold leases: every writer waits for them
 * @param end the end of this page in the journal
 * @param last the journal's last entry
 * @param first the journal's first entry, null for none
 * @param ever entries the journal ever had, -1 if Redis does not tell
 * @param entries the packed hashes of the journal's entries up to {@code end}
 */
public record JournalPage(
    long beat,
    long copies,
    boolean leases,
    JournalId end,
    JournalId last,
    @Nullable JournalId first,
    long ever,
    List<byte[]> entries) {

  /** The most journal entries in one page, so that no script takes Redis long. */
  public static final int PAGE = 200;

  /** Reads a page from the answer of {@code follow.lua}. */
  static JournalPage of(LuaScript.Reply reply) {
    String first = reply.text(5);
    List<byte[]> entries = new ArrayList<>();
    for (int i = 8; i < reply.fields().size(); i++) {
      entries.add(reply.bytes(i));
    }
    return new JournalPage(
        reply.number(1),
        reply.number(2),
        reply.number(3) == 1,
        JournalId.parse(reply.text(7)),
        JournalId.parse(reply.text(4)),
        first.isEmpty() ? null : JournalId.parse(first),
        reply.number(6),
        entries);
  }

  /**
   * A position in the journal.
   *
   * @param id the last entry before it
   * @param ever entries ever added up to it, -1 for unknown
   */
  record Position(JournalId id, long ever) {}

  /** The end of the journal, for a page that began there. */
  Position position() {
    return new Position(end, ever);
  }

  /** Whether the journal has no further entries. */
  boolean complete() {
    return end.equals(last);
  }

  /**
   * The position after this page, null if entries after {@code from} are missing: trimmed, deleted,
   * or lost with the journal.
   */
  @Nullable Position next(Position from) {
    if (last.equals(from.id)) {
      return from;
    }
    if (entries.isEmpty() || first == null || end.compareTo(from.id) <= 0) {
      return null;
    }
    if (!complete() && entries.size() < PAGE) {
      return null;
    }
    if (ever < 0 || from.ever < 0) {
      // The journal still has an entry not younger than the position, so none after it was trimmed.
      return first.compareTo(from.id) <= 0 ? new Position(end, -1) : null;
    }
    long counted = from.ever + entries.size();
    return complete() && counted != ever ? null : new Position(end, counted);
  }

  /** Passes on the hashes of all entries. */
  void forEach(LongConsumer hashes) {
    forEach(entries, hashes);
  }

  static void forEach(List<byte[]> entries, LongConsumer hashes) {
    for (byte[] entry : entries) {
      ByteBuffer packed = ByteBuffer.wrap(entry);
      while (packed.remaining() >= Long.BYTES) {
        hashes.accept(packed.getLong());
      }
    }
  }
}
