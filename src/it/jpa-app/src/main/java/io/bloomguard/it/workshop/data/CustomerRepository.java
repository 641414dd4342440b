package io.bloomguard.it.workshop.data;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.it.workshop.model.Customer;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Transactional;

/** The customers. */
public interface CustomerRepository extends JpaRepository<Customer, Long> {

  @Override
  @BloomGuarded(filter = "customers", key = "#id")
  Optional<Customer> findById(Long id);

  @Override
  @BloomGuarded(filter = "customers", key = "#id")
  boolean existsById(Long id);

  @Override
  @BloomGuarded(filter = "customers", key = "#ids")
  List<Customer> findAllById(Iterable<Long> ids);

  @BloomGuarded(filter = "customer-emails", key = "#email")
  Optional<Customer> findByEmail(String email);

  /** An address may go with a row that a statement deletes by its id, so no value of it is kept. */
  @BloomGuarded(filter = "customer-emails", key = "#email", caching = Caching.NULLS)
  boolean existsByEmail(String email);

  List<Customer> findByNameContainingIgnoreCaseOrderByName(String part);

  @Query("select distinct c from Customer c left join fetch c.bikes where c.city = :city")
  List<Customer> findWithBikesByCity(String city);

  @Modifying(flushAutomatically = true, clearAutomatically = true)
  @Transactional
  @Query("update Customer c set c.city = :to where c.city = :from")
  int renameCity(String from, String to);

  /** One statement, which Hibernate tells nobody the rows of. */
  @Override
  @BloomEvict(filter = "customers", key = "#ids")
  void deleteAllByIdInBatch(Iterable<Long> ids);

  @Transactional
  long deleteByEmail(String email);
}
