package io.bloomguard.it.attacks.shop;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.stream.LongStream;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Things over HTTP, and what a test wants to know of the process. */
@RestController
class ShopController {

  private final Things things;
  private final BloomFiltersEndpoint filters;

  ShopController(Things things, BloomFiltersEndpoint filters) {
    this.things = things;
    this.filters = filters;
  }

  @GetMapping("/one-percent/{id}")
  ResponseEntity<String> onePercent(@PathVariable long id) {
    return ResponseEntity.of(things.findOnePercent(id));
  }

  @GetMapping("/ten-percent/{id}")
  ResponseEntity<String> tenPercent(@PathVariable long id) {
    return ResponseEntity.of(things.findTenPercent(id));
  }

  @GetMapping("/test/state/{filter}")
  String state(@PathVariable String filter) {
    return String.valueOf(filters.filter(filter).get("state"));
  }

  @GetMapping("/test/queries")
  long queries() {
    return things.queries();
  }

  /** Bytes of the heap that are alive. */
  @GetMapping("/test/heap")
  long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** How many of {@code count} keys from {@code first} on have a null entry. */
  @GetMapping("/test/null-entries/{filter}/{first}/{count}")
  long nullEntries(@PathVariable String filter, @PathVariable long first, @PathVariable int count) {
    return LongStream.range(first, first + count)
        .mapToObj(
            id -> (Map<?, ?>) filters.act(filter, "explain", Long.toString(id), null, null, null))
        .filter(explained -> Boolean.TRUE.equals(explained.get("nullEntry")))
        .count();
  }
}
