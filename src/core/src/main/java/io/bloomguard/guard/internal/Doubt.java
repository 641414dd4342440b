package io.bloomguard.guard.internal;

/** Whether the absence of a key from a filter may be wrong. Called for each absence. */
public interface Doubt {

  /**
   * {@return this doubt as it is now} Taken before the filter is asked: a doubt that ends while the
   * answer is under way still holds for it.
   */
  default Doubt seen() {
    return this;
  }

  /**
   * {@return whether a key that the filter lacks may exist}
   *
   * @param key a number, or canonical text
   */
  boolean isAbout(Object key);

  /** {@return the reason, in a whole sentence without any key} */
  String reason();

  /**
   * {@return whether the value cache may keep entries of a key}
   *
   * @param key a canonical key
   */
  default boolean keepsEntries(String key) {
    return true;
  }
}
