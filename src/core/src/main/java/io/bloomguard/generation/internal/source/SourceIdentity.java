package io.bloomguard.generation.internal.source;

import io.bloomguard.generation.KeySource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The identity of the database that a source reads. */
public final class SourceIdentity {

  private static final Duration MOST_TIME = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(SourceIdentity.class);

  private final String filter;
  private final KeySource source;
  private final SourceThreads threads;

  public SourceIdentity(String filter, KeySource source, SourceThreads threads) {
    this.filter = filter;
    this.source = source;
    this.threads = threads;
  }

  /** Asks for it; null if the source does not tell it in time. Throws only if interrupted. */
  public @Nullable String read() throws InterruptedException {
    AtomicReference<@Nullable String> identity = new AtomicReference<>();
    try {
      new SourceReading(filter, MOST_TIME, threads)
          .read(() -> identity.set(source.identity()), () -> 0, () -> false, null);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      log.debug("Filter '{}': the database of its source is not known", filter, e);
    }
    return identity.get();
  }
}
