package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/**
 * A place from which feeds of changes come, such as Kafka. Each bean of this type is one, and a
 * filter that has its name as its {@code source.changes.from} reads its changes there.
 */
public interface FeedBackend {

  /** {@return the value of the property that chooses it, such as {@code kafka}} */
  String name();

  /**
   * {@return the feed of one filter} Called once for each, as the application starts. A
   * RuntimeException stops the start.
   *
   * @param filter the filter's name
   * @param shared whether one process reads for all that share the filter; otherwise each process
   *     reads every change
   */
  ChangeFeed feed(String filter, boolean shared);

  /**
   * {@return a feed that reads beside that of the filter, for an image set that names a position}
   * Called once for each reading. Null where the log has one reader.
   *
   * @param filter the filter's name
   */
  default @Nullable ChangeFeed feedBeside(String filter) {
    return null;
  }
}
