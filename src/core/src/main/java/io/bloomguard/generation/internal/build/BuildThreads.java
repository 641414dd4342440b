package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.internal.source.SourceThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that build an application's filters and read their sources. */
public final class BuildThreads implements AutoCloseable {

  /** The number of builds at once: more would only share the same cores and the same database. */
  private static final int BUILDERS = 2;

  /** The threads that wait for a source's answer about one row, and the questions that wait. */
  private static final int QUESTIONERS = 2;

  private static final int MOST_QUESTIONS = 1_000;

  private static final long IDLE_SECONDS = 10;

  /** The time that {@link #close} waits for a source that does not react to its end. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(BuildThreads.class);

  private final Executor builders;
  private final Executor readers;
  private final Executor questions;
  private final SourceThreads sources;

  /** The pools that are ended here; empty for threads of the caller. */
  private final List<ExecutorService> pools;

  /** Creates pools of daemon threads. Each filter has at most one reader at a time. */
  public BuildThreads() {
    ExecutorService builders = Executors.newFixedThreadPool(BUILDERS, threads("build"));
    ExecutorService readers = Executors.newCachedThreadPool(threads("recent"));
    ThreadPoolExecutor questions =
        new ThreadPoolExecutor(
            QUESTIONERS,
            QUESTIONERS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_QUESTIONS),
            threads("verdict"));
    questions.allowCoreThreadTimeOut(true);
    this.builders = builders;
    this.readers = readers;
    this.questions = questions;
    this.sources = new SourceThreads();
    this.pools = List.of(builders, readers, questions);
  }

  /**
   * Takes threads of the caller, which ends them.
   *
   * @param builders runs the builds, each for as long as its source is read
   * @param readers runs the readings of recent keys, which should not wait for builds
   * @param sources the threads that read the sources
   */
  public BuildThreads(Executor builders, Executor readers, SourceThreads sources) {
    this.builders = builders;
    this.readers = readers;
    this.questions = readers;
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

  /**
   * {@return the threads that ask sources about single rows} A question for which there is no room
   * is refused.
   */
  public Executor questions() {
    return questions;
  }

  SourceThreads sources() {
    return sources;
  }

  /** Ends the builds and readings before their sources are closed, unless one takes too long. */
  @Override
  public void close() {
    pools.forEach(ExecutorService::shutdownNow);
    try {
      for (ExecutorService pool : pools) {
        if (!pool.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
          log.warn(
              "A build or a reading of a source still runs {} after it was cancelled", PATIENCE);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
