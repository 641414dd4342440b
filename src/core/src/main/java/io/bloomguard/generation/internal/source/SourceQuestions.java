package io.bloomguard.generation.internal.source;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeyLookup;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.guard.internal.verify.RowKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a filter's source is asked besides all of its keys, each on its own thread for a limited
 * time.
 */
public final class SourceQuestions implements RowKeys {

  /** The most time for an answer. */
  static final Duration LIMIT = Duration.ofSeconds(5);

  /** The most keys of a sample. */
  private static final int MOST_KEYS = 1_000;

  /** The most rows of a lookup that count. */
  private static final int MOST_ROWS = 10;

  private static final Logger log = LoggerFactory.getLogger(SourceQuestions.class);

  private final FilterSettings settings;
  private final KeySource source;
  private final SourceThreads threads;

  /** The last trouble that was logged, so that it is logged once. */
  private final AtomicReference<String> trouble = new AtomicReference<>("");

  public SourceQuestions(FilterSettings settings, KeySource source, SourceThreads threads) {
    this.settings = settings;
    this.source = source;
    this.threads = threads;
  }

  /**
   * Asks for the identity of its database; null if the source does not tell it in time. Throws only
   * if interrupted.
   */
  public @Nullable String identity() throws InterruptedException {
    AtomicReference<@Nullable String> identity = new AtomicReference<>();
    try {
      new SourceReading(settings.name(), LIMIT, threads)
          .read(() -> identity.set(source.identity()), () -> 0, () -> false, null);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      log.debug("Filter '{}': the database of its source is not known", settings.name(), e);
    }
    return identity.get();
  }

  /**
   * Offers the first keys to the store, which may need none, to examine what it restored. Throws
   * only if it is interrupted.
   */
  public void offerSample(GenerationStore store) throws InterruptedException {
    try {
      store.examine(this::sample);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      log.warn(
          "Filter '{}': its snapshot could not be proved by its source: {}",
          settings.name(),
          e.getMessage());
    }
  }

  private List<String> sample() throws Exception {
    FirstKeys first = firstKeys(MOST_KEYS, settings.sourceRules().stall());
    first.read(source, LIMIT);
    return first.keys;
  }

  private FirstKeys firstKeys(int most, Duration stall) {
    return new FirstKeys(settings, stall, threads, most);
  }

  @Override
  public boolean isKnown() {
    return lookup() != null;
  }

  private @Nullable KeyLookup lookup() {
    try {
      return source.lookup();
    } catch (RuntimeException e) {
      log.debug("Filter '{}': its source cannot be had", settings.name(), e);
      return null;
    }
  }

  @Override
  public Answer of(String key) {
    KeyLookup lookup = lookup();
    if (lookup == null) {
      return Answer.UNABLE;
    }
    FirstKeys rows = firstKeys(MOST_ROWS, LIMIT);
    try {
      rows.read(sink -> lookup.find(key, sink), LIMIT);
      trouble.set("");
      Kind without = rows.unusable ? Kind.UNUSABLE : Kind.NONE;
      List<String> keys = rows.keys.stream().map(rows.rules::fold).distinct().toList();
      return new Answer(keys.isEmpty() ? without : Kind.ROWS, keys);
    } catch (UnsupportedOperationException e) {
      warn("cannot be asked for the key of a row, so that a found row is taken for a lack", e);
      return Answer.UNABLE;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      warn("did not answer when it was asked for the key of a row: no verdict", e);
      return new Answer(Kind.FAILED, List.of());
    }
  }

  private void warn(String what, Exception e) {
    // The message of a source may quote the key.
    String why =
        e instanceof KeySourceException || e instanceof UnsupportedOperationException
            ? String.valueOf(e.getMessage())
            : e.getClass().getName();
    if (!trouble.getAndSet(why).equals(why)) {
      log.warn("Filter '{}': its source {}: {}", settings.name(), what, why);
    }
  }

  /** The first keys that keep the rules; no more are read. */
  private static final class FirstKeys extends CanonicalSink {

    private final int most;
    private final List<String> keys = new ArrayList<>();
    private boolean unusable;

    FirstKeys(FilterSettings settings, Duration stall, SourceThreads threads, int most) {
      super(settings, stall, threads);
      this.most = most;
    }

    @Override
    void read(KeySource source, @Nullable Duration atMost) throws Exception {
      super.read(sink -> readFirst(source), atMost);
    }

    private void readFirst(KeySource source) throws Exception {
      try {
        source.forEach(this);
      } catch (Exception e) {
        // A source may wrap the exception.
        if (keys.size() < most) {
          throw e;
        }
      }
    }

    @Override
    void take(String key) {
      if (keys.size() >= most || reading.isEnded()) {
        throw new EnoughException();
      }
      rules.require(key);
      keys.add(key);
    }

    /** Of all keys, the build will report it. */
    @Override
    void refuse(InvalidKeyException rule) {
      unusable = true;
    }
  }

  /** The exception that ends the reading of a source that has yielded enough keys. */
  private static final class EnoughException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EnoughException() {
      super("Enough keys were read", null, false, false);
    }
  }
}
