package io.bloomguard.generation.internal.build;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.source.SourceReading;
import io.bloomguard.image.ImageSet;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The sink of one build: checks each key, passes keys on in batches, and can be cancelled.
 *
 * <p>Keys that break the rules are skipped, because no caller can ask for them; {@link #finish}
 * fails if there are too many.
 */
final class BuildSink implements KeySource.KeySink {

  private static final int BATCH = 1024;

  private final GenerationStore.Build build;
  private final SetLoad load;
  private final KeyRules rules;
  private final FirstBatch first;
  private final SourceReading reading;
  private final Runnable onBatch;
  private final String[] texts = new String[BATCH];
  private final long[] numbers = new long[BATCH];
  private final AtomicLong scanned = new AtomicLong();
  private int textCount;
  private int numberCount;
  private long keys;
  private final AtomicLong nulls = new AtomicLong();
  private long refused;
  private @Nullable InvalidKeyException firstRefusal;
  private @Nullable RuntimeException failure;
  private boolean storeFailed;
  private boolean looked;
  private volatile boolean cancelled;

  /**
   * A sink that calls {@code onBatch} after each batch that it has passed on.
   *
   * @param load loads an image set
   * @param first judges the first batch
   * @param reading the reading that this is the sink of
   */
  BuildSink(
      GenerationStore.Build build,
      SetLoad load,
      KeyRules rules,
      FirstBatch first,
      SourceReading reading,
      Runnable onBatch) {
    this.build = build;
    this.load = load;
    this.rules = rules;
    this.first = first;
    this.reading = reading;
    this.onBatch = onBatch;
  }

  @Override
  public void accept(@Nullable Object key) {
    if (key instanceof String text) {
      take(text);
      return;
    }
    if (key == null) {
      stopIfAsked();
      nulls.lazySet(nulls.get() + 1);
      return;
    }
    String canonical;
    try {
      canonical = CanonicalKey.of(key);
    } catch (InvalidKeyException e) {
      stopIfAsked();
      refuse(e);
      return;
    }
    take(canonical);
  }

  @Override
  public void accept(long key) {
    if (!rules.acceptsEveryNumber()) {
      take(Long.toString(key));
      return;
    }
    stopIfAsked();
    scanned.lazySet(++keys);
    numbers[numberCount++] = key;
    if (numberCount == BATCH) {
      flush();
    }
  }

  @Override
  public void accept(ImageSet set, ImageSet.Files files) throws IOException {
    long ofSlice = set.keys() / set.slices().size();
    load.load(
        set,
        name -> {
          stopIfAsked();
          scanned.lazySet(scanned.get() + ofSlice);
          onBatch.run();
          return files.open(name);
        });
    keys = set.keys();
    refused = set.unusable();
    scanned.lazySet(keys);
  }

  private void take(String key) {
    stopIfAsked();
    if (!rules.accepts(key)) {
      refuse(key);
      return;
    }
    scanned.lazySet(++keys);
    texts[textCount++] = key;
    if (textCount == BATCH) {
      flush();
    }
  }

  private void refuse(String key) {
    try {
      rules.require(key);
    } catch (InvalidKeyException e) {
      refuse(e);
    }
  }

  private void refuse(InvalidKeyException rule) {
    scanned.lazySet(++keys);
    refused++;
    if (firstRefusal == null) {
      firstRefusal = rule;
    }
  }

  /**
   * Rethrows an exception that a source should not have caught, so that half a source is not
   * published.
   */
  private void stopIfAsked() {
    if (failure != null) {
      throw failure;
    }
    if (reading.isEnded()) {
      throw new CancellationException("The reading has ended");
    }
    if (cancelled || Thread.currentThread().isInterrupted()) {
      cancelled = true;
      throw new CancellationException("The build was cancelled");
    }
  }

  private void flush() {
    look();
    try {
      if (textCount > 0) {
        build.addAll(texts, textCount);
      }
      if (numberCount > 0) {
        build.addAll(numbers, numberCount);
      }
    } catch (RuntimeException e) {
      failure = e;
      storeFailed = true;
      throw e;
    }
    textCount = 0;
    numberCount = 0;
    onBatch.run();
  }

  /**
   * The texts of this batch in the form that the filter compares: in lower case if the filter
   * ignores case.
   */
  private String[] compared() {
    KeyFolding folding = rules.folding();
    if (folding.isExact()) {
      return texts;
    }
    boolean anyCase = folding.letterCase() != KeyFolding.LetterCase.EXACT;
    String[] compared = new String[textCount];
    for (int i = 0; i < textCount; i++) {
      String folded = rules.fold(texts[i]);
      compared[i] = anyCase ? folded.toLowerCase(Locale.ROOT) : folded;
    }
    return compared;
  }

  private void look() {
    if (looked) {
      return;
    }
    looked = true;
    String problem = first.problem(numberCount, compared(), textCount);
    if (problem != null) {
      failure = new KeySourceException(problem, null);
      throw failure;
    }
  }

  /**
   * Passes on the remaining keys.
   *
   * @param source the share of keys that may be unusable
   * @throws KeySourceException if more keys broke a rule, with their number and the first one's
   *     rule
   * @throws CancellationException if the build was cancelled
   */
  void finish(SourceRules source) {
    stopIfAsked();
    if (!source.allowsUnusable(refused, keys)) {
      throw new KeySourceException(
          refusal() + "; warm-up.max-unusable allows a share of " + source.maxUnusable(), null);
    }
    if (textCount + numberCount > 0) {
      flush();
    }
  }

  /** The number of keys that broke a rule, and were skipped. */
  long refused() {
    return refused;
  }

  /** The number of keys that broke a rule, with the first one's rule. */
  String refusal() {
    return refused
        + " of "
        + keys
        + " keys are refused, the first one thus: "
        + (firstRefusal == null ? "" : firstRefusal.getMessage());
  }

  /** Stops the source at its next key. Called by any thread. */
  void cancel() {
    cancelled = true;
  }

  /** Whether {@link #cancel} or an interrupt stopped it. */
  boolean cancelled() {
    return cancelled;
  }

  /** Whether the store stopped it, not the source. */
  boolean storeFailed() {
    return storeFailed;
  }

  /** The number of keys so far, refused ones included, without nulls. Called by any thread. */
  long scanned() {
    return scanned.get();
  }

  /** The number of nulls so far. Called by any thread. */
  long nulls() {
    return nulls.get();
  }

  @Override
  public void onCancel(@Nullable Runnable action) {
    reading.onCancel(action);
  }

  /** Loads an image set into the build. */
  interface SetLoad {
    void load(ImageSet set, ImageSet.Files files) throws IOException;
  }

  /** Judges the first keys of a source. */
  interface FirstBatch {

    /**
     * The reason why the source cannot be right, without any key; null for none.
     *
     * @param numbers the number of keys that the source yielded as numbers
     * @param texts the others, of which {@code texts[0..count)} count
     */
    @Nullable String problem(int numbers, String[] texts, int count);
  }
}
