package io.bloomguard.it.workshop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** What the tables should hold, and which keys a transaction has touched. */
final class Rows {

  /** The lookups of one key. */
  enum Kind {
    CUSTOMER,
    EMAIL,
    BIKE,
    FRAME,
    REPAIR,
    PART,
    SUPPLIER
  }

  record Key(Kind kind, Object value) {}

  record CustomerRow(String email, String city) {}

  record BikeRow(String frame, long owner) {}

  record PartRow(String label, int cents) {}

  final Map<Long, CustomerRow> customers = new LinkedHashMap<>();
  final Map<Long, BikeRow> bikes = new LinkedHashMap<>();
  final Map<Long, String> repairs = new LinkedHashMap<>();
  final Map<String, PartRow> parts = new LinkedHashMap<>();
  final Map<Long, String> suppliers = new LinkedHashMap<>();
  final Set<Key> touched = new LinkedHashSet<>();

  /**
   * Keys of orphans that the session may not have flushed: until then it finds them by their id.
   */
  final Set<Key> waiting = new LinkedHashSet<>();

  Rows copy() {
    Rows copy = new Rows();
    copy.customers.putAll(customers);
    copy.bikes.putAll(bikes);
    copy.repairs.putAll(repairs);
    copy.parts.putAll(parts);
    copy.suppliers.putAll(suppliers);
    return copy;
  }

  /** Takes over what another transaction has inserted. */
  void include(Rows inserted) {
    customers.putAll(inserted.customers);
    bikes.putAll(inserted.bikes);
    repairs.putAll(inserted.repairs);
    parts.putAll(inserted.parts);
    suppliers.putAll(inserted.suppliers);
  }

  void customer(long id, String email, String city) {
    CustomerRow old = customers.put(id, new CustomerRow(email, city));
    touch(Kind.CUSTOMER, id);
    touch(Kind.EMAIL, email);
    if (old != null) {
      touch(Kind.EMAIL, old.email());
    }
  }

  /** Its bikes go with it. */
  void removeCustomer(long id) {
    touch(Kind.CUSTOMER, id);
    touch(Kind.EMAIL, customers.remove(id).email());
    bikesOf(id).forEach(this::removeBike);
  }

  void bike(long id, String frame, long owner) {
    BikeRow old = bikes.put(id, new BikeRow(frame, owner));
    touch(Kind.BIKE, id);
    touch(Kind.FRAME, frame);
    if (old != null) {
      touch(Kind.FRAME, old.frame());
    }
  }

  void removeBike(long id) {
    touch(Kind.BIKE, id);
    touch(Kind.FRAME, bikes.remove(id).frame());
  }

  /** A bike that goes with the next flush. */
  void orphanBike(long id) {
    removeBike(id);
    waiting.add(new Key(Kind.BIKE, id));
  }

  void repair(long id, String complaint) {
    repairs.put(id, complaint);
    touch(Kind.REPAIR, id);
  }

  void removeRepair(long id) {
    repairs.remove(id);
    touch(Kind.REPAIR, id);
  }

  void part(String number, String label, int cents) {
    parts.put(number, new PartRow(label, cents));
    touch(Kind.PART, number);
  }

  void removePart(String number) {
    parts.remove(number);
    touch(Kind.PART, number);
  }

  void supplier(long id, String name) {
    String old = suppliers.put(id, name);
    touch(Kind.SUPPLIER, name);
    if (old != null) {
      touch(Kind.SUPPLIER, old);
    }
  }

  void removeSupplier(long id) {
    touch(Kind.SUPPLIER, suppliers.remove(id));
  }

  List<Long> bikesOf(long owner) {
    return bikes.entrySet().stream()
        .filter(bike -> bike.getValue().owner() == owner)
        .map(Map.Entry::getKey)
        .toList();
  }

  Stream<Key> keys() {
    return Stream.of(
            customers.keySet().stream().map(id -> new Key(Kind.CUSTOMER, id)),
            customers.values().stream().map(row -> new Key(Kind.EMAIL, row.email())),
            bikes.keySet().stream().map(id -> new Key(Kind.BIKE, id)),
            bikes.values().stream().map(row -> new Key(Kind.FRAME, row.frame())),
            repairs.keySet().stream().map(id -> new Key(Kind.REPAIR, id)),
            parts.keySet().stream().map(number -> new Key(Kind.PART, number)),
            suppliers.values().stream().map(name -> new Key(Kind.SUPPLIER, name)))
        .flatMap(keys -> keys);
  }

  private void touch(Kind kind, Object value) {
    touched.add(new Key(kind, value));
  }

  static <T> T any(Iterable<T> of, RandomGenerator random) {
    List<T> all = new ArrayList<>();
    of.forEach(all::add);
    return all.get(random.nextInt(all.size()));
  }
}
