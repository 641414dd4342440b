package io.bloomguard.generation.internal.source;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.KeySource;
import org.jspecify.annotations.Nullable;

/** The sink of a watched reading that takes each key as canonical text. */
abstract class CanonicalSink implements KeySource.KeySink {

  final KeyRules rules;
  final SourceReading reading;

  /**
   * @param reading the reading that this is the sink of
   */
  CanonicalSink(KeyRules rules, SourceReading reading) {
    this.rules = rules;
    this.reading = reading;
  }

  /**
   * Takes a key.
   *
   * @throws InvalidKeyException if it breaks the rules
   */
  abstract void take(String key);

  /** Notes a key that cannot be taken. */
  abstract void refuse(InvalidKeyException rule);

  @Override
  public final void accept(@Nullable Object key) {
    if (key == null) {
      return;
    }
    try {
      take(CanonicalKey.of(key));
    } catch (InvalidKeyException e) {
      refuse(e);
    }
  }

  @Override
  public final void accept(long key) {
    accept(Long.valueOf(key));
  }

  @Override
  public final void onCancel(@Nullable Runnable action) {
    reading.onCancel(action);
  }
}
