package io.bloomguard.autoconfigure.internal.properties;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A filter of the RedisBloom module, for the backend redis-bloom. Its error rate and capacity are
 * the filter's false-positive-probability and expected-insertions.
 *
 * @param key The name of the shared Redis key.
 * @param keyForm What the filter holds: raw, the keys themselves, as other clients of Redis that
 *     share it have them.
 * @param create Whether a shared filter that is missing in Redis is made; after a loss that denies
 *     every key that it has held.
 * @param expansion How many times larger each further filter in it is once it is full, 0 to 32768;
 *     0 for a filter that does not grow and refuses adds then.
 */
public record BloomProperties(
    @DefaultValue("raw") KeyForm keyForm,
    @DefaultValue("") String key,
    @DefaultValue("false") boolean create,
    @DefaultValue("0") int expansion) {

  // The tag of key stands before that of keyForm: the annotation processor takes the first tag that
  // begins with a name for its own.

  /** The content of a filter of the module. */
  public enum KeyForm {

    /** The keys themselves, in UTF-8. */
    RAW,

    /** The keyed hash of each key; refused, because the backend redis does that. */
    HASHED
  }
}
