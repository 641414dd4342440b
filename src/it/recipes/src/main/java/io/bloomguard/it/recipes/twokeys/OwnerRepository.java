package io.bloomguard.it.recipes.twokeys;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

public interface OwnerRepository extends JpaRepository<Owner, Long> {

  @Override
  @BloomGuarded(filter = "owners", key = "#id")
  Optional<Owner> findById(Long id);

  @BloomGuarded(filter = "owner-names", key = "#name")
  Optional<Owner> findByName(String name);
}
