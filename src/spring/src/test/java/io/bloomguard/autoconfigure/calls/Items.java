package io.bloomguard.autoconfigure.calls;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import org.springframework.data.repository.CrudRepository;

/** A repository whose writes are inherited; {@link ItemService} calls one of them. */
public interface Items extends CrudRepository<Items.Item, Long> {

  record Item(long id, String name) {}

  @Override
  @BloomGuarded(filter = "products", key = "#id")
  Optional<Item> findById(Long id);
}
