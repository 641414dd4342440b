package io.bloomguard.it.workshop.data;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.it.workshop.model.Stock;
import io.bloomguard.it.workshop.model.StockId;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

/** What lies in the depots. */
public interface StockRepository extends JpaRepository<Stock, StockId> {

  /** By a part of its key: one that lies in no depot. That it is not in this one is not kept. */
  @Override
  @BloomGuarded(filter = "stocked-parts", key = "#id.part", caching = Caching.NONE)
  Optional<Stock> findById(StockId id);

  List<Stock> findByIdDepot(String depot);
}
