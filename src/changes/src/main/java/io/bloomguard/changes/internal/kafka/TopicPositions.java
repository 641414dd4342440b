package io.bloomguard.changes.internal.kafka;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of the next records of a topic, by partition; as text {@code
 * dWJ8Zr1tQ2-pTtNBHkYh3w/0:123,1:45}.
 *
 * @param topic the identity of the topic, without which an offset says nothing
 * @param offsets the offsets by partition, in the order of the partitions
 */
record TopicPositions(String topic, TreeMap<Integer, Long> offsets) {

  private static final Pattern TEXT = Pattern.compile("([\\w-]{22})/(.*)");

  /** The positions in a text; null if it is null or of another form. */
  static @Nullable TopicPositions parse(@Nullable String text) {
    Matcher parts = TEXT.matcher(text == null ? "" : text);
    if (!parts.matches()) {
      return null;
    }
    TreeMap<Integer, Long> offsets = new TreeMap<>();
    try {
      for (String part : parts.group(2).split(",", -1)) {
        int colon = part.indexOf(':');
        offsets.put(
            Integer.valueOf(part.substring(0, Math.max(0, colon))),
            Long.valueOf(part.substring(colon + 1)));
      }
    } catch (NumberFormatException e) {
      return null;
    }
    return new TopicPositions(parts.group(1), offsets);
  }

  /** Whether each is still between the first and the next record of its partition. */
  boolean areWithin(Map<Integer, Long> first, Map<Integer, Long> last) {
    return offsets.entrySet().stream()
        .allMatch(
            entry -> {
              Long from = first.get(entry.getKey());
              Long to = last.get(entry.getKey());
              return from != null
                  && to != null
                  && from <= entry.getValue()
                  && entry.getValue() <= to;
            });
  }

  String text() {
    StringBuilder text = new StringBuilder();
    offsets.forEach(
        (partition, offset) ->
            text.append(text.isEmpty() ? "" : ",").append(partition).append(':').append(offset));
    return topic + "/" + text;
  }
}
