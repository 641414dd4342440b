package io.bloomguard.it.recipes.jpa;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

public interface OwnerRepository extends JpaRepository<Owner, Long> {

  @Override
  @BloomGuarded(filter = "owners", key = "#id")
  Optional<Owner> findById(Long id);
}
