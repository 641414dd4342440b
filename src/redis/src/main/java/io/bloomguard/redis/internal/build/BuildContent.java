package io.bloomguard.redis.internal.build;

/** The keys of a source on their way into the images of a build. */
interface BuildContent extends AutoCloseable {

  /** Adds {@code keys[0..count)}; the array may be reused at once. Called by one thread. */
  void addAll(String[] keys, int count);

  /** Adds numbers by their decimal form. */
  void addAll(long[] keys, int count);

  /** Waits until every key is added. */
  void finish();

  /** Loads a partition's keys and the adds in its journal into its image. */
  void load(int partition);

  @Override
  void close();
}
