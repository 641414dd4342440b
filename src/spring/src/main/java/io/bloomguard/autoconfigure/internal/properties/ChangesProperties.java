package io.bloomguard.autoconfigure.internal.properties;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A feed of the changes that any program commits to the rows of a filter.
 *
 * @param from Where it is read: kafka, database, or the name of a FeedBackend bean.
 * @param topic The topic with the changes of the table, for kafka.
 * @param table The table whose changes count, such as products or public.products; for kafka where
 *     the topic has those of several, empty for all.
 * @param key The columns of the key, in their order: those that the filter's source yields.
 * @param format The form of the records of the topic.
 * @param heartbeatTopic A topic in which the connector writes every second or so, such as that of
 *     Debezium's heartbeats, by which one that stands still is noticed; empty for none.
 * @param slot The replication slot in PostgreSQL, and the name by which one of several processes
 *     reads, for database; empty for one made of bloomguard.redis.key-prefix and the filter's name.
 * @param publication The publication in PostgreSQL, for database; empty for one of the same name,
 *     which is made if it is missing.
 * @param username The user who reads the log, for database; empty for that of the data source.
 * @param password The password of that user.
 * @param maxLag The age of the feed beyond which the filter is in doubt, 3s or more.
 * @param onLag What becomes then of the keys that the filter lacks.
 */
public record ChangesProperties(
    String from,
    @DefaultValue("") String topic,
    @DefaultValue("") String table,
    @DefaultValue List<String> key,
    @DefaultValue("auto") Format format,
    @DefaultValue("") String heartbeatTopic,
    @DefaultValue("") String slot,
    @DefaultValue("") String publication,
    @DefaultValue("") String username,
    @DefaultValue("") String password,
    @DefaultValue("5s") Duration maxLag,
    @DefaultValue("unknown") OnLag onLag) {

  /** The value of {@code from} for Kafka. */
  public static final String KAFKA = "kafka";

  /** The value of {@code from} for the log of the application's database. */
  public static final String DATABASE = "database";

  /** What becomes of a key that the filter lacks while its feed of changes is behind. */
  public enum OnLag {
    /** It may have a row. */
    UNKNOWN,
    /** It is absent, as if the feed were complete. */
    ABSENT
  }

  /** The form of the records of a topic. */
  public enum Format {
    /** Each record shows it. */
    AUTO,
    /** Debezium's envelope, with its schema or without. */
    DEBEZIUM,
    /** Rows alone, as Debezium's ExtractNewRecordState leaves them. */
    ROW,
    /** Canal's flat messages. */
    CANAL,
    /** Maxwell's messages. */
    MAXWELL
  }

  /** Whether it names no columns of the key. */
  public boolean keyless() {
    return key.isEmpty() || key.stream().anyMatch(String::isBlank);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "ChangesProperties[from=" + from + ", topic=" + topic + ", table=" + table + "]";
  }
}
