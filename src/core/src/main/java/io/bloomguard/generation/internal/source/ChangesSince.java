package io.bloomguard.generation.internal.source;

import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.generation.ChangeReceiver;
import io.bloomguard.generation.KeySourceException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows that came since a position in the log of a filter's feed.
 *
 * <p>They are read as any feed begins at the position that it has, but by a feed of their own,
 * beside that of the filter: what the filter answers meanwhile does not depend on it. It ends once
 * it has passed all that was committed before it began.
 */
public final class ChangesSince {

  private final Supplier<@Nullable ChangeFeed> feeds;
  private final Duration patience;
  private final Duration silence;

  /**
   * @param feeds makes a feed that reads beside that of the filter; null if its log has one reader
   * @param patience the time for which failures of a feed are waited for to end
   * @param silence the longest time in which a feed tells nothing, neither a change nor that there
   *     is none
   */
  public ChangesSince(Supplier<@Nullable ChangeFeed> feeds, Duration patience, Duration silence) {
    this.feeds = feeds;
    this.patience = patience;
    this.silence = silence;
  }

  /**
   * The reason why the log cannot be read from a position; null if it can.
   *
   * @throws KeySourceException if that cannot be found out at present
   */
  public @Nullable String refusal(String position) throws InterruptedException {
    return new Run(position, null).refusal();
  }

  /**
   * Passes the keys of all rows that came until now.
   *
   * @throws KeySourceException if they cannot be read
   */
  public void read(String position, Consumer<Object> keys) throws InterruptedException {
    String refusal = new Run(position, keys).refusal();
    if (refusal != null) {
      throw unread(refusal, null);
    }
  }

  private static KeySourceException unread(@Nullable String why, @Nullable Throwable cause) {
    return new KeySourceException(
        "The changes since the position of the image set could not be read: " + why, cause);
  }

  /** One reading; it ends with its first change if nothing takes the keys. */
  private final class Run implements ChangeReceiver, ChangeReceiver.Reading {

    private final @Nullable Consumer<Object> keys;
    private final long began = System.nanoTime();

    /** Gets the reason why the position cannot be read from; empty for none. */
    private final CompletableFuture<String> end = new CompletableFuture<>();

    private volatile String position;
    private volatile long heard = began;

    Run(String position, @Nullable Consumer<Object> keys) {
      this.position = position;
      this.keys = keys;
    }

    @Nullable String refusal() throws InterruptedException {
      try (ChangeFeed feed = feeds.get()) {
        if (feed == null) {
          return "its log has one reader";
        }
        feed.start(this);
        String refusal = awaited();
        return refusal.isEmpty() ? null : refusal;
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException told ? told : unread(e.getMessage(), e);
      }
    }

    private String awaited() throws InterruptedException, ExecutionException {
      do {
        try {
          return end.get(patienceLeft(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          // It may have told something meanwhile.
        }
      } while (patienceLeft() > 0);
      throw unread("its feed told nothing for " + silence, null);
    }

    private long patienceLeft() {
      return silence.toNanos() - (System.nanoTime() - heard);
    }

    @Override
    public Reading begin() {
      return this;
    }

    @Override
    public void failed(String why) {
      if (System.nanoTime() - heard >= patience.toNanos()) {
        end.completeExceptionally(unread(why, null));
      }
    }

    @Override
    public String position() {
      return position;
    }

    @Override
    public void beginAt(String other) {
      throw ended("its log is another one by now, or begins later");
    }

    @Override
    public void apply(List<Change> changes, String to) {
      if (keys == null || end.isDone()) {
        throw ended("");
      }
      heard = System.nanoTime();
      try {
        for (Change change : changes) {
          if (change.after() != null) {
            keys.accept(change.after());
          }
        }
      } catch (RuntimeException e) {
        // The build's own failure, after which no other reading is of use.
        end.completeExceptionally(e);
        throw e;
      }
      position = to;
      heard = System.nanoTime();
    }

    @Override
    public void complete(Duration age) {
      heard = System.nanoTime();
      if (keys == null || heard - age.toNanos() - began > 0) {
        throw ended("");
      }
    }

    private CancellationException ended(String refusal) {
      end.complete(refusal);
      return new CancellationException("The reading has ended");
    }
  }
}
