package io.bloomguard.it.workshop.data;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.it.workshop.model.Mechanic;
import java.util.List;
import java.util.Optional;
import org.springframework.data.repository.ListCrudRepository;

/** The mechanics. */
public interface MechanicRepository extends ListCrudRepository<Mechanic, Long> {

  @Override
  @BloomGuarded(filter = "mechanics", key = "#id")
  Optional<Mechanic> findById(Long id);

  List<Mechanic> findBySkill(String skill);
}
