package io.bloomguard.classic.internal.subject;

import io.bloomguard.classic.internal.small.SmallImage;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.Replies;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The fill of a few random subjects, read every ten seconds at most. */
final class SubjectSample {

  /** The most subjects to read. */
  private static final int MOST = 64;

  private static final Duration AGE = Duration.ofSeconds(10);

  private final SubjectForm form;
  private final FilterShape shape;
  private final RedisLink builds;
  private volatile long[] setBits = {};
  private volatile long read = System.nanoTime() - AGE.toNanos();

  SubjectSample(SubjectForm form, FilterShape shape, RedisLink builds) {
    this.form = form;
    this.shape = shape;
    this.builds = builds;
  }

  /** The set bits of each subject read, in rising order. */
  long[] setBits() {
    return setBits;
  }

  /**
   * Reads the sample again if it is too old or empty.
   *
   * @throws io.bloomguard.redis.internal.client.RedisUnavailableException if Redis does not answer
   */
  void readIfDue() {
    if (System.nanoTime() - read >= AGE.toNanos()) {
      read();
    }
  }

  void read() {
    List<byte[]> drawn =
        Replies.await(builds.call(c -> c.zrandmember(form.index(), MOST)), RedisConnections.WRITE);
    if (drawn == null) {
      return;
    }
    List<CompletableFuture<byte[]>> headers =
        drawn.stream()
            .map(member -> form.image(ByteBuffer.wrap(member).getLong()))
            .map(key -> builds.call(c -> c.getrange(key, 0, SmallImage.HEADER_BYTES - 1)))
            .toList();
    setBits =
        headers.stream()
            .map(header -> Replies.await(header, RedisConnections.WRITE))
            .filter(header -> header != null && header.length == SmallImage.HEADER_BYTES)
            .mapToLong(
                header -> ByteBuffer.wrap(header).getLong(SubjectForm.BITS_WORD * Long.BYTES))
            .map(bits -> Math.max(0, Math.min(bits, shape.bits())))
            .toArray();
    Arrays.sort(setBits);
    // The first subject shows with the next reading.
    if (!drawn.isEmpty()) {
      read = System.nanoTime();
    }
  }
}
