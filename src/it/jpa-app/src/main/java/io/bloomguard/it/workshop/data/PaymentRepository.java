package io.bloomguard.it.workshop.data;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.it.workshop.model.Payment;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

/** What was paid. */
public interface PaymentRepository extends JpaRepository<Payment, UUID> {

  @Override
  @BloomGuarded(filter = "payments", key = "#id")
  Optional<Payment> findById(UUID id);

  List<Payment> findByRepairId(Long repair);
}
