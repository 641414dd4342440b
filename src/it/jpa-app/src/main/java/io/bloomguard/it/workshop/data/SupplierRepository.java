package io.bloomguard.it.workshop.data;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.it.workshop.model.Supplier;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

/** The suppliers. */
public interface SupplierRepository extends JpaRepository<Supplier, Long> {

  @BloomGuarded(filter = "suppliers", key = "#name")
  Optional<Supplier> findByName(String name);

  @BloomGuarded(filter = "suppliers", key = "#name")
  boolean existsByName(String name);
}
