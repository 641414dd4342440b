package io.bloomguard.it.workshop.data;

import io.bloomguard.it.workshop.model.Part;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Transactional;

/** The parts. */
public interface PartRepository extends JpaRepository<Part, String> {

  Optional<PartPrice> findPriceByNumber(String number);

  List<Part> findByLabelStartingWith(String label);

  @Modifying(clearAutomatically = true)
  @Transactional
  @Query("update Part p set p.cents = p.cents + :cents where p.number = :number")
  int raise(String number, int cents);

  @Modifying(clearAutomatically = true)
  @Transactional
  @Query(value = "delete from part where number = :number", nativeQuery = true)
  int scrap(String number);
}
