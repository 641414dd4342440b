package io.bloomguard.it.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.attacks.shop.ShopApplication;
import io.bloomguard.it.support.Form;
import io.bloomguard.it.support.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests over HTTP for distinct keys that do not exist, at one server. */
class AbsentFloodTest {

  private static final int MAX_NULL_ENTRIES = 1_000;

  /** What the heap may have grown by in the second half: less than its null entries would take. */
  private static final long HEAP_TOLERANCE = 4_000_000;

  private static final long FIRST_ABSENT = 1_000_000;

  /** None of them ends during a run, so that the bound alone limits their number. */
  private static final List<String> NULL_ENTRIES =
      List.of(
          "--bloomguard.cache.null-ttl=1h",
          "--bloomguard.cache.max-null-entries=" + MAX_NULL_ENTRIES);

  @Test
  void aServerWithItsFiltersOnTheHeap() throws Exception {
    int requests = Form.of(12_000, 40_000, 1_000_000);
    try (ShopProcess shop = new ShopProcess("shop-local", NULL_ENTRIES)) {
      flood(shop, "local", "one-percent", 0.01, requests);
      flood(shop, "local", "ten-percent", 0.1, requests);

      long nulls = nullEntries(shop, "ten-percent", requests);
      report("local, p 10 %", nulls);
      assertThat(nulls).isBetween(1L, (long) MAX_NULL_ENTRIES);
      requireThatPresentThingsAreFound(shop);
    }
  }

  @Test
  void aServerWithItsFiltersInRedis() throws Exception {
    int requests = Form.of(4_000, 8_000, 100_000);
    try (RedisProcess redis = new RedisProcess("redis")) {
      List<String> arguments = new ArrayList<>(redis.arguments());
      arguments.add("--bloomguard.backend=redis");
      arguments.addAll(NULL_ENTRIES);
      try (ShopProcess shop = new ShopProcess("shop-redis", arguments)) {
        flood(shop, "redis", "one-percent", 0.01, requests);
        flood(shop, "redis", "ten-percent", 0.1, requests);

        long nulls = nullEntries(shop, "ten-percent", requests);
        report("redis, p 10 %", nulls);
        assertThat(nulls).isBetween(1L, (long) MAX_NULL_ENTRIES);
        // Whatever it is called in Redis: what the two caches leave there is bounded as well.
        assertThat((Long) redis.call("DBSIZE")).isLessThan(2 * MAX_NULL_ENTRIES + 50L);
        requireThatPresentThingsAreFound(shop);
      }
    }
  }

  private static void flood(ShopProcess shop, String backend, String filter, double p, int requests)
      throws Exception {
    long before = shop.number("/test/queries");
    long start = System.nanoTime();

    Map<Integer, Integer> first =
        Flood.send(shop.port(), "/" + filter + "/", FIRST_ABSENT, requests / 2);
    long heapInTheMiddle = shop.number("/test/heap");
    Map<Integer, Integer> second =
        Flood.send(shop.port(), "/" + filter + "/", FIRST_ABSENT + requests / 2, requests / 2);
    long heapAtTheEnd = shop.number("/test/heap");

    double seconds = (System.nanoTime() - start) / 1e9;
    long queries = shop.number("/test/queries") - before;
    long bound = (long) (1.1 * p * requests + 3 * Math.sqrt(requests * p * (1 - p)));
    System.out.printf(
        "RESULT flood, %s, p %.0f %%: %d requests for distinct absent keys in %.0f s, %d database"
            + " loads (%.3f %%; bound %d); heap %.1f MB in the middle, %.1f MB at the end%n",
        backend,
        100 * p,
        requests,
        seconds,
        queries,
        100.0 * queries / requests,
        bound,
        heapInTheMiddle / 1e6,
        heapAtTheEnd / 1e6);
    assertThat(first).isEqualTo(Map.of(404, requests / 2));
    assertThat(second).isEqualTo(Map.of(404, requests / 2));
    assertThat(queries).isBetween(1L, bound);
    assertThat(heapAtTheEnd).isLessThan(heapInTheMiddle + HEAP_TOLERANCE);
  }

  private static long nullEntries(ShopProcess shop, String filter, int requests) throws Exception {
    String keys = FIRST_ABSENT + "/" + requests;
    return shop.number("/test/null-entries/" + filter + "/" + keys);
  }

  private static void report(String where, long nulls) {
    System.out.printf(
        "RESULT flood, %s: %d null entries afterwards (bound %d)%n",
        where, nulls, MAX_NULL_ENTRIES);
  }

  private static void requireThatPresentThingsAreFound(ShopProcess shop) throws Exception {
    assertThat(Flood.send(shop.port(), "/one-percent/", 1, 1_000)).isEqualTo(Map.of(200, 1_000));
    assertThat(shop.get("/ten-percent/" + ShopApplication.THINGS))
        .isEqualTo("thing " + ShopApplication.THINGS);
  }
}
