package io.bloomguard.it.workshop.data;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.it.workshop.model.Part;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Transactional;

/** The parts. */
public interface PartRepository extends JpaRepository<Part, String> {

  @Override
  @BloomGuarded(filter = "parts", key = "#number")
  Optional<Part> findById(String number);

  @Override
  @BloomGuarded(filter = "parts", key = "#number")
  boolean existsById(String number);

  @Override
  @BloomGuarded(filter = "parts", key = "#ids")
  List<Part> findAllById(Iterable<String> ids);

  /** A record, which is kept and shared. */
  @BloomGuarded(filter = "parts", key = "#number", cache = "part-prices")
  Optional<PartPrice> findPriceByNumber(String number);

  List<Part> findByLabelStartingWith(String label);

  /** Hibernate tells nobody which rows a statement changes, so it is told here. */
  @Modifying(clearAutomatically = true)
  @Transactional
  @BloomPut(filter = "parts", key = "#number")
  @Query("update Part p set p.cents = p.cents + :cents where p.number = :number")
  int raise(String number, int cents);

  @Modifying(clearAutomatically = true)
  @Transactional
  @BloomEvict(filter = "parts", key = "#number")
  @Query(value = "delete from part where number = :number", nativeQuery = true)
  int scrap(String number);
}
