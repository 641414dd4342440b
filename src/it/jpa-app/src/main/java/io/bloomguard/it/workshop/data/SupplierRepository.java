package io.bloomguard.it.workshop.data;

import io.bloomguard.it.workshop.model.Supplier;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

/** The suppliers. */
public interface SupplierRepository extends JpaRepository<Supplier, Long> {

  Optional<Supplier> findByName(String name);

  boolean existsByName(String name);
}
