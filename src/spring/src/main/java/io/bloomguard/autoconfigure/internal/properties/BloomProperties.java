package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A filter of the RedisBloom module, for the backend redis-bloom. Its error rate and capacity are
 * the filter's false-positive-probability and expected-insertions.
 *
 * @param key The name of the shared Redis key, for the key form raw.
 * @param keyForm What the filter holds: hashed (the keyed hash of each key; the filter is
 *     Bloomguard's own) or raw (the keys themselves; the filter is shared with other clients of
 *     Redis).
 * @param create Whether a shared filter that is missing in Redis is made; after a loss that denies
 *     every key that it has held.
 * @param expansion How many times larger each further filter in it is once it is full, 0 to 32768;
 *     0 for a filter that does not grow and refuses adds then. For the key form raw.
 */
public record BloomProperties(
    @DefaultValue("hashed") KeyForm keyForm,
    @DefaultValue("") String key,
    @DefaultValue("false") boolean create,
    @DefaultValue("0") int expansion) {

  // The tag of key stands before that of keyForm: the annotation processor takes the first tag that
  // begins with a name for its own.

  /** The default settings. */
  static final BloomProperties DEFAULT = new BloomProperties(KeyForm.HASHED, "", false, 0);

  /** The module's own bounds. */
  private static final int MOST_EXPANSION = 32_768;

  private static final long MOST_KEYS = 1L << 30;
  private static final double MOST_ERRORS = 0.25;

  /** The content of a filter of the module. */
  public enum KeyForm {

    /** The keyed hash of each key. */
    HASHED,

    /** The keys themselves, in UTF-8. */
    RAW
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
    requireLayout(prefix, filter);
    requireBounds(prefix, filter);
    if (keyForm == KeyForm.RAW) {
      requireShared(prefix, filter);
    } else {
      requireOwn(prefix);
      requireFillWithinRoom(prefix, filter);
    }
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
    // Ours have room for a quarter more, and a few marks.
    long most = keyForm == KeyForm.RAW ? MOST_KEYS : MOST_KEYS / 5 * 4 - 16;
    long expected = filter.expectedInsertionsOrDefault();
    if (expected > most) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".expected-insertions is "
              + expected
              + ", but the module makes no filter for more than "
              + most
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
          "Set it to the name of the key that the other programs use.");
    }
    if (filter.source().isSet()) {
      throw new InvalidBloomguardSettingException(
          prefix + ".source is set, but a filter of the key form 'raw' is filled by other programs",
          "Leave it out, or use the key form 'hashed'.");
    }
    if (filter.rebuild().isAtFillSet()) {
      throw new InvalidBloomguardSettingException(
          prefix + ".rebuild.at-fill is set, but a filter of the key form 'raw' is never rebuilt",
          "Leave it out, or use the key form 'hashed'; "
              + prefix
              + ".bloom.expansion lets it grow.");
    }
    if (filter.hash() != null) {
      throw new InvalidBloomguardSettingException(
          prefix + ".hash is set, but the key form 'raw' leaves the hash to the module",
          "Leave it out, or use the key form 'hashed'.");
    }
  }

  private void requireOwn(String prefix) {
    requireRaw(prefix + ".bloom.key", !key.isBlank());
    requireRaw(prefix + ".bloom.create", create);
    requireRaw(prefix + ".bloom.expansion", expansion != 0);
  }

  /** A filter that refuses adds before it is as full as that would never be rebuilt larger. */
  private static void requireFillWithinRoom(String prefix, FilterProperties filter) {
    double most = fillOfRoom(filter);
    if (filter.rebuild().isAtFillSet() && filter.rebuild().atFill() >= most) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".rebuild.at-fill is "
              + filter.rebuild().atFill()
              + ", but a filter of the backend 'redis-bloom' refuses adds past a fill of "
              + BigDecimal.valueOf(most).setScale(2, RoundingMode.DOWN)
              + ", a quarter more keys than expected-insertions",
          "Leave it out for 0.5, which is about expected-insertions keys, or lower it.");
    }
  }

  private static double fillOfRoom(FilterProperties filter) {
    long expected = filter.expectedInsertionsOrDefault();
    FilterShape shape =
        Sizing.shape(Layout.CLASSIC, expected, filter.falsePositiveProbability(), 0);
    return shape.fillRatioAt(expected + expected / 4);
  }

  private static void requireRaw(String property, boolean set) {
    if (set) {
      throw new InvalidBloomguardSettingException(
          property
              + " is set, but a filter of the key form 'hashed' has keys of its own in Redis and grows"
              + " by a rebuild",
          "Leave it out, or set bloom.key-form to 'raw' for a filter that other programs share.");
    }
  }
}
