package io.bloomguard.changes.internal.kafka;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of the next records of a topic, by partition, each with the epoch of the leader that
 * wrote the record before it; as text {@code dWJ8Zr1tQ2-pTtNBHkYh3w/0:123:4,1:45:2}. By its epoch
 * the consumer finds that the log was cut before an offset, and has other records there by now.
 *
 * @param topic the identity of the topic, without which an offset says nothing
 * @param offsets the offsets by partition, in the order of the partitions
 */
record TopicPositions(String topic, TreeMap<Integer, OffsetAndMetadata> offsets) {

  private static final Pattern TEXT = Pattern.compile("([\\w-]{22})/(.*)");

  private static final Pattern PART = Pattern.compile("(\\d{1,9}):(\\d{1,18})(?::(\\d{1,9}))?");

  /** The positions in a text; null if it is null or of another form. */
  static @Nullable TopicPositions parse(@Nullable String text) {
    Matcher parts = TEXT.matcher(text == null ? "" : text);
    if (!parts.matches()) {
      return null;
    }
    TreeMap<Integer, OffsetAndMetadata> offsets = new TreeMap<>();
    for (String each : parts.group(2).split(",", -1)) {
      Matcher part = PART.matcher(each);
      if (!part.matches()) {
        return null;
      }
      offsets.put(
          Integer.valueOf(part.group(1)),
          new OffsetAndMetadata(
              Long.parseLong(part.group(2)),
              Optional.ofNullable(part.group(3)).map(Integer::valueOf),
              ""));
    }
    return new TopicPositions(parts.group(1), offsets);
  }

  /** Whether each is still between the first and the next record of its partition. */
  boolean areWithin(Map<Integer, Long> first, Map<Integer, OffsetAndMetadata> last) {
    return offsets.entrySet().stream()
        .allMatch(
            entry -> {
              Long from = first.get(entry.getKey());
              OffsetAndMetadata to = last.get(entry.getKey());
              return from != null
                  && to != null
                  && from <= entry.getValue().offset()
                  && entry.getValue().offset() <= to.offset();
            });
  }

  String text() {
    return topic
        + "/"
        + offsets.entrySet().stream()
            .map(
                each ->
                    each.getKey()
                        + ":"
                        + each.getValue().offset()
                        + each.getValue().leaderEpoch().map(epoch -> ":" + epoch).orElse(""))
            .collect(Collectors.joining(","));
  }
}
