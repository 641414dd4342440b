package io.bloomguard.it.jpa;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.repository.CrudRepository;

/** Ids are known before the call, so a transaction around it is not asked for. */
public interface ProductRepository extends CrudRepository<Product, UUID> {

  @BloomGuarded(filter = "products", key = "#p0")
  Optional<Product> findOneById(UUID id);

  @BloomGuarded(filter = "products", key = "#ids")
  List<Product> findByIdIn(Collection<UUID> ids);

  @Override
  @BloomPut(filter = "products", key = "#product.id")
  <S extends Product> S save(S product);

  @Override
  @BloomPut(filter = "products", key = "#products.![id]")
  <S extends Product> Iterable<S> saveAll(Iterable<S> products);

  @Override
  @BloomEvict(filter = "products", key = "#product.id")
  void delete(Product product);
}
