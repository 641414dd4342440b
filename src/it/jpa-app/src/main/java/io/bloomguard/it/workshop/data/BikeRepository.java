package io.bloomguard.it.workshop.data;

import io.bloomguard.it.workshop.model.Bike;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

/** The bikes. */
public interface BikeRepository extends JpaRepository<Bike, Long> {

  Optional<Bike> findByFrameNumber(String frameNumber);

  List<Bike> findByOwnerId(Long owner);
}
