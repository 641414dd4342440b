package io.bloomguard.it.workshop.data;

import io.bloomguard.it.workshop.model.Stock;
import io.bloomguard.it.workshop.model.StockId;
import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;

/** What lies in the depots. */
public interface StockRepository extends JpaRepository<Stock, StockId> {

  List<Stock> findByIdDepot(String depot);
}
