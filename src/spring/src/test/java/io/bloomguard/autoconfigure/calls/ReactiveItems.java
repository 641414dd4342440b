package io.bloomguard.autoconfigure.calls;

import io.bloomguard.annotation.BloomGuarded;
import org.springframework.data.repository.reactive.ReactiveCrudRepository;
import reactor.core.publisher.Mono;

/** As one of Spring Data R2DBC, which tells of no write. */
public interface ReactiveItems extends ReactiveCrudRepository<Items.Item, Long> {

  @Override
  @BloomGuarded(filter = "products", key = "#id")
  Mono<Items.Item> findById(Long id);
}
