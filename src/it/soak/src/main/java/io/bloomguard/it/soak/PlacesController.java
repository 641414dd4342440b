package io.bloomguard.it.soak;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Counts the places for loads that are free, by taking them. */
@RestController
class PlacesController {

  private final BloomGuard<String> guard;

  PlacesController(EntryGuards guards) {
    guard = guards.guard("things", "places", ValueType.of(String.class), EntryPoint.METHOD);
  }

  /**
   * How many of {@code wanted} loads run at once.
   *
   * @param first a key; it and those after it exist and have not been asked for here
   */
  @PostMapping("/places/{wanted}/{first}")
  int places(@PathVariable int wanted, @PathVariable long first) throws Exception {
    CountDownLatch inside = new CountDownLatch(wanted);
    ExecutorService threads = Executors.newFixedThreadPool(wanted);
    try {
      List<Future<?>> loads = new ArrayList<>();
      for (int i = 0; i < wanted; i++) {
        long key = first + i;
        loads.add(threads.submit(() -> load(key, inside)));
      }
      for (Future<?> load : loads) {
        load.get(30, TimeUnit.SECONDS);
      }
      return wanted - (int) inside.getCount();
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(10, TimeUnit.SECONDS);
    }
  }

  private void load(long key, CountDownLatch inside) {
    try {
      guard.get(
          key,
          () -> {
            inside.countDown();
            inside.await(5, TimeUnit.SECONDS);
            return "thing";
          });
    } catch (RequestShedException e) {
      // No place.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
