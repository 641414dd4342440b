package io.bloomguard.redis.internal.partition;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.image.ImageRead;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Batches the single checks of one partition. Checks that arrive while a command is under way share
 * the next one, and so the cost of a round trip and of both ends of the image.
 *
 * <p>A caller queues its check. If no command is under way, the caller, or the thread that brought
 * the last answer, sends the queue as one command. So a lone caller's check leaves at once, and the
 * queue is first come first served. No check joins a command that was sent before: a check sees
 * every add that ended before it began. If an answer is late, the next command does not wait for
 * it. No thread holds a lock. A caller waits for its answer, or leaves a future: both kinds of
 * checks share commands.
 */
final class CheckBatcher {

  /** The most checks in one command, so that none blocks Redis for long. */
  private static final int MOST_TOGETHER = 128;

  /** The most waiting checks; any further one is UNKNOWN, for Redis is far behind. */
  private static final int MOST_WAITING = 4096;

  private static final CompletableFuture<Membership> UNKNOWN =
      CompletableFuture.completedFuture(Membership.UNKNOWN);

  private final PartitionHead head;
  private final RedisLink link;
  private final Runnable onOlder;
  private final int mostWaiting;

  /**
   * The longest wait for the command before; a check keeps most of its time for its own command.
   */
  private final long patienceNanos;

  private final ConcurrentLinkedQueue<PendingCheck> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicReference<@Nullable Batch> latest = new AtomicReference<>();

  /** Whether a timer will send the queue if no answer and no caller has by then. */
  private final AtomicBoolean timed = new AtomicBoolean();

  /**
   * Creates a batcher with no command under way.
   *
   * @param onOlder called if an image is older than it was before
   */
  CheckBatcher(PartitionHead head, RedisLink link, Runnable onOlder) {
    this(head, link, onOlder, MOST_WAITING);
  }

  CheckBatcher(PartitionHead head, RedisLink link, Runnable onOlder, int mostWaiting) {
    this.onOlder = onOlder;
    this.mostWaiting = mostWaiting;
    this.head = head;
    this.link = link;
    this.patienceNanos = link.timeout().toNanos() / 4;
  }

  /**
   * Checks a hash in the serving image. If the known image no longer serves, reads the head again
   * and sends the check once more; a hash still in doubt then is UNKNOWN. Never throws.
   */
  Membership check(long hash) {
    if (!link.breaker().allows()) {
      return Membership.UNKNOWN;
    }
    PendingCheck pending = new PendingCheck(hash, deadline(), Thread.currentThread());
    Batch batch = ask(pending);
    return batch != null && batch.isDoubtful() ? checkAgain(hash, batch) : answer(pending, batch);
  }

  /**
   * Checks a hash for a caller whose thread must not wait: the answer comes at once or on any
   * thread. Never fails.
   *
   * @param waiter runs the second check, which waits
   */
  CompletableFuture<Membership> checkAsync(long hash, Executor waiter) {
    if (!link.breaker().allows()) {
      return UNKNOWN;
    }
    PendingCheck pending = new PendingCheck(hash, deadline(), null);
    if (!enter(pending)) {
      return UNKNOWN;
    }
    depart();
    if (!pending.answer.isDone()) {
      pending.answer.orTimeout(link.timeout().toNanos(), TimeUnit.NANOSECONDS);
      departWhenLate();
    }
    return pending
        .answer
        .<@Nullable Batch>handle(
            (batch, late) -> {
              if (late != null) {
                pending.leave();
                link.unanswered();
              }
              return batch;
            })
        .thenCompose(
            batch ->
                batch != null && batch.isDoubtful()
                    ? CompletableFuture.supplyAsync(() -> checkAgain(hash, batch), waiter)
                    : CompletableFuture.completedFuture(answer(pending, batch)));
  }

  private long deadline() {
    return System.nanoTime() + link.timeout().toNanos();
  }

  @SuppressWarnings("ReferenceEquality") // the same object: nothing new was read
  private Membership checkAgain(long hash, Batch doubtful) {
    if (head.refreshed(doubtful.head) == doubtful.head) {
      return Membership.UNKNOWN;
    }
    PendingCheck pending = new PendingCheck(hash, deadline(), Thread.currentThread());
    return answer(pending, ask(pending));
  }

  private static Membership answer(PendingCheck pending, @Nullable Batch batch) {
    return batch == null ? Membership.UNKNOWN : batch.answer(pending);
  }

  /** Queues a check; false if too many wait. */
  private boolean enter(PendingCheck pending) {
    if (waiting.incrementAndGet() > mostWaiting) {
      waiting.decrementAndGet();
      // Some waiting callers may have left: a departure makes room.
      depart();
      return false;
    }
    queue.add(pending);
    return true;
  }

  /** Returns the batch that brought the answer, null if none did in time. */
  private @Nullable Batch ask(PendingCheck pending) {
    if (!enter(pending)) {
      return null;
    }
    do {
      depart();
      long left = pending.deadline - System.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        pending.leave();
        if (left <= 0) {
          link.unanswered();
        }
        return null;
      }
      if (!pending.answer.isDone()) {
        LockSupport.parkNanos(this, Math.min(left, patienceNanos));
      }
    } while (!pending.answer.isDone());
    return pending.answer.join();
  }

  /** Sends the queue, unless a command is under way and not late: then its answer sends it. */
  private void depart() {
    while (!queue.isEmpty()) {
      Batch before = latest.get();
      if (before != null && !before.isLate(patienceNanos)) {
        return;
      }
      Batch batch = new Batch(head.last(), Math.min(waiting.get(), MOST_TOGETHER));
      if (latest.compareAndSet(before, batch)) {
        fill(batch);
        send(batch);
      }
    }
  }

  /**
   * Has a timer send the queue when the command under way is late, for checks without a thread that
   * wakes up by itself. There is one timer at most.
   */
  private void departWhenLate() {
    if (!queue.isEmpty() && timed.compareAndSet(false, true)) {
      Batch before = latest.get();
      long nanos = before == null ? 0 : before.nanosUntilLate(patienceNanos);
      CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run)
          .execute(
              () -> {
                timed.set(false);
                depart();
                departWhenLate();
              });
    }
  }

  private void fill(Batch batch) {
    while (batch.hasRoom()) {
      PendingCheck pending = queue.poll();
      if (pending == null) {
        break;
      }
      waiting.decrementAndGet();
      if (!pending.left) {
        batch.take(pending);
      }
    }
  }

  private void send(Batch batch) {
    RedisImage image = batch.head.serving();
    if (image == null || batch.isEmpty()) {
      latest.compareAndSet(batch, null);
      batch.end(null, false);
      return;
    }
    ImageRead read = batch.send(link, image);
    // A failed read has ended within this call; the loop that called it continues by itself.
    boolean ended = read.words().isDone();
    read.words()
        .whenComplete(
            (words, failure) -> {
              long[] whole = failure == null ? read.whole(words) : null;
              if (failure == null && words.length > 0) {
                link.breaker().answered();
                if (whole == null && read.isOlder(words)) {
                  onOlder.run();
                }
              }
              // The next batch first: Redis works on it while this one's callers wake up.
              if (latest.compareAndSet(batch, null) && !ended) {
                depart();
              }
              batch.end(whole, failure != null && !ImageRead.saysNoString(failure));
            });
  }

  /** One caller's check. */
  private static final class PendingCheck {

    final long hash;
    final long deadline;

    /** The thread that is parked for the answer; null for a caller that does not wait. */
    final @Nullable Thread asker;

    /** The batch that brought the answer. */
    final CompletableFuture<@Nullable Batch> answer = new CompletableFuture<>();

    /** The check's index in its batch. */
    int index;

    volatile boolean left;
    volatile @Nullable Batch batch;

    PendingCheck(long hash, long deadline, @Nullable Thread asker) {
      this.hash = hash;
      this.deadline = deadline;
      this.asker = asker;
    }

    /** Hands the caller the batch that brought the answer. */
    void end(Batch by) {
      answer.complete(by);
      LockSupport.unpark(asker);
    }

    /** Stops waiting. */
    void leave() {
      left = true;
      Batch on = batch;
      if (on != null) {
        on.giveUpIfLast();
      }
    }
  }

  /** The checks of one command, and later its answer. */
  private static final class Batch {

    final RedisHead head;
    private final long began = System.nanoTime();
    private final PendingCheck[] checks;
    private final long[] hashes;
    private int count;

    /** The time when the last caller leaves. */
    private volatile long deadline;

    private volatile @Nullable ImageRead read;

    /** Null if the image was not whole and serving, or no answer came. */
    private long @Nullable [] words;

    private boolean failed;

    Batch(RedisHead head, int room) {
      this.head = head;
      this.checks = new PendingCheck[room];
      this.hashes = new long[room];
    }

    boolean hasRoom() {
      return count < checks.length;
    }

    boolean isEmpty() {
      return count == 0;
    }

    boolean isLate(long patience) {
      return nanosUntilLate(patience) <= 0;
    }

    long nanosUntilLate(long patience) {
      return patience - (System.nanoTime() - began);
    }

    void take(PendingCheck pending) {
      pending.index = count;
      pending.batch = this;
      hashes[count] = pending.hash;
      checks[count++] = pending;
    }

    ImageRead send(RedisLink link, RedisImage image) {
      long last = checks[0].deadline;
      for (int i = 1; i < count; i++) {
        last += Math.max(0, checks[i].deadline - last);
      }
      deadline = last;
      ImageRead sent = new ImageRead(link, head, image, hashes, count);
      read = sent;
      return sent;
    }

    void giveUpIfLast() {
      ImageRead sent = read;
      if (sent != null && deadline - System.nanoTime() <= 0) {
        sent.words().cancel(false);
      }
    }

    /** Ends the checks. */
    void end(long @Nullable [] whole, boolean isFailed) {
      words = whole;
      failed = isFailed;
      for (int i = 0; i < count; i++) {
        checks[i].end(this);
      }
    }

    /** Whether Redis answered, but not from the image that the head named. */
    boolean isDoubtful() {
      return words == null && !failed;
    }

    Membership answer(PendingCheck pending) {
      ImageRead sent = read;
      return sent == null || words == null ? Membership.UNKNOWN : sent.answer(words, pending.index);
    }
  }
}
