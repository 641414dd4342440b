package io.bloomguard.it.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.workshop.data.BikeRepository;
import io.bloomguard.it.workshop.data.CustomerRepository;
import io.bloomguard.it.workshop.model.Bike;
import io.bloomguard.it.workshop.model.Customer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jpa.test.autoconfigure.TestEntityManager;

/** The slice of repositories, which a starter among the dependencies leaves as it is. */
@DataJpaTest
class CustomerRepositoryTest {

  @Autowired private TestEntityManager entities;
  @Autowired private CustomerRepository customers;
  @Autowired private BikeRepository bikes;

  @Test
  void whatThePersistenceContextHoldsIsFound() {
    Customer customer = new Customer("Hal Iden", "hal@example.org", "Ulm");
    customer.bring(new Bike("F-0", "racer"));
    entities.persist(customer);
    assertThat(customers.findByEmail("hal@example.org")).containsSame(customer);
    assertThat(bikes.findByFrameNumber("F-0")).isPresent();
    customer.setEmail("iden@example.org");
    assertThat(customers.existsByEmail("iden@example.org")).isTrue();
    assertThat(customers.existsByEmail("hal@example.org")).isFalse();
    entities.remove(customer);
    assertThat(bikes.findByFrameNumber("F-0")).isEmpty();
  }

  @Test
  void theRowsOfTheStartAreFound() {
    assertThat(customers.findById(1L)).map(Customer::getName).hasValue("Ada Berg");
    assertThat(customers.findById(3L)).as("a mechanic").isEmpty();
  }
}
