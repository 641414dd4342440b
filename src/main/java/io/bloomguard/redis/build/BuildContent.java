package io.bloomguard.redis.build;

/** The keys of a source on their way into the images of a build. */
interface BuildContent extends AutoCloseable {

  /** Takes {@code keys[0..count)}; the array may be used again at once. Called by one thread. */
  void addAll(String[] keys, int count);

  /** The same for numbers in their decimal form. */
  void addAll(long[] keys, int count);

  /** Waits until every key is taken. */
  void finish();

  /** Brings a partition's keys and the adds in its journal into its image. */
  void load(int partition);

  @Override
  void close();
}
