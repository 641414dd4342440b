package io.bloomguard.it.workshop.data;

import io.bloomguard.it.workshop.model.Customer;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Transactional;

/** The customers. */
public interface CustomerRepository extends JpaRepository<Customer, Long> {

  Optional<Customer> findByEmail(String email);

  boolean existsByEmail(String email);

  List<Customer> findByNameContainingIgnoreCaseOrderByName(String part);

  @Query("select distinct c from Customer c left join fetch c.bikes where c.city = :city")
  List<Customer> findWithBikesByCity(String city);

  @Modifying(flushAutomatically = true, clearAutomatically = true)
  @Transactional
  @Query("update Customer c set c.city = :to where c.city = :from")
  int renameCity(String from, String to);

  @Transactional
  long deleteByEmail(String email);
}
