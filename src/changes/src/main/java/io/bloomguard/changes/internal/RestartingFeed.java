package io.bloomguard.changes.internal;

import io.bloomguard.changes.internal.record.UnreadableRecordException;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.generation.ChangeReceiver;
import io.bloomguard.generation.FeedTakenException;
import io.bloomguard.guard.Transactions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A feed that one thread reads. A failure ends the reading, and the feed begins again after a
 * pause, at the position that the filter has. A record in an unknown form ends it.
 */
public abstract class RestartingFeed implements ChangeFeed {

  /** The pause before the feed begins again. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** The time that the end waits for the thread. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(RestartingFeed.class);

  private final String filter;
  private final String place;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable Thread thread;
  private volatile Supplier<Transactions.Id> transactions = () -> Transactions.Id.UNKNOWN;

  /**
   * A feed that does nothing until it is started.
   *
   * @param filter the filter's name
   * @param place where its records are, for messages, such as {@code topic 'products'}
   */
  protected RestartingFeed(String filter, String place) {
    this.filter = filter;
    this.place = place;
  }

  /**
   * Has the feed know the application's own transactions.
   *
   * @param own asks for that of the calling thread
   */
  public final void know(Supplier<Transactions.Id> own) {
    transactions = own;
  }

  /**
   * Reads until the feed is closed, or a failure.
   *
   * @throws Exception the failure
   */
  protected abstract void read(ChangeReceiver receiver) throws Exception;

  /** Ends a wait of {@link #read}. Called once the feed is closed. */
  protected void wake() {}

  /** Whether the message of a failure tells of no row. */
  protected boolean isTellable(Throwable failure) {
    return failure.getClass().getName().startsWith("io.bloomguard.");
  }

  @Override
  public final void start(ChangeReceiver receiver) {
    Thread reader = new Thread(() -> run(receiver), "bloomguard-changes-" + filter);
    reader.setDaemon(true);
    thread = reader;
    reader.start();
  }

  @Override
  public final Transactions.Id transaction() {
    return transactions.get();
  }

  private void run(ChangeReceiver receiver) {
    do {
      try {
        read(receiver);
      } catch (UnreadableRecordException e) {
        receiver.failed(
            "The feed has stopped at a record of "
                + place
                + ". "
                + e.getMessage()
                + ". Correct source.changes.format, .table or .key, or skip the record, and"
                + " restart");
        return;
      } catch (FeedTakenException e) {
        log.debug("Filter '{}': its feed was taken over", filter, e);
      } catch (Throwable e) {
        // An error too: nothing else begins the reading again.
        if (!isClosed()) {
          receiver.failed(describe(e));
        }
      }
    } while (!isClosedWithin(PAUSE));
  }

  /** Without the message of a foreign exception, which may quote a record. */
  private String describe(Throwable e) {
    Throwable cause = e;
    // The innermost: Kafka wraps what the filter throws as it assigns partitions.
    for (Throwable each = e; each != null; each = each.getCause()) {
      cause = isTellable(each) || !isTellable(cause) ? each : cause;
    }
    log.debug("Filter '{}': its feed failed", filter, e);
    String kind = cause.getClass().getName();
    return place
        + " could not be read or applied ("
        + (isTellable(cause) ? kind + ": " + cause.getMessage() : kind)
        + ")";
  }

  /** {@return whether the feed is closed} */
  protected final boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** {@return whether the feed is closed by the end of a wait} */
  protected final boolean isClosedWithin(Duration time) {
    try {
      return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  @Override
  public final void close() {
    closed.countDown();
    wake();
    Thread reader = thread;
    if (reader == null) {
      return;
    }
    try {
      reader.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
