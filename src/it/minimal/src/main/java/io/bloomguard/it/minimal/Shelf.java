package io.bloomguard.it.minimal;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/** A plain bean: items 0 to 999, and what is put there later. */
@Component
public class Shelf {

  static final long ITEMS = 1000;

  private final Map<Long, String> later = new ConcurrentHashMap<>();
  private final AtomicInteger lookUps = new AtomicInteger();

  @BloomGuarded(filter = "items", key = "#id")
  public Optional<String> find(long id) {
    lookUps.incrementAndGet();
    return Optional.ofNullable(id < ITEMS ? "item " + id : later.get(id));
  }

  @BloomPut(filter = "items", key = "#id")
  public void put(long id, String item) {
    later.put(id, item);
  }

  public int lookUps() {
    return lookUps.get();
  }
}
