package io.bloomguard.changes.internal.database;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Debezium's engine, for one reading of a log. It reads on threads of its own until it fails. */
final class LogEngine implements AutoCloseable {

  /** The time for its end. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final Logger log = LoggerFactory.getLogger(LogEngine.class);

  private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
  private final Thread thread;
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /**
   * Starts an engine.
   *
   * @param take takes each batch; whether its position may be told to the database
   */
  LogEngine(String name, Properties settings, Predicate<List<SourceRecord>> take) {
    engine =
        DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
            .using(settings)
            .using(LogEngine.class.getClassLoader())
            .using(
                new DebeziumEngine.ConnectorCallback() {
                  @Override
                  public void pollingStarted() {
                    begun.countDown();
                  }
                })
            .using(
                (success, message, error) -> {
                  failure.set(error);
                  ended.countDown();
                  begun.countDown();
                })
            .notifying(new Batches(take))
            .build();
    thread = new Thread(engine, "bloomguard-log-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether the engine reads by the end of a wait. It gives up by itself if it cannot begin. */
  boolean hasBegunWithin(Duration time) throws Exception {
    boolean reads = begun.await(time.toNanos(), TimeUnit.NANOSECONDS);
    requireRunning();
    return reads;
  }

  /**
   * Throws what ended the engine, if it has ended.
   *
   * @throws Exception that of a batch, or of the database
   */
  void requireRunning() throws Exception {
    if (ended.getCount() > 0) {
      return;
    }
    for (Throwable cause = failure.get(); cause != null; cause = cause.getCause()) {
      if (cause instanceof RuntimeException ours
          && cause.getClass().getName().startsWith("io.bloomguard.")) {
        throw ours;
      }
    }
    throw new IllegalStateException("The engine has ended", failure.get());
  }

  /** Waits until it has ended, unless that takes too long. */
  @Override
  public void close() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try {
      // An engine that is about to start refuses to end.
      while (ended.getCount() > 0 && !isAskedToEnd() && System.nanoTime() - deadline < 0) {
        ended.await(50, TimeUnit.MILLISECONDS);
      }
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isAskedToEnd() {
    try {
      engine.close();
      return true;
    } catch (IOException | IllegalStateException e) {
      log.debug("The engine does not end yet", e);
      return false;
    }
  }

  /** Passes each batch, and then tells the engine how far it has come. */
  private record Batches(Predicate<List<SourceRecord>> take)
      implements DebeziumEngine.ChangeConsumer<RecordChangeEvent<SourceRecord>> {

    @Override
    public void handleBatch(
        List<RecordChangeEvent<SourceRecord>> batch,
        RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
        throws InterruptedException {
      if (!take.test(batch.stream().map(RecordChangeEvent::record).toList())) {
        return;
      }
      for (RecordChangeEvent<SourceRecord> event : batch) {
        committer.markProcessed(event);
      }
      committer.markBatchFinished();
    }
  }
}
