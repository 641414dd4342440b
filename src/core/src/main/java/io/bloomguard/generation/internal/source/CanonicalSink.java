package io.bloomguard.generation.internal.source;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.image.ImageSet;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The sink of a watched reading that takes each key as canonical text. */
abstract class CanonicalSink implements KeySource.KeySink {

  final KeyRules rules;
  final SourceReading reading;

  private final AtomicLong yielded = new AtomicLong();

  /**
   * @param stall the longest time for which the reading may yield nothing
   */
  CanonicalSink(FilterSettings settings, Duration stall, SourceThreads threads) {
    this.rules = settings.keyRules();
    this.reading = new SourceReading(settings.name(), stall, threads);
  }

  /**
   * Reads to the end, as nothing but time and an interrupt can end it.
   *
   * @param atMost as {@link SourceReading#read} takes it
   */
  void read(KeySource source, @Nullable Duration atMost) throws Exception {
    reading.read(() -> source.forEach(this), yielded::get, () -> false, atMost);
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
