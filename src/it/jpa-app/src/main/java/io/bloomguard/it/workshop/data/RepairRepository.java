package io.bloomguard.it.workshop.data;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.it.workshop.model.Repair;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

/** The repairs. */
public interface RepairRepository extends JpaRepository<Repair, Long> {

  @Override
  @BloomGuarded(filter = "repairs", key = "#id", cache = "repairs")
  Optional<Repair> findById(Long id);

  List<Repair> findByStateOrderById(Repair.State state);

  List<Repair> findByBikeFrameNumberOrderById(String frameNumber);

  @BloomGuarded(filter = "repairs", key = "#id", cache = "repairs")
  @Query("select r from Repair r left join fetch r.lines where r.id = :id")
  Optional<Repair> findWithLinesById(Long id);
}
