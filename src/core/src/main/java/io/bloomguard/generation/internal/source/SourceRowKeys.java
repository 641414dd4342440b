package io.bloomguard.generation.internal.source;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.KeyLookup;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.guard.internal.verify.RowKeys;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lookups of a filter's source, each on its own thread and for a limited time. */
public final class SourceRowKeys implements RowKeys {

  private static final Logger log = LoggerFactory.getLogger(SourceRowKeys.class);

  /** The longest lookup. */
  static final Duration LIMIT = Duration.ofSeconds(5);

  /** The most rows of a lookup that count. */
  private static final int MOST_ROWS = 10;

  private final FilterSettings settings;
  private final KeySource source;
  private final SourceThreads threads;

  /** The last trouble that was logged, so that it is logged once. */
  private final AtomicReference<String> trouble = new AtomicReference<>("");

  public SourceRowKeys(FilterSettings settings, KeySource source, SourceThreads threads) {
    this.settings = settings;
    this.source = source;
    this.threads = threads;
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
    SourceReading reading = new SourceReading(settings.name(), LIMIT, threads);
    Rows rows = new Rows(settings.keyRules(), reading);
    try {
      reading.read(
          () -> lookup.find(key, rows),
          () -> 0,
          () -> Thread.currentThread().isInterrupted(),
          LIMIT);
      Answer answer = rows.answer();
      trouble.set("");
      return answer;
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
}
