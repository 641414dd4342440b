package io.bloomguard.it.redisson;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Repository;

/** What is guarded. */
@Repository
public class Items {

  static final long LAST = 1_000;

  private final AtomicInteger loads = new AtomicInteger();

  @BloomGuarded(filter = "items", key = "#id")
  public Optional<String> find(long id) {
    loads.incrementAndGet();
    return id <= LAST ? Optional.of("item " + id) : Optional.empty();
  }

  public int loads() {
    return loads.get();
  }
}
