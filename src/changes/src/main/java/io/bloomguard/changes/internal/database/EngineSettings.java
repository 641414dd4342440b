package io.bloomguard.changes.internal.database;

import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The engine's settings that are the same for every database. */
final class EngineSettings {

  /** Beyond these the engine reads no further. */
  private static final int RECORDS = 8_192;

  private static final int BYTES = 64 << 20;
  private static final int BATCH = 2_048;

  private EngineSettings() {}

  static Properties of(DatabaseAddress address) {
    Properties settings = new Properties();
    // Engines of one process register their meters under these names.
    String name = "bloomguard-" + UUID.randomUUID();
    settings.setProperty("name", name);
    settings.setProperty("topic.prefix", name);
    settings.setProperty("connector.class", address.product().connector());
    // Kafka's settings need one, and nothing connects there.
    settings.setProperty("bootstrap.servers", "unused:0");
    settings.setProperty("database.hostname", address.host());
    settings.setProperty("database.port", String.valueOf(address.port()));
    settings.setProperty("database.user", address.user());
    settings.setProperty("database.password", address.password());
    address.parameters().forEach((key, value) -> settings.put("driver." + key, value));
    settings.setProperty("skipped.operations", "none");
    settings.setProperty("tombstones.on.delete", "false");
    settings.setProperty("decimal.handling.mode", "string");
    settings.setProperty("bigint.unsigned.handling.mode", "precise");
    settings.setProperty("poll.interval.ms", "10");
    settings.setProperty("max.batch.size", String.valueOf(BATCH));
    settings.setProperty("max.queue.size", String.valueOf(RECORDS));
    settings.setProperty("max.queue.size.in.bytes", String.valueOf(BYTES));
    settings.setProperty("offset.flush.interval.ms", "0");
    // The feed begins again by itself, with a look at what has become of the log.
    settings.setProperty("errors.max.retries", "0");
    // The time for its begin.
    settings.setProperty("task.management.timeout.ms", "15000");
    settings.setProperty("executor.shutdown.timeout.ms", "2000");
    return settings;
  }

  /** The expression that matches names alone, joined by points. */
  static String exactly(String... names) {
    return Stream.of(names)
        .map(name -> name.replaceAll("[^A-Za-z0-9_]", "\\\\$0"))
        .collect(Collectors.joining("\\."));
  }

  /** The expression that matches columns of a table alone. */
  static String columns(String schema, String table, List<String> columns) {
    return columns.stream()
        .map(column -> exactly(schema, table, column))
        .collect(Collectors.joining(","));
  }
}
