package io.bloomguard.changes.internal.kafka;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a feed reads.
 *
 * @param filter the filter's name
 * @param topic the topic of the changes
 * @param heartbeats a topic in which the connector writes regularly; null for none
 * @param group the consumer group of the processes that share the filter, of which one reads; null
 *     if each process reads
 */
public record FeedTopics(
    String filter, String topic, @Nullable String heartbeats, @Nullable String group) {

  List<String> all() {
    return heartbeats == null ? List.of(topic) : List.of(topic, heartbeats);
  }
}
