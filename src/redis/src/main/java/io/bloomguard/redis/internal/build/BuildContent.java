package io.bloomguard.redis.internal.build;

/** The keys of a generation being built, on their way into the images of its partitions. */
interface BuildContent extends AutoCloseable {

  /** Adds canonical keys. */
  void addAll(String[] keys, int count);

  /** Adds numbers in their decimal form. */
  void addAll(long[] keys, int count);

  /** Notes that all keys were added. */
  default void finish() {}

  /** Completes the image of a partition: then it has all keys, and the adds of the journal. */
  void complete(ImageLoad part);

  @Override
  default void close() {}
}
