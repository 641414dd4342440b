package io.bloomguard.redis;

import io.bloomguard.guard.Membership;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The single checks of one partition. Those that come while enough commands are under way share the
 * next one, and so the cost of a round trip and of both ends of the image.
 *
 * <p>A caller puts its question in a queue; whoever finds a place free, a caller or the thread that
 * brought an answer, sends what waits there as one command. So a lone caller's question leaves at
 * once, the queue is first come first served, and no question joins a command that was sent before:
 * what was added before a check began is seen by it. Nobody holds a lock, and nobody but the caller
 * waits for its answer.
 */
final class SharedChecks {

  /** Commands under way at once: with more of them fewer callers share one. */
  private static final int PLACES = 2;

  /** Questions in one command, so that none blocks Redis for long. */
  static final int MOST_TOGETHER = 128;

  /** Questions that wait; what comes then is UNKNOWN, for Redis is far behind. */
  static final int MOST_WAITING = 4096;

  private final PartitionHead head;
  private final RedisLink link;
  private final ConcurrentLinkedQueue<Question> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicReferenceArray<@Nullable Trip> places = new AtomicReferenceArray<>(PLACES);

  SharedChecks(PartitionHead head, RedisLink link) {
    this.head = head;
    this.link = link;
  }

  /**
   * What the serving image says of a hash. It is asked once more, with the head read anew, where
   * the image that was known no longer serves; then what is in doubt is UNKNOWN. Never throws.
   */
  @SuppressWarnings("ReferenceEquality") // the same object: nothing new was read
  Membership check(long hash) {
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
    if (waiting.incrementAndGet() > MOST_WAITING) {
      waiting.decrementAndGet();
      return null;
    }
    queue.add(question);
    depart();
    while (question.back == null) {
      long left = question.deadline - System.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        question.left = true;
        // Nobody else may be there to find that a place is free again.
        depart();
        return null;
      }
      LockSupport.parkNanos(this, left);
    }
    return question.back;
  }

  /** Sends what waits as long as there is a place free. */
  private void depart() {
    while (!queue.isEmpty()) {
      Trip trip = new Trip(head.last(), Math.min(waiting.get(), MOST_TOGETHER));
      int place = takePlace(trip);
      if (place < 0) {
        return;
      }
      board(trip);
      if (trip.isEmpty()) {
        places.compareAndSet(place, trip, null);
      } else {
        send(trip, place);
      }
    }
  }

  /** A place that is free, or has a trip for which nobody waits any more; negative for none. */
  private int takePlace(Trip trip) {
    for (int place = 0; place < PLACES; place++) {
      Trip before = places.get(place);
      boolean free = before == null || before.isAbandoned();
      if (free && places.compareAndSet(place, before, trip)) {
        if (before != null) {
          before.giveUp();
        }
        return place;
      }
    }
    return -1;
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

  private void send(Trip trip, int place) {
    RedisImage image = trip.head.serving();
    if (image == null) {
      places.compareAndSet(place, trip, null);
      trip.end(null, false);
      return;
    }
    ImageRead read = trip.send(link, image);
    read.words()
        .whenComplete(
            (words, failure) -> {
              boolean free = places.compareAndSet(place, trip, null);
              long[] whole = failure == null ? read.whole(words) : null;
              // The next trip first: Redis works on it while this one's callers wake up.
              if (free) {
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
    volatile @Nullable Trip back;

    Question(long hash, long deadline) {
      this.hash = hash;
      this.deadline = deadline;
    }
  }

  /** The questions of one command, and later its answer. */
  private static final class Trip {

    final RedisHead head;
    private final Question[] questions;
    private final long[] hashes;
    private int count;
    private volatile @Nullable ImageRead read;

    /** When the last of its callers has gone; far away until it is known. */
    private volatile long deadline = System.nanoTime() + Long.MAX_VALUE / 2;

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

    boolean isAbandoned() {
      return deadline - System.nanoTime() <= 0;
    }

    void take(Question question) {
      question.index = count;
      hashes[count] = question.hash;
      questions[count++] = question;
    }

    ImageRead send(RedisLink link, RedisImage image) {
      long last = questions[0].deadline;
      for (int i = 1; i < count; i++) {
        long more = questions[i].deadline - last;
        last += Math.max(0, more);
      }
      deadline = last;
      ImageRead sent = new ImageRead(link, image, hashes, count);
      read = sent;
      return sent;
    }

    void giveUp() {
      ImageRead sent = read;
      if (sent != null) {
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
