package io.bloomguard.redis.internal.partition;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.image.ImageRead;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A check of several hashes of one partition, under way. If the known image no longer serves, it
 * reads the head again and sends the check once more; a hash still in doubt then is UNKNOWN.
 */
public final class PartitionCheck {

  private static final CompletableFuture<?> ENDED = CompletableFuture.completedFuture(null);

  private final RedisPartition partition;
  private final RedisLink link;
  private final int[] indexes;
  private final long[] hashes;
  private final boolean patient;
  private final RedisHead seen;
  private final @Nullable ImageRead sent;

  /**
   * Sends the check of {@code hashes}, whose answers go to {@code indexes}.
   *
   * @param patient whether the caller waits longer than a request does: then Redis is asked
   *     although it has not answered requests in their time
   */
  public PartitionCheck(RedisPartition partition, int[] indexes, long[] hashes, boolean patient) {
    this.patient = patient;
    this.partition = partition;
    this.link = partition.requests();
    this.indexes = indexes;
    this.hashes = hashes;
    this.seen = partition.head().last();
    this.sent = send(seen);
  }

  /**
   * Waits and writes the answers. Never throws.
   *
   * @param atMost the longest wait for the command that was sent; one that is sent again has what
   *     is left, and at least the time of a request
   */
  @SuppressWarnings("ReferenceEquality") // the same object: nothing new was read
  public void await(Membership[] answers, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    try {
      if (answer(sent, answers, atMost)) {
        return;
      }
      RedisHead fresh = partition.head().refreshed(seen);
      long left = Math.max(end - System.nanoTime(), link.timeout().toNanos());
      if (fresh != seen && answer(send(fresh), answers, Duration.ofNanos(left))) {
        return;
      }
    } catch (RedisUnavailableException e) {
      // Redis is unreachable or slow; the answer is the same as for a damaged image.
    }
    unknown(answers);
  }

  /** Completes, and never fails, when the answer has come or that time is over. */
  public CompletableFuture<?> ended(Duration atMost) {
    return sent == null
        ? ENDED
        : link.inTime(sent.words(), atMost).handle((words, failure) -> words);
  }

  /**
   * Writes the answers that have come, or UNKNOWN while Redis is known not to answer. False if
   * {@link #await} has more to do. Never waits, never throws.
   */
  public boolean tryAnswer(Membership[] answers) {
    if (sent == null) {
      boolean silent = link.breaker().isOpen();
      if (silent) {
        unknown(answers);
      }
      return silent;
    }
    CompletableFuture<long[]> come = sent.words();
    return come.isDone()
        && !come.isCompletedExceptionally()
        && answer(sent, answers, Duration.ZERO);
  }

  private @Nullable ImageRead send(RedisHead head) {
    RedisImage image = head.serving();
    return image == null || !partition.answers() || !(patient || link.breaker().allows())
        ? null
        : new ImageRead(link, head, image, hashes, hashes.length);
  }

  private boolean answer(@Nullable ImageRead read, Membership[] answers, Duration atMost) {
    long[] words = read == null ? null : read.await(link, atMost);
    if (read == null || words == null) {
      return false;
    }
    for (int i = 0; i < indexes.length; i++) {
      answers[indexes[i]] = read.answer(words, i);
    }
    return true;
  }

  private void unknown(Membership[] answers) {
    for (int index : indexes) {
      answers[index] = Membership.UNKNOWN;
    }
  }
}
