package io.bloomguard.generation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that build an application's filters and read their sources. */
public final class BuildThreads implements AutoCloseable {

  /** Builds at once: more would only share the same cores and the same database. */
  private static final int BUILDERS = 2;

  /** How long {@link #close} waits for a source that does not heed its end. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(BuildThreads.class);

  private final Executor builders;
  private final Executor readers;
  private final SourceThreads sources;

  /** What is ended here; empty for threads of the caller. */
  private final List<ExecutorService> pools;

  /** Pools of daemon threads. Of readers there is one at most for each filter that is read now. */
  public BuildThreads() {
    ExecutorService builders = Executors.newFixedThreadPool(BUILDERS, threads("build"));
    ExecutorService readers = Executors.newCachedThreadPool(threads("recent"));
    this.builders = builders;
    this.readers = readers;
    this.sources = new SourceThreads();
    this.pools = List.of(builders, readers);
  }

  /**
   * The threads of the caller, who ends them.
   *
   * @param builders runs the builds, which last as long as their sources are read
   * @param readers runs the readings of recent keys, which should not wait for builds
   * @param sources read the sources
   */
  public BuildThreads(Executor builders, Executor readers, SourceThreads sources) {
    this.builders = builders;
    this.readers = readers;
    this.sources = sources;
    this.pools = List.of();
  }

  private static ThreadFactory threads(String work) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, "bloomguard-" + work + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  Executor builders() {
    return builders;
  }

  Executor readers() {
    return readers;
  }

  SourceThreads sources() {
    return sources;
  }

  /** Ends the builds and readings before what they read is closed, unless one takes too long. */
  @Override
  public void close() {
    pools.forEach(ExecutorService::shutdownNow);
    try {
      for (ExecutorService pool : pools) {
        if (!pool.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
          log.warn("A build or a reading of a source still runs {} after its end", PATIENCE);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
