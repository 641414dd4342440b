package io.bloomguard.redis.partition;

import io.bloomguard.redis.image.ImageRead;
import io.bloomguard.redis.image.RedisHead;
import io.bloomguard.redis.image.RedisImage;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.client.RedisLink;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The single checks of one partition. Those that come while a command is under way share the next
 * one, and so the cost of a round trip and of both ends of the image.
 *
 * <p>A caller puts its question in a queue; whoever finds nothing under way, a caller or the thread
 * that brought an answer, sends what waits there as one command. So a lone caller's question leaves
 * at once, the queue is first come first served, and no question joins a command that was sent
 * before: what was added before a check began is seen by it. Where an answer is long in coming, the
 * next command does not wait for it. Nobody holds a lock, and nobody but the caller waits for its
 * answer.
 */
final class CheckBatcher {

  /** Questions in one command, so that none blocks Redis for long. */
  private static final int MOST_TOGETHER = 128;

  /** Questions that wait; what comes then is UNKNOWN, for Redis is far behind. */
  private static final int MOST_WAITING = 4096;

  private final PartitionHead head;
  private final RedisLink link;
  private final Runnable onOlder;
  private final int mostWaiting;

  /** What a question waits at most for the command before; most of its time is left for its own. */
  private final long patienceNanos;

  private final ConcurrentLinkedQueue<Question> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicReference<@Nullable Trip> latest = new AtomicReference<>();

  /**
   * Nothing is under way yet.
   *
   * @param onOlder hears that an image is older than it was before
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
   * What the serving image says of a hash. It is asked once more, with the head read anew, where
   * the image that was known no longer serves; then what is in doubt is UNKNOWN. Never throws.
   */
  @SuppressWarnings("ReferenceEquality") // the same object: nothing new was read
  Membership check(long hash) {
    if (!link.breaker().allows()) {
      return Membership.UNKNOWN;
    }
    Question question = new Question(hash, System.nanoTime() + link.timeout().toNanos());
    Trip trip = ask(question);
    if (trip == null || trip.failed) {
      return Membership.UNKNOWN;
    }
    if (trip.words == null) {
      if (head.refreshed(trip.head) == trip.head) {
        return Membership.UNKNOWN;
      }
      question = new Question(hash, System.nanoTime() + link.timeout().toNanos());
      trip = ask(question);
    }
    return trip == null ? Membership.UNKNOWN : trip.answer(question);
  }

  /** The trip that brought the answer, null if none did in time. */
  private @Nullable Trip ask(Question question) {
    if (waiting.incrementAndGet() > mostWaiting) {
      waiting.decrementAndGet();
      // Some of those that wait may have left: a departure makes room.
      depart();
      return null;
    }
    queue.add(question);
    do {
      depart();
      long left = question.deadline - System.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        question.leave();
        if (left <= 0) {
          link.unanswered();
        }
        return null;
      }
      if (question.back == null) {
        LockSupport.parkNanos(this, Math.min(left, patienceNanos));
      }
    } while (question.back == null);
    return question.back;
  }

  /** Sends what waits, unless a command is under way and not late: then its answer does. */
  private void depart() {
    while (!queue.isEmpty()) {
      Trip before = latest.get();
      if (before != null && !before.isLate(patienceNanos)) {
        return;
      }
      Trip trip = new Trip(head.last(), Math.min(waiting.get(), MOST_TOGETHER));
      if (latest.compareAndSet(before, trip)) {
        board(trip);
        send(trip);
      }
    }
  }

  private void board(Trip trip) {
    while (trip.hasRoom()) {
      Question question = queue.poll();
      if (question == null) {
        break;
      }
      waiting.decrementAndGet();
      if (!question.left) {
        trip.take(question);
      }
    }
  }

  private void send(Trip trip) {
    RedisImage image = trip.head.serving();
    if (image == null || trip.isEmpty()) {
      latest.compareAndSet(trip, null);
      trip.end(null, false);
      return;
    }
    ImageRead read = trip.send(link, image);
    // What has failed already ends within this call; the loop that called it goes on by itself.
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
              // The next trip first: Redis works on it while this one's callers wake up.
              if (latest.compareAndSet(trip, null) && !ended) {
                depart();
              }
              trip.end(whole, failure != null && !ImageRead.saysNoString(failure));
            });
  }

  /** One caller's question. */
  private static final class Question {

    final long hash;
    final long deadline;
    final Thread asker = Thread.currentThread();

    /** Where it stands among those of its trip. */
    int index;

    volatile boolean left;
    volatile @Nullable Trip trip;
    volatile @Nullable Trip back;

    Question(long hash, long deadline) {
      this.hash = hash;
      this.deadline = deadline;
    }

    /** Waits no longer. */
    void leave() {
      left = true;
      Trip on = trip;
      if (on != null) {
        on.giveUpIfLast();
      }
    }
  }

  /** The questions of one command, and later its answer. */
  private static final class Trip {

    final RedisHead head;
    private final long began = System.nanoTime();
    private final Question[] questions;
    private final long[] hashes;
    private int count;

    /** When the last caller leaves. */
    private volatile long deadline;

    private volatile @Nullable ImageRead read;

    /** Null if the image was not whole and serving, or nothing came. */
    private long @Nullable [] words;

    private boolean failed;

    Trip(RedisHead head, int room) {
      this.head = head;
      this.questions = new Question[room];
      this.hashes = new long[room];
    }

    boolean hasRoom() {
      return count < questions.length;
    }

    boolean isEmpty() {
      return count == 0;
    }

    boolean isLate(long nanos) {
      return System.nanoTime() - began >= nanos;
    }

    void take(Question question) {
      question.index = count;
      question.trip = this;
      hashes[count] = question.hash;
      questions[count++] = question;
    }

    ImageRead send(RedisLink link, RedisImage image) {
      long last = questions[0].deadline;
      for (int i = 1; i < count; i++) {
        last += Math.max(0, questions[i].deadline - last);
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
        Question question = questions[i];
        question.back = this;
        LockSupport.unpark(question.asker);
      }
    }

    Membership answer(Question question) {
      ImageRead sent = read;
      return sent == null || words == null
          ? Membership.UNKNOWN
          : sent.answer(words, question.index);
    }
  }
}
