package io.bloomguard.it.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.workshop.data.BikeRepository;
import io.bloomguard.it.workshop.data.CustomerRepository;
import io.bloomguard.it.workshop.data.PartRepository;
import io.bloomguard.it.workshop.data.RepairRepository;
import io.bloomguard.it.workshop.data.SupplierRepository;
import io.bloomguard.it.workshop.model.Bike;
import io.bloomguard.it.workshop.model.Customer;
import io.bloomguard.it.workshop.model.Part;
import io.bloomguard.it.workshop.model.Repair;
import io.bloomguard.it.workshop.model.Supplier;
import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.Version;

/** The ways to write through Hibernate. Each changes the tables and says so in the rows. */
final class Writes {

  /** Names come from a small stock, so that they are given again. */
  private static final int NAMES = 400;

  /** With fewer rows of a kind there is little to change or remove. */
  private static final int FEW = 8;

  /** Inserts besides those that every transaction may make. */
  static final Set<String> MORE_INSERTS =
      Set.of("insert in a stateless session", "persist a repair", "persist a part");

  /** Whether stateless sessions may write; of Hibernate 6, the library refuses their writes. */
  static final boolean STATELESS = !Version.getVersionString().startsWith("6.");

  /** A bike of the start, which all repairs are for. */
  private static final long BIKE = 4;

  private final EntityManager entities;
  private final SessionFactory sessions;
  private final CustomerRepository customers;
  private final BikeRepository bikes;
  private final RepairRepository repairs;
  private final PartRepository parts;
  private final SupplierRepository suppliers;
  private final RandomGenerator random;

  /** Those that only insert. */
  final Map<String, Consumer<Rows>> inserts = new LinkedHashMap<>();

  /** Those that need a transaction around them. */
  final Map<String, Consumer<Rows>> managed = new LinkedHashMap<>();

  /** Those that have one of their own, or take the one around them. */
  final Map<String, Consumer<Rows>> own = new LinkedHashMap<>();

  /** Those with a session and a transaction of their own whatever is around them. */
  final Map<String, Consumer<Rows>> stateless = new LinkedHashMap<>();

  /** Names that the transaction has used: freed, they may not be given before it has ended. */
  private final Set<String> used = new HashSet<>();

  Writes(
      EntityManager entities,
      SessionFactory sessions,
      CustomerRepository customers,
      BikeRepository bikes,
      RepairRepository repairs,
      PartRepository parts,
      SupplierRepository suppliers,
      RandomGenerator random) {
    this.entities = entities;
    this.sessions = sessions;
    this.customers = customers;
    this.bikes = bikes;
    this.repairs = repairs;
    this.parts = parts;
    this.suppliers = suppliers;
    this.random = random;
    inserts();
    changes();
    removals();
    statelessWrites();
  }

  /** A transaction begins, and may not give a name that is in {@code rows} to another. */
  void begin(Rows rows) {
    used.clear();
    rows.customers.values().forEach(row -> used.add(row.email()));
    rows.bikes.values().forEach(row -> used.add(row.frame()));
    used.addAll(rows.parts.keySet());
    used.addAll(rows.suppliers.values());
  }

  private void inserts() {
    inserts.put("persist a customer and its bikes", rows -> managed(rows, newCustomer(3)));
    inserts.put("save a customer", rows -> saved(rows, customers.save(newCustomer(2))));
    inserts.put(
        "save a customer and flush", rows -> saved(rows, customers.saveAndFlush(newCustomer(1))));
    inserts.put(
        "save several customers",
        rows ->
            customers
                .saveAll(List.of(newCustomer(1), newCustomer(0), newCustomer(2)))
                .forEach(one -> saved(rows, one)));
    inserts.put("save a repair", rows -> saved(rows, repairs.save(newRepair())));
    inserts.put(
        "save several repairs",
        rows ->
            repairs.saveAll(List.of(newRepair(), newRepair())).forEach(one -> saved(rows, one)));
    inserts.put("save a part by a merge", rows -> saved(rows, parts.save(newPart())));
    inserts.put(
        "save several parts",
        rows ->
            parts
                .saveAll(List.of(newPart(), newPart(), newPart()))
                .forEach(one -> saved(rows, one)));
    inserts.put(
        "save a supplier", rows -> saved(rows, suppliers.save(new Supplier(name("supplier")))));
    own.putAll(inserts);
    own.remove("persist a customer and its bikes");
    managed.putAll(inserts);
    managed.put("persist a repair", rows -> persisted(rows, newRepair()));
    managed.put("persist a part", rows -> persisted(rows, newPart()));
  }

  private void changes() {
    managed.put(
        "change an address",
        rows -> {
          Customer one = customers.findById(anyCustomer(rows)).orElseThrow();
          one.setEmail(name("mail"));
          saved(rows, one);
        });
    managed.put(
        "change a city",
        rows -> {
          Customer one = entities.find(Customer.class, anyCustomer(rows));
          one.setCity("City " + random.nextInt(9));
          saved(rows, one);
        });
    managed.put(
        "bring a bike by its owner",
        rows -> {
          Customer one = entities.find(Customer.class, anyCustomer(rows));
          one.bring(newBike());
          entities.flush();
          saved(rows, one);
        });
    managed.put(
        "correct a frame number",
        rows -> {
          Bike bike = entities.find(Bike.class, anyBike(rows));
          bike.setFrameNumber(name("frame"));
          rows.bike(bike.getId(), bike.getFrameNumber(), bike.getOwner().getId());
        });
    managed.put(
        "change a repair",
        rows -> {
          Repair one = entities.find(Repair.class, Rows.any(rows.repairs.keySet(), random));
          one.setComplaint("complaint " + random.nextInt(1000));
          saved(rows, one);
        });
    managed.put(
        "change a part",
        rows -> {
          Part one = entities.find(Part.class, anyPart(rows));
          one.setCents(random.nextInt(1000));
          saved(rows, one);
        });
    managed.put(
        "rename a supplier",
        rows -> {
          Supplier one = entities.find(Supplier.class, anySupplier(rows));
          one.setName(name("supplier"));
          saved(rows, one);
        });
    managed.put(
        "merge a detached customer",
        rows -> {
          Customer one = entities.find(Customer.class, anyCustomer(rows));
          one.getBikes().size();
          entities.flush();
          entities.detach(one);
          one.setEmail(name("mail"));
          one.setCity("City " + random.nextInt(9));
          saved(rows, customers.save(one));
        });
    own.put(
        "save over a part",
        rows -> saved(rows, parts.save(new Part(anyPart(rows), "other", random.nextInt(1000)))));
    own.put(
        "raise a price by a statement",
        rows -> {
          String number = anyPart(rows);
          flush();
          parts.raise(number, 5);
          Rows.PartRow row = rows.parts.get(number);
          rows.part(number, row.label(), row.cents() + 5);
        });
    own.put(
        "rename a city by a statement",
        rows -> {
          String city = "City " + random.nextInt(9);
          customers.renameCity(city, "Another " + city);
          Map.copyOf(rows.customers)
              .forEach(
                  (id, row) -> {
                    if (row.city().equals(city)) {
                      rows.customer(id, row.email(), "Another " + city);
                    }
                  });
        });
    managed.putAll(own);
  }

  private void removals() {
    managed.put(
        "remove a customer",
        rows -> {
          long id = anyCustomer(rows);
          entities.remove(entities.find(Customer.class, id));
          rows.removeCustomer(id);
        });
    managed.put(
        "take a bike away",
        rows -> {
          long id = anyBike(rows);
          Bike bike = entities.find(Bike.class, id);
          bike.getOwner().takeAway(bike);
          rows.orphanBike(id);
        });
    managed.put(
        "remove a bike that its owner keeps",
        rows -> {
          long id = anyBike(rows);
          entities.flush();
          Bike bike = entities.find(Bike.class, id);
          boolean kept = bike.getOwner().getBikes().contains(bike);
          entities.remove(bike);
          assertThat(bikes.findById(id)).as("a removed bike").isEmpty();
          // The cascade from the owner takes the removal back.
          entities.flush();
          assertThat(kept).isTrue();
          rows.bike(id, bike.getFrameNumber(), bike.getOwner().getId());
        });
    managed.put(
        "give an address to another",
        rows -> {
          long id = anyCustomer(rows);
          Customer one = entities.find(Customer.class, id);
          entities.remove(one);
          entities.flush();
          rows.removeCustomer(id);
          Customer other = new Customer("Heir", one.getEmail(), "City 0");
          entities.persist(other);
          saved(rows, other);
        });
    own.put(
        "delete a customer by id",
        rows -> {
          long id = anyCustomer(rows);
          customers.deleteById(id);
          rows.removeCustomer(id);
        });
    own.put(
        "delete customers by id",
        rows -> {
          Set<Long> ids = new HashSet<>(List.of(anyCustomer(rows), anyCustomer(rows)));
          customers.deleteAllById(ids);
          ids.forEach(rows::removeCustomer);
        });
    own.put(
        "delete a customer by address",
        rows -> {
          long id = anyCustomer(rows);
          customers.deleteByEmail(rows.customers.get(id).email());
          rows.removeCustomer(id);
        });
    own.put(
        "delete a repair",
        rows -> {
          long id = Rows.any(rows.repairs.keySet(), random);
          repairs.deleteById(id);
          rows.removeRepair(id);
        });
    own.put(
        "delete a part",
        rows -> {
          String number = anyPart(rows);
          parts.deleteById(number);
          rows.removePart(number);
        });
    own.put(
        "scrap a part by a statement",
        rows -> {
          String number = anyPart(rows);
          flush();
          parts.scrap(number);
          rows.removePart(number);
        });
    own.put(
        "delete a supplier",
        rows -> {
          long id = anySupplier(rows);
          suppliers.deleteById(id);
          rows.removeSupplier(id);
        });
    managed.putAll(own);
    // Alone: nobody hears which addresses went, so a transaction that looks for them is misled.
    own.put(
        "delete customers by a statement",
        rows -> {
          List<Long> ids =
              rows.customers.keySet().stream()
                  .filter(id -> rows.bikesOf(id).isEmpty())
                  .limit(2)
                  .toList();
          customers.deleteAllByIdInBatch(ids);
          ids.forEach(rows::removeCustomer);
        });
  }

  private void statelessWrites() {
    stateless(
        "insert",
        (session, rows) -> {
          Part part = newPart();
          session.insert(part);
          saved(rows, part);
          Supplier supplier = new Supplier(name("supplier"));
          session.insert(supplier);
          saved(rows, supplier);
          Repair repair = newRepair();
          session.insert(repair);
          saved(rows, repair);
        });
    stateless(
        "update",
        (session, rows) -> {
          Part part = session.get(Part.class, anyPart(rows));
          part.setCents(random.nextInt(1000));
          session.update(part);
          saved(rows, part);
          Supplier supplier = session.get(Supplier.class, anySupplier(rows));
          supplier.setName(name("supplier"));
          session.update(supplier);
          saved(rows, supplier);
        });
    stateless(
        "upsert",
        (session, rows) -> {
          Part part = random.nextBoolean() ? newPart() : new Part(anyPart(rows), "upserted", 7);
          session.upsert(part);
          saved(rows, part);
        });
    stateless(
        "delete",
        (session, rows) -> {
          String number = anyPart(rows);
          session.delete(session.get(Part.class, number));
          rows.removePart(number);
          long id = anySupplier(rows);
          session.delete(session.get(Supplier.class, id));
          rows.removeSupplier(id);
        });
  }

  private interface StatelessWrite {

    void write(StatelessSession session, Rows rows);
  }

  private void stateless(String name, StatelessWrite write) {
    stateless.put(
        name + " in a stateless session",
        rows -> sessions.inStatelessTransaction(session -> write.write(session, rows)));
  }

  /** Writes what waits, so that a statement finds it; nothing waits outside of a transaction. */
  private void flush() {
    if (entities.isJoinedToTransaction()) {
      entities.flush();
    }
  }

  private void managed(Rows rows, Customer customer) {
    entities.persist(customer);
    saved(rows, customer);
  }

  private void persisted(Rows rows, Repair repair) {
    entities.persist(repair);
    saved(rows, repair);
  }

  private void persisted(Rows rows, Part part) {
    entities.persist(part);
    saved(rows, part);
  }

  private static void saved(Rows rows, Customer one) {
    rows.customer(one.getId(), one.getEmail(), one.getCity());
    one.getBikes().forEach(bike -> rows.bike(bike.getId(), bike.getFrameNumber(), one.getId()));
  }

  private static void saved(Rows rows, Repair one) {
    rows.repair(one.getId(), one.getComplaint());
  }

  private static void saved(Rows rows, Part one) {
    rows.part(one.getNumber(), one.getLabel(), one.getCents());
  }

  private static void saved(Rows rows, Supplier one) {
    rows.supplier(one.getId(), one.getName());
  }

  private Customer newCustomer(int bikesAtMost) {
    Customer customer = new Customer("Guest", name("mail"), "City " + random.nextInt(9));
    for (int i = random.nextInt(bikesAtMost + 1); i > 0; i--) {
      customer.bring(newBike());
    }
    return customer;
  }

  private Bike newBike() {
    return new Bike(name("frame"), "racer");
  }

  private Repair newRepair() {
    return new Repair(bikes.getReferenceById(BIKE), "complaint " + random.nextInt(1000));
  }

  private Part newPart() {
    return new Part(name("P"), "part", random.nextInt(1000));
  }

  private long anyCustomer(Rows rows) {
    return Rows.any(rows.customers.keySet(), random);
  }

  private long anyBike(Rows rows) {
    return Rows.any(rows.bikes.keySet(), random);
  }

  private String anyPart(Rows rows) {
    return Rows.any(rows.parts.keySet(), random);
  }

  private long anySupplier(Rows rows) {
    return Rows.any(rows.suppliers.keySet(), random);
  }

  private String name(String kind) {
    for (int attempt = 0; attempt < 100 * NAMES; attempt++) {
      String suffix = kind.equals("mail") ? "@example.com" : "";
      String name = kind + "-" + random.nextInt(NAMES) + suffix;
      if (used.add(name)) {
        return name;
      }
    }
    throw new IllegalStateException("all names of a " + kind + " are used");
  }

  boolean isInsert(String name) {
    return inserts.containsKey(name) || MORE_INSERTS.contains(name);
  }

  /** Whether there are as many rows as the names allow for of those that a write inserts. */
  static boolean full(String insert, Rows rows) {
    int most = NAMES / 4;
    int customers = rows.customers.size();
    int bikes = rows.bikes.size();
    if (insert.contains("customer")) {
      // Bikes come with their customers: few of one kind want more of both.
      return (customers > most && bikes >= FEW) || (bikes > most && customers >= FEW);
    }
    if (insert.contains("repair")) {
      return rows.repairs.size() > most;
    }
    boolean parts = rows.parts.size() > most;
    boolean suppliers = rows.suppliers.size() > most;
    if (insert.contains("supplier")) {
      return suppliers;
    }
    return insert.contains("part") ? parts : parts || suppliers;
  }

  /** As many rows as the names allow for; more are not inserted. */
  static boolean full(Rows rows) {
    return rows.customers.size() > NAMES / 4
        || rows.bikes.size() > NAMES / 4
        || rows.parts.size() > NAMES / 4
        || rows.repairs.size() > NAMES / 4
        || rows.suppliers.size() > NAMES / 4;
  }

  /** Whether there is a row of each kind to change. */
  static boolean sparse(Rows rows) {
    List<Integer> sizes = new ArrayList<>();
    sizes.add(rows.customers.size());
    sizes.add(rows.bikes.size());
    sizes.add(rows.parts.size());
    sizes.add(rows.repairs.size());
    sizes.add(rows.suppliers.size());
    return sizes.stream().anyMatch(size -> size < FEW);
  }
}
