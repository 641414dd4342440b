package io.bloomguard.redis.internal.replica;

import io.bloomguard.redis.internal.client.Utf8;
import io.bloomguard.redis.internal.image.JournalId;
import io.bloomguard.redis.internal.replica.JournalPage.Position;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The entry that an add has just written to the journal, as its message tells the copies.
 *
 * <p>It is worth as much as a page with that entry alone, read at that moment: a message that comes
 * late, twice, after a gap or from another server continues no position and is left out.
 *
 * @param before the journal's last entry before it
 * @param epoch the epoch of the head, which names the server
 * @param view what the head named
 * @param hashes the packed hashes
 */
record JournalNews(JournalId before, JournalId id, String epoch, String view, byte[] hashes) {

  /** The fields, of which the first is the copy of the writer and the last the hashes. */
  private static final int FIELDS = 6;

  private static final byte END = '\n';

  /** From {@code add.lua}; null for a message that tells of no entry. */
  static @Nullable JournalNews of(byte[] message) {
    String[] texts = new String[FIELDS - 1];
    int from = 0;
    for (int i = 0; i < texts.length; i++) {
      int to = from;
      while (to < message.length && message[to] != END) {
        to++;
      }
      if (to == message.length) {
        return null;
      }
      texts[i] = Utf8.text(Arrays.copyOfRange(message, from, to));
      from = to + 1;
    }
    try {
      return new JournalNews(
          JournalId.parse(texts[1]),
          JournalId.parse(texts[2]),
          texts[3],
          texts[4],
          Arrays.copyOfRange(message, from, message.length));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return null; // Not ours: a poll reads what there is.
    }
  }

  /** Whether a message tells of an entry by the process of a copy. */
  static boolean isOf(byte[] message, String copy) {
    byte[] name = Utf8.bytes(copy);
    return message.length > name.length
        && message[name.length] == END
        && Arrays.equals(message, 0, name.length, name, 0, name.length);
  }

  /**
   * The position after this entry, null if it does not follow upon {@code from}.
   *
   * @param ofEpoch the epoch under which the position is one
   * @param known the head's view as the copy knows it
   */
  @Nullable Position next(Position from, String ofEpoch, String known) {
    if (!before.equals(from.id()) || !epoch.equals(ofEpoch) || !view.equals(known)) {
      return null;
    }
    return new Position(id, from.ever() < 0 ? -1 : from.ever() + 1);
  }

  /** Passes on the hashes. */
  void forEach(LongConsumer each) {
    JournalPage.forEach(List.of(hashes), each);
  }
}
