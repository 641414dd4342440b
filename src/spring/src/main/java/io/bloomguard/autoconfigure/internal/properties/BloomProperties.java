package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.filter.Layout;
import java.util.Locale;
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

  /** The default settings. */
  static final BloomProperties DEFAULT = new BloomProperties(KeyForm.RAW, "", false, 0);

  /** The module's own bounds. */
  private static final int MOST_EXPANSION = 32_768;

  private static final long MOST_KEYS = 1L << 30;
  private static final double MOST_ERRORS = 0.25;

  /** The content of a filter of the module. */
  public enum KeyForm {

    /** The keys themselves, in UTF-8. */
    RAW,

    /** The keyed hash of each key; refused, because the backend redis does that. */
    HASHED
  }

  /**
   * @param prefix of the filter's properties
   */
  void validate(String prefix, FilterProperties filter, Backend where) {
    if (where != Backend.REDIS_BLOOM) {
      throw new InvalidBloomguardSettingException(
          prefix + ".bloom is set, but the filter's backend is '" + where + "'",
          "Set " + prefix + ".backend to 'redis-bloom', or leave " + prefix + ".bloom out.");
    }
    if (keyForm == KeyForm.HASHED) {
      throw new InvalidBloomguardSettingException(
          prefix + ".bloom.key-form is 'hashed', which the backend 'redis-bloom' no longer has",
          "Use backend: redis, which checks faster and notices losses, and leave "
              + prefix
              + ".bloom out; or set bloom.key-form to 'raw' for a filter that other programs"
              + " share.");
    }
    requireLayout(prefix, filter);
    requireBounds(prefix, filter);
    requireShared(prefix, filter);
  }

  private static void requireLayout(String prefix, FilterProperties filter) {
    if (filter.layout() != Layout.BLOCKED && filter.layout() != Layout.CLASSIC) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".layout is '"
              + filter.layout().name().toLowerCase(Locale.ROOT)
              + "', but the backend 'redis-bloom' has the layout of its module",
          "Leave it out, or use backend 'local'.");
    }
  }

  private void requireBounds(String prefix, FilterProperties filter) {
    long expected = filter.expectedInsertionsOrDefault();
    if (expected > MOST_KEYS) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".expected-insertions is "
              + expected
              + ", but the module makes no filter for more than "
              + MOST_KEYS
              + " keys",
          "Lower it, or use the backend 'redis'.");
    }
    if (filter.falsePositiveProbability() > MOST_ERRORS) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".false-positive-probability is "
              + filter.falsePositiveProbability()
              + ", but the module makes no filter above "
              + MOST_ERRORS,
          "Lower it; 0.01 is usual.");
    }
    if (expansion < 0 || expansion > MOST_EXPANSION) {
      throw new InvalidBloomguardSettingException(
          prefix + ".bloom.expansion is " + expansion + ", but must be 0 to " + MOST_EXPANSION,
          "Set it to 0 for a filter that does not grow, or to 2.");
    }
  }

  private void requireShared(String prefix, FilterProperties filter) {
    if (key.isBlank()) {
      throw new InvalidBloomguardSettingException(
          prefix + ".bloom.key is not set, but the key form 'raw' shares a key of Redis",
          "Set it to the name of the key that the other programs use; for a filter of Bloomguard's"
              + " own use backend: redis.");
    }
    if (filter.source().isSet()) {
      throw new InvalidBloomguardSettingException(
          prefix + ".source is set, but a filter of the key form 'raw' is filled by other programs",
          "Leave it out, or use backend: redis.");
    }
    if (filter.rebuild().isAtFillSet()) {
      throw new InvalidBloomguardSettingException(
          prefix + ".rebuild.at-fill is set, but a filter of the key form 'raw' is never rebuilt",
          "Leave it out, or use backend: redis; " + prefix + ".bloom.expansion lets it grow.");
    }
    if (filter.hash() != null) {
      throw new InvalidBloomguardSettingException(
          prefix + ".hash is set, but the key form 'raw' leaves the hash to the module",
          "Leave it out, or use backend: redis.");
    }
  }
}
