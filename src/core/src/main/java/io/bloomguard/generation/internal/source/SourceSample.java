package io.bloomguard.generation.internal.source;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.FilterSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The first keys of a source, by which a store examines what it restored. */
public final class SourceSample {

  /** The most keys that are read; {@link #MOST_TIME} is the most time that it may take. */
  static final int MOST_KEYS = 1_000;

  private static final Duration MOST_TIME = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(SourceSample.class);

  private final FilterSettings settings;
  private final GenerationStore store;
  private final KeySource source;
  private final SourceThreads threads;

  public SourceSample(
      FilterSettings settings, GenerationStore store, KeySource source, SourceThreads threads) {
    this.settings = settings;
    this.store = store;
    this.source = source;
    this.threads = threads;
  }

  /** Offers the keys to the store, which may need none. Throws only if it is interrupted. */
  public void offer() throws InterruptedException {
    try {
      store.examine(this::read);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      log.warn(
          "Filter '{}': its snapshot could not be proved by its source: {}",
          settings.name(),
          e.getMessage());
    }
  }

  private List<String> read() throws Exception {
    SourceReading reading =
        new SourceReading(settings.name(), settings.sourceRules().stall(), threads);
    Sample sample = new Sample(settings.keyRules(), reading);
    reading.read(() -> sample.read(source), sample::size, () -> false, MOST_TIME);
    return sample.keys;
  }

  /** The sink for the first keys. Used by one thread, except for its size. */
  private static final class Sample extends CanonicalSink {

    private final List<String> keys = new ArrayList<>();
    private volatile int size;

    Sample(KeyRules rules, SourceReading reading) {
      super(rules, reading);
    }

    void read(KeySource source) throws Exception {
      try {
        source.forEach(this);
      } catch (Exception e) {
        // A source may wrap the exception.
        if (size < MOST_KEYS) {
          throw e;
        }
      }
    }

    int size() {
      return size;
    }

    @Override
    void take(String key) {
      if (size >= MOST_KEYS || reading.isEnded()) {
        throw new EnoughException();
      }
      if (rules.accepts(key)) {
        keys.add(key);
        size = keys.size();
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
