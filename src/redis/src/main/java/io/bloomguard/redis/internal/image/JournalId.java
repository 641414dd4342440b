package io.bloomguard.redis.internal.image;

/** The id of an entry of a journal, which is a stream; ids only grow. */
public record JournalId(long millis, long sequence) implements Comparable<JournalId> {

  /** Parses an id as Redis writes it. */
  public static JournalId parse(String text) {
    int dash = text.indexOf('-');
    return new JournalId(
        Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
  }

  @Override
  public int compareTo(JournalId other) {
    int byMillis = Long.compare(millis, other.millis);
    return byMillis != 0 ? byMillis : Long.compare(sequence, other.sequence);
  }

  @Override
  public String toString() {
    return millis + "-" + sequence;
  }
}
