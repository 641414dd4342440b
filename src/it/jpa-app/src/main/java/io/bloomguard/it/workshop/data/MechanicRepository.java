package io.bloomguard.it.workshop.data;

import io.bloomguard.it.workshop.model.Mechanic;
import java.util.List;
import org.springframework.data.repository.ListCrudRepository;

/** The mechanics. */
public interface MechanicRepository extends ListCrudRepository<Mechanic, Long> {

  List<Mechanic> findBySkill(String skill);
}
