package io.bloomguard.autoconfigure.calls;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomKey;
import org.springframework.data.repository.reactive.ReactiveCrudRepository;
import reactor.core.publisher.Mono;

/** One of Spring Data R2DBC, which tells of the saves of such rows, and of no deletion. */
public interface KeyedReactiveItems extends ReactiveCrudRepository<KeyedReactiveItems.Row, Long> {

  @BloomKey(filter = "products")
  record Row(long id, String name) {}

  @Override
  @BloomGuarded(filter = "products", key = "#id")
  Mono<Row> findById(Long id);
}
