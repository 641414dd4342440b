package io.bloomguard.it.workshop.data;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.it.workshop.model.Bike;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

/** The bikes. */
public interface BikeRepository extends JpaRepository<Bike, Long> {

  @Override
  @BloomGuarded(filter = "bikes", key = "#id")
  Optional<Bike> findById(Long id);

  @BloomGuarded(filter = "frames", key = "#frameNumber")
  Optional<Bike> findByFrameNumber(String frameNumber);

  /** A customer without a bike is none without a row: nothing is kept of it. */
  @BloomGuarded(filter = "customers", key = "#owner", caching = Caching.NONE)
  List<Bike> findByOwnerId(Long owner);
}
