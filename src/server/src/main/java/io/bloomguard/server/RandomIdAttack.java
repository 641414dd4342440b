package io.bloomguard.server;

import io.bloomguard.console.ConsolePanel;
import java.net.URL;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * An attack on the demo catalogue, with and without the guard, which a panel of the console starts:
 * it asks for random ids that no product has.
 *
 * <p>It calls the method that {@code GET /api/products/{id}} calls, within this process, so nobody
 * else can be attacked with it. Each side ends after its requests, or after five seconds.
 */
class RandomIdAttack implements ConsolePanel {

  /** The most requests of one side. */
  private static final int MAX_REQUESTS = 20_000;

  private static final int ATTACKERS = 4;
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** Far above what the catalogue's sequence reaches. */
  private static final long FIRST_ID = 1_000_000_000_000L;

  private static final double MICROSECOND = 1_000;
  private static final double MILLISECOND = 1_000_000;

  private final ProductRepository products;
  private final AtomicBoolean running = new AtomicBoolean();

  RandomIdAttack(ProductRepository products) {
    this.products = products;
  }

  @Override
  public String name() {
    return "attack";
  }

  @Override
  public URL script() {
    return Objects.requireNonNull(RandomIdAttack.class.getResource("attack.js"));
  }

  @Override
  public Most data() {
    return new Most(MAX_REQUESTS);
  }

  /** Attacks with as many {@code requests} of each side: first with the guard, then without it. */
  @SuppressWarnings(
      "NullAway") // JDK 17 reads no annotations of type arguments in other modules' classes
  @Override
  public Report act(Map<String, @Nullable Object> arguments) {
    if (!(arguments.get("requests") instanceof Integer requests)
        || requests < 1
        || requests > MAX_REQUESTS) {
      throw new ResponseStatusException(
          HttpStatus.BAD_REQUEST, "'requests' must be 1 to " + MAX_REQUESTS);
    }
    if (!running.compareAndSet(false, true)) {
      throw new ResponseStatusException(
          HttpStatus.CONFLICT, "An attack runs already: wait for its end");
    }
    try {
      Side guarded = attack(requests, products::findById);
      return new Report(guarded, attack(requests, products::findWithoutGuard));
    } finally {
      running.set(false);
    }
  }

  private Side attack(int requests, LongFunction<?> find) {
    long[] nanos = new long[requests];
    AtomicInteger next = new AtomicInteger();
    AtomicInteger made = new AtomicInteger();
    long queriesBefore = products.lookups();
    long begin = System.nanoTime();
    Runnable attacker =
        () -> {
          int request;
          while (System.nanoTime() - begin < LIMIT.toNanos()
              && (request = next.getAndIncrement()) < requests) {
            long id = ThreadLocalRandom.current().nextLong(FIRST_ID, Long.MAX_VALUE);
            long asked = System.nanoTime();
            var unusedProduct = find.apply(id);
            nanos[request] = System.nanoTime() - asked;
            made.incrementAndGet();
          }
        };
    ExecutorService attackers = Executors.newFixedThreadPool(ATTACKERS);
    try {
      for (int i = 0; i < ATTACKERS; i++) {
        attackers.execute(attacker);
      }
      attackers.shutdown();
      if (!attackers.awaitTermination(2 * LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("A request takes longer than " + LIMIT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("The attack was interrupted", e);
    } finally {
      attackers.shutdownNow();
    }
    long elapsed = System.nanoTime() - begin;
    return side(Arrays.copyOf(nanos, made.get()), products.lookups() - queriesBefore, elapsed);
  }

  private static Side side(long[] nanos, long queries, long elapsed) {
    Arrays.sort(nanos);
    return new Side(
        nanos.length,
        queries,
        Arrays.stream(nanos).average().orElse(0) / MICROSECOND,
        percentile(nanos, 0.5) / MICROSECOND,
        percentile(nanos, 0.99) / MICROSECOND,
        elapsed / MILLISECOND);
  }

  private static double percentile(long[] sorted, double share) {
    return sorted.length == 0 ? 0 : sorted[(int) (share * (sorted.length - 1))];
  }

  /** How many requests of each side can be asked for. */
  record Most(int most) {}

  /** What came of both sides. */
  record Report(Side guarded, Side unguarded) {}

  /**
   * What came of one side.
   *
   * @param requests how many were made
   * @param databaseQueries how many of them went to the database
   * @param meanMicros time of a request, mean, in microseconds
   * @param medianMicros time within which half of them were answered
   * @param p99Micros time within which 99 of 100 were answered
   * @param elapsedMillis from the first to the last, in milliseconds
   */
  record Side(
      int requests,
      long databaseQueries,
      double meanMicros,
      double medianMicros,
      double p99Micros,
      double elapsedMillis) {}
}
