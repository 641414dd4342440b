package io.bloomguard.it.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.workshop.data.BikeRepository;
import io.bloomguard.it.workshop.data.CustomerRepository;
import io.bloomguard.it.workshop.data.PartPrice;
import io.bloomguard.it.workshop.data.PartRepository;
import io.bloomguard.it.workshop.data.RepairRepository;
import io.bloomguard.it.workshop.data.SupplierRepository;
import io.bloomguard.it.workshop.model.Bike;
import io.bloomguard.it.workshop.model.Customer;
import io.bloomguard.it.workshop.model.Repair;
import io.bloomguard.it.workshop.model.Supplier;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Every guarded lookup of a key, compared with what the tables should hold. */
record Lookups(
    EntityManager entities,
    CustomerRepository customers,
    BikeRepository bikes,
    RepairRepository repairs,
    PartRepository parts,
    SupplierRepository suppliers) {

  /** The ways to look up a key. */
  List<Runnable> of(Rows.Key key, Rows rows) {
    return switch (key.kind()) {
      case CUSTOMER -> customer((Long) key.value(), rows.customers.get(key.value()));
      case EMAIL -> email((String) key.value(), rows);
      case BIKE -> List.of(() -> bike((Long) key.value(), rows, rows.waiting.contains(key)));
      case FRAME -> List.of(() -> frame((String) key.value(), rows));
      case REPAIR -> repair((Long) key.value(), rows.repairs.get(key.value()));
      case PART -> part((String) key.value(), rows.parts.get(key.value()));
      case SUPPLIER -> supplier((String) key.value(), rows);
    };
  }

  /** Asks without an expectation, as others do meanwhile. */
  void ask(Rows.Key key) {
    switch (key.kind()) {
      case CUSTOMER -> customers.findById((Long) key.value());
      case EMAIL -> customers.findByEmail((String) key.value());
      case BIKE -> bikes.findById((Long) key.value());
      case FRAME -> bikes.findByFrameNumber((String) key.value());
      case REPAIR -> repairs.findById((Long) key.value());
      case PART -> {
        parts.findPriceByNumber((String) key.value());
        parts.existsById((String) key.value());
      }
      case SUPPLIER -> suppliers.findByName((String) key.value());
    }
  }

  /** The rows of the start, which stay as they are. */
  void checkStable() {
    assertThat(customers.findById(1L)).map(Customer::getEmail).hasValue("ada@example.org");
    assertThat(customers.findByEmail("cem@example.org")).map(Customer::getId).hasValue(2L);
    assertThat(bikes.findByFrameNumber("WBK-100")).map(Bike::getId).hasValue(4L);
    assertThat(repairs.findById(1L)).isPresent();
    assertThat(parts.findPriceByNumber("SP-1")).map(PartPrice::cents).hasValue(90);
    assertThat(suppliers.findByName("Hub and Spoke")).map(Supplier::getId).hasValue(5L);
  }

  private List<Runnable> customer(Long id, Rows.CustomerRow row) {
    return List.of(
        () ->
            same(
                customers
                    .findById(id)
                    .map(one -> new Rows.CustomerRow(one.getEmail(), one.getCity())),
                row,
                "findById"),
        () ->
            assertThat(customers.findAllById(List.of(id, -1L)))
                .as("findAllById")
                .hasSize(count(row)),
        () -> assertThat(customers.existsById(id)).as("existsById").isEqualTo(row != null));
  }

  private List<Runnable> email(String email, Rows rows) {
    Long id = id(rows.customers, row -> row.email().equals(email));
    return List.of(
        () -> same(customers.findByEmail(email).map(Customer::getId), id, "findByEmail"),
        () -> assertThat(customers.existsByEmail(email)).as("existsByEmail").isEqualTo(id != null));
  }

  private void bike(Long id, Rows rows, boolean waiting) {
    Optional<String> found = bikes.findById(id).map(Bike::getFrameNumber);
    Rows.BikeRow row = rows.bikes.get(id);
    String frame = row == null ? null : row.frame();
    if (waiting && found.isPresent()) {
      // What the session finds without the guard is right as well.
      Bike orphan = entities.find(Bike.class, id);
      frame = orphan == null ? null : orphan.getFrameNumber();
    }
    same(found, frame, "findById");
  }

  private void frame(String frame, Rows rows) {
    Long id = id(rows.bikes, row -> row.frame().equals(frame));
    same(bikes.findByFrameNumber(frame).map(Bike::getId), id, "findByFrameNumber");
  }

  private List<Runnable> repair(Long id, String complaint) {
    return List.of(
        () -> same(repairs.findById(id).map(Repair::getComplaint), complaint, "findById"),
        () ->
            same(
                repairs.findWithLinesById(id).map(Repair::getComplaint),
                complaint,
                "findWithLinesById"));
  }

  private List<Runnable> part(String number, Rows.PartRow row) {
    PartPrice price = row == null ? null : new PartPrice(number, row.label(), row.cents());
    return List.of(
        () ->
            same(
                parts.findById(number).map(one -> new Rows.PartRow(one.getLabel(), one.getCents())),
                row,
                "findById"),
        () -> same(parts.findPriceByNumber(number), price, "findPriceByNumber"),
        () ->
            assertThat(parts.findAllById(List.of("none", number)))
                .as("findAllById")
                .hasSize(count(row)),
        () -> assertThat(parts.existsById(number)).as("existsById").isEqualTo(row != null));
  }

  private List<Runnable> supplier(String name, Rows rows) {
    Long id = id(rows.suppliers, name::equals);
    return List.of(
        () -> same(suppliers.findByName(name).map(Supplier::getId), id, "findByName"),
        () -> assertThat(suppliers.existsByName(name)).as("existsByName").isEqualTo(id != null));
  }

  private static <T> void same(Optional<T> found, T expected, String lookup) {
    assertThat(found).as(lookup).isEqualTo(Optional.ofNullable(expected));
  }

  private static int count(Object row) {
    return row == null ? 0 : 1;
  }

  private static <R> Long id(Map<Long, R> rows, Predicate<R> wanted) {
    return rows.entrySet().stream()
        .filter(row -> wanted.test(row.getValue()))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }
}
