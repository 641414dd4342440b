package io.bloomguard.generation.internal.source;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeyLookup;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.guard.internal.verify.RowKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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

  private SourceReading reading(Duration stall) {
    return new SourceReading(settings.name(), stall, threads);
  }

  /**
   * Asks for the identity of its database; null if the source does not tell it in time. Throws only
   * if interrupted.
   */
  public @Nullable String identity() throws InterruptedException {
    AtomicReference<@Nullable String> identity = new AtomicReference<>();
    try {
      reading(LIMIT).read(() -> identity.set(source.identity()), () -> 0, () -> false, null);
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
    Sample sample = new Sample(settings.keyRules(), reading(settings.sourceRules().stall()));
    sample.reading.read(() -> sample.read(source), sample, LIMIT);
    return sample.keys;
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
    Rows rows = new Rows(settings.keyRules(), reading(LIMIT));
    try {
      rows.reading.read(() -> lookup.find(key, rows), rows, LIMIT);
      trouble.set("");
      return rows.answer();
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

  /** The rows of one lookup. */
  private static final class Rows extends CanonicalSink {

    private final Set<String> keys = new LinkedHashSet<>();
    private boolean unusable;

    Rows(KeyRules rules, SourceReading reading) {
      super(rules, reading);
    }

    @Override
    void take(String key) {
      if (keys.size() < MOST_ROWS) {
        rules.require(key);
        keys.add(rules.fold(key));
      }
    }

    @Override
    void refuse(InvalidKeyException rule) {
      unusable = true;
    }

    Answer answer() {
      Kind without = unusable ? Kind.UNUSABLE : Kind.NONE;
      return new Answer(keys.isEmpty() ? without : Kind.ROWS, List.copyOf(keys));
    }
  }

  /** The first keys that keep the rules. */
  private static final class Sample extends CanonicalSink {

    private final List<String> keys = new ArrayList<>();

    Sample(KeyRules rules, SourceReading reading) {
      super(rules, reading);
    }

    void read(KeySource source) throws Exception {
      try {
        source.forEach(this);
      } catch (Exception e) {
        // A source may wrap the exception.
        if (keys.size() < MOST_KEYS) {
          throw e;
        }
      }
    }

    @Override
    void take(String key) {
      if (keys.size() >= MOST_KEYS || reading.isEnded()) {
        throw new EnoughException();
      }
      if (rules.accepts(key)) {
        keys.add(key);
      }
    }

    @Override
    void refuse(InvalidKeyException rule) {
      // The build will report it.
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
