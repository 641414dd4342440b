package io.bloomguard.generation.internal.source;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.KeySource;
import io.bloomguard.image.ImageSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The sink of a watched reading that takes each key as canonical text. */
abstract class CanonicalSink implements KeySource.KeySink {

  final KeyRules rules;
  final SourceReading reading;

  private final AtomicLong yielded = new AtomicLong();

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

  /** The number of keys that the source has yielded. Called by any thread. */
  final long yielded() {
    return yielded.get();
  }

  @Override
  public final void accept(@Nullable Object key) {
    if (key == null) {
      return;
    }
    yielded.lazySet(yielded.get() + 1);
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

  /** Keys alone are taken. */
  @Override
  public final void accept(ImageSet set, ImageSet.Files files) {}

  @Override
  public final void onCancel(@Nullable Runnable action) {
    reading.onCancel(action);
  }
}
