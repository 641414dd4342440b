package io.bloomguard.it.recipes.jdbc;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import org.springframework.data.repository.ListCrudRepository;

public interface ProductRepository extends ListCrudRepository<Product, Long> {

  @Override
  @BloomGuarded(filter = "products", key = "#id")
  Optional<Product> findById(Long id);
}
