package io.bloomguard.redis.partition;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.client.RedisLink;
import io.bloomguard.redis.image.ImageRead;
import io.bloomguard.redis.image.RedisHead;
import io.bloomguard.redis.image.RedisImage;
import java.util.concurrent.ConcurrentLinkedQueue;
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
 * it. No thread holds a lock, and only the caller waits for its answer.
 */
final class CheckBatcher {

  /** The most checks in one command, so that none blocks Redis for long. */
  private static final int MOST_TOGETHER = 128;

  /** The most waiting checks; any further one is UNKNOWN, for Redis is far behind. */
  private static final int MOST_WAITING = 4096;

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
  @SuppressWarnings("ReferenceEquality") // the same object: nothing new was read
  Membership check(long hash) {
    if (!link.breaker().allows()) {
      return Membership.UNKNOWN;
    }
    PendingCheck pending = new PendingCheck(hash, System.nanoTime() + link.timeout().toNanos());
    Batch batch = ask(pending);
    if (batch == null || batch.failed) {
      return Membership.UNKNOWN;
    }
    if (batch.words == null) {
      if (head.refreshed(batch.head) == batch.head) {
        return Membership.UNKNOWN;
      }
      pending = new PendingCheck(hash, System.nanoTime() + link.timeout().toNanos());
      batch = ask(pending);
    }
    return batch == null ? Membership.UNKNOWN : batch.answer(pending);
  }

  /** Returns the batch that brought the answer, null if none did in time. */
  private @Nullable Batch ask(PendingCheck pending) {
    if (waiting.incrementAndGet() > mostWaiting) {
      waiting.decrementAndGet();
      // Some waiting callers may have left: a departure makes room.
      depart();
      return null;
    }
    queue.add(pending);
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
      if (pending.back == null) {
        LockSupport.parkNanos(this, Math.min(left, patienceNanos));
      }
    } while (pending.back == null);
    return pending.back;
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
    final Thread asker = Thread.currentThread();

    /** The check's index in its batch. */
    int index;

    volatile boolean left;
    volatile @Nullable Batch batch;
    volatile @Nullable Batch back;

    PendingCheck(long hash, long deadline) {
      this.hash = hash;
      this.deadline = deadline;
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

    boolean isLate(long nanos) {
      return System.nanoTime() - began >= nanos;
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

    /** Wakes the callers. */
    void end(long @Nullable [] whole, boolean isFailed) {
      words = whole;
      failed = isFailed;
      for (int i = 0; i < count; i++) {
        PendingCheck pending = checks[i];
        pending.back = this;
        LockSupport.unpark(pending.asker);
      }
    }

    Membership answer(PendingCheck pending) {
      ImageRead sent = read;
      return sent == null || words == null ? Membership.UNKNOWN : sent.answer(words, pending.index);
    }
  }
}
