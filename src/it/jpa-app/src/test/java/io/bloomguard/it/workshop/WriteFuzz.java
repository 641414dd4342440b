package io.bloomguard.it.workshop;

import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.it.workshop.data.BikeRepository;
import io.bloomguard.it.workshop.data.CustomerRepository;
import io.bloomguard.it.workshop.data.PartRepository;
import io.bloomguard.it.workshop.data.RepairRepository;
import io.bloomguard.it.workshop.data.SupplierRepository;
import io.bloomguard.it.workshop.model.Customer;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Random writes in every way that Hibernate has, committed and rolled back, each followed by a
 * guarded lookup of each key that it touched and of some others, from its own thread and from
 * another, and at times by every lookup of every key. One more thread asks for the same keys
 * meanwhile, so that null entries and values are made wherever they may be.
 *
 * <p>{@code -Dfuzz.operations} says how many in all modes and backends together, of which each run
 * does its share; {@code -Dfuzz.seed} says which.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
abstract class WriteFuzz {

  private static final int RECENT = 64;

  /** The modes of caching and the backends, each with its share of the operations. */
  private static final int SHARES = 6;

  /** Lookups of the thread that asks meanwhile, for each step. */
  private static final int MEANWHILE = 2;

  private static final int STEPS_BETWEEN_LOOKS_AT_ALL = 400;

  private static final int OPERATIONS_BETWEEN_REPORTS = 1_000;

  @Autowired private EntityManager entities;
  @Autowired private EntityManagerFactory factory;
  @Autowired private PlatformTransactionManager transactions;
  @Autowired private CustomerRepository customers;
  @Autowired private BikeRepository bikes;
  @Autowired private RepairRepository repairs;
  @Autowired private PartRepository parts;
  @Autowired private SupplierRepository suppliers;
  @Autowired private BloomGuards guards;

  private final long seed = Long.getLong("fuzz.seed", System.nanoTime());
  private final int operations =
      (Integer.getInteger("fuzz.operations", 1_500) + SHARES - 1) / SHARES;
  private final String title =
      getClass().getSimpleName()
          + ", caching "
          + System.getProperty("it.caching", "auto").toUpperCase(Locale.ROOT);
  private final Random random = new Random(seed);
  private final List<String> done = new ArrayList<>();
  private final Map<String, Integer> kinds = new HashMap<>();
  private final AtomicReferenceArray<Rows.Key> recent = new AtomicReferenceArray<>(RECENT);
  private final ExecutorService others = Executors.newFixedThreadPool(2);
  private final AtomicBoolean over = new AtomicBoolean();
  private final Semaphore meanwhile = new Semaphore(0);
  private Writes writes;
  private Lookups lookups;
  private Rows rows = new Rows();
  private int written;
  private int reported;
  private int steps;
  private int lookedUp;

  /** Nothing that was let through hides a wrong rejection. */
  @DynamicPropertySource
  static void withoutVerifying(DynamicPropertyRegistry registry) {
    Filters.NAMES.forEach(
        filter -> {
          registry.add("bloomguard.filters." + filter + ".verify.first", () -> 0);
          registry.add("bloomguard.filters." + filter + ".verify.sample", () -> 0);
        });
  }

  @Test
  void whatIsWrittenIsFoundAndWhatIsDeletedIsNot() throws Exception {
    System.out.println("RESULT " + title + ": seed " + seed);
    lookups = new Lookups(entities, customers, bikes, repairs, parts, suppliers);
    writes =
        new Writes(
            entities,
            factory.unwrap(SessionFactory.class),
            customers,
            bikes,
            repairs,
            parts,
            suppliers,
            random);
    // Nothing is judged yet, and a machine under test is slow at times.
    await()
        .atMost(2, TimeUnit.MINUTES)
        .until(() -> guards.filters().stream().allMatch(this::rejects));
    Future<?> reader = others.submit(this::read);
    try {
      while (written < operations) {
        step();
        report();
      }
      lookAtAll(List.of());
    } catch (Exception | AssertionError e) {
      throw new AssertionError(failure(), e);
    } finally {
      over.set(true);
      meanwhile.release();
    }
    reader.get(1, TimeUnit.MINUTES);
    others.shutdown();
    System.out.printf(
        "RESULT %s: %d operations of %d kinds, %d lookups, 0 wrong%n",
        title, written, kinds.size(), lookedUp);
  }

  private void report() {
    if (written - reported >= OPERATIONS_BETWEEN_REPORTS) {
      reported = written;
      System.out.printf("%s: %d of %d operations%n", title, written, operations);
    }
  }

  private boolean rejects(String filter) {
    return guards.guard(filter).check(UUID.randomUUID()) == Membership.ABSENT;
  }

  /** One transaction, or one write without any around it. */
  private void step() throws Exception {
    Rows before = rows;
    Rows after = rows.copy();
    writes.begin(rows);
    meanwhile.drainPermits();
    meanwhile.release(MEANWHILE);
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> write(writes.own, after);
      case 3 -> write(Writes.STATELESS ? writes.stateless : writes.own, after);
      case 4 -> collide(after);
      default -> after = transaction(after);
    }
    after.waiting.clear();
    rows = after;
    Set<Rows.Key> asked = new LinkedHashSet<>(after.touched);
    List<Rows.Key> known = before.keys().toList();
    for (int i = 0; i < 2 && !known.isEmpty(); i++) {
      asked.add(known.get(random.nextInt(known.size())));
    }
    from(this::lookOnce, asked);
    if (++steps % STEPS_BETWEEN_LOOKS_AT_ALL == 0) {
      lookAtAll(known);
    }
  }

  /** Every key that there is or was, in every way. */
  private void lookAtAll(Collection<Rows.Key> before) throws Exception {
    lookups.checkStable();
    Set<Rows.Key> all = new LinkedHashSet<>(before);
    rows.keys().forEach(all::add);
    from(this::look, all);
  }

  /** From this thread and from another, in either order: the first makes what the second meets. */
  private void from(BiConsumer<Collection<Rows.Key>, Rows> look, Collection<Rows.Key> keys)
      throws Exception {
    boolean first = random.nextBoolean();
    if (first) {
      look.accept(keys, rows);
    }
    others.submit(() -> look.accept(keys, rows)).get(10, TimeUnit.MINUTES);
    if (!first) {
      look.accept(keys, rows);
    }
  }

  /** Several writes, and what the transaction itself sees of them. */
  private Rows transaction(Rows begun) {
    boolean commit = random.nextInt(4) > 0;
    Rows[] current = {begun};
    Rows[] inserted = {new Rows()};
    begin(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            status -> {
              for (int i = random.nextInt(4); i >= 0; i--) {
                switch (random.nextInt(12)) {
                  case 0 -> inner(current[0], inserted[0]);
                  case 1 -> current[0] = savepoint(current[0]);
                  default -> write(writes.managed, current[0]);
                }
                if (random.nextBoolean()) {
                  within(current[0]);
                }
              }
              if (!commit) {
                status.setRollbackOnly();
              }
            });
    note(commit ? "  commit" : "  roll back");
    if (commit) {
      return current[0];
    }
    Rows restored = rows.copy();
    restored.include(inserted[0]);
    restored.touched.addAll(current[0].touched);
    return restored;
  }

  private void within(Rows current) {
    note("  look within the transaction");
    lookOnce(current.touched, current);
  }

  /** An insert that commits whatever becomes of the transaction around it. */
  private void inner(Rows current, Rows inserted) {
    if (Writes.full(current)) {
      return;
    }
    note("  begin another transaction");
    Rows fresh = new Rows();
    begin(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
        .executeWithoutResult(status -> write(writes.inserts, fresh));
    note("  commit the other transaction");
    current.include(fresh);
    current.touched.addAll(fresh.touched);
    inserted.include(fresh);
  }

  /** Writes that are taken back to a savepoint, or not. */
  private Rows savepoint(Rows current) {
    entities.flush();
    current.waiting.clear();
    Session session = entities.unwrap(Session.class);
    Savepoint savepoint = session.doReturningWork(connection -> connection.setSavepoint());
    note("  savepoint");
    Rows nested = current.copy();
    nested.touched.addAll(current.touched);
    write(writes.managed, nested);
    entities.flush();
    if (random.nextBoolean()) {
      within(nested);
    }
    if (random.nextBoolean()) {
      return nested;
    }
    note("  roll back to the savepoint");
    session.doWork(connection -> connection.rollback(savepoint));
    entities.clear();
    current.touched.addAll(nested.touched);
    return current;
  }

  /** An insert that the database refuses. */
  private void collide(Rows after) {
    if (after.customers.isEmpty()) {
      write(writes.own, after);
      return;
    }
    note("save a customer under an address that is taken");
    String taken = Rows.any(after.customers.values(), random).email();
    try {
      customers.save(new Customer("Second", taken, "Nowhere"));
      throw new AssertionError("the address was not taken");
    } catch (DataIntegrityViolationException e) {
      after.touched.add(new Rows.Key(Rows.Kind.EMAIL, taken));
    }
  }

  private void write(Map<String, Consumer<Rows>> ways, Rows to) {
    Map<String, Consumer<Rows>> possible = ways;
    if (Writes.sparse(to) && ways != writes.stateless) {
      possible = new HashMap<>(writes.inserts);
      possible.keySet().retainAll(ways.keySet());
    } else if (Writes.sparse(to)) {
      possible = Map.of("insert in a stateless session", ways.get("insert in a stateless session"));
    } else if (Writes.full(to)) {
      possible = new HashMap<>(ways);
      possible.keySet().removeAll(writes.inserts.keySet());
      possible.keySet().removeAll(Writes.MORE_INSERTS);
    }
    possible = new HashMap<>(possible);
    possible.keySet().removeIf(name -> writes.isInsert(name) && Writes.full(name, to));
    if (possible.isEmpty()) {
      return;
    }
    List<String> names = possible.keySet().stream().sorted().toList();
    String name = names.get(random.nextInt(names.size()));
    note(name);
    kinds.merge(name, 1, Integer::sum);
    written++;
    possible.get(name).accept(to);
    to.touched.forEach(key -> recent.set(random.nextInt(RECENT), key));
  }

  /** In every way. */
  private void look(Collection<Rows.Key> keys, Rows expected) {
    for (Rows.Key key : keys) {
      List<Runnable> ways = lookups.of(key, expected);
      ways.forEach(Runnable::run);
      lookedUp += ways.size();
    }
  }

  /** In one of the ways to look up each. */
  private void lookOnce(Collection<Rows.Key> keys, Rows expected) {
    for (Rows.Key key : keys) {
      List<Runnable> ways = lookups.of(key, expected);
      ways.get(random.nextInt(ways.size())).run();
      lookedUp++;
    }
  }

  private void note(String operation) {
    done.add(operation);
  }

  private TransactionTemplate begin(int propagation) {
    TransactionTemplate template = new TransactionTemplate(transactions);
    template.setPropagationBehavior(propagation);
    return template;
  }

  private String failure() throws IOException {
    Path log = Path.of("target", getClass().getSimpleName() + "-" + seed + ".txt");
    Files.createDirectories(log.getParent());
    Files.write(log, done);
    return "After %d operations; repeat them with -Dfuzz.seed=%d; all are in %s, the last:%n%s"
        .formatted(
            written,
            seed,
            log,
            String.join("\n", done.subList(Math.max(0, done.size() - 25), done.size())));
  }

  private void read() {
    while (true) {
      meanwhile.acquireUninterruptibly();
      if (over.get()) {
        return;
      }
      Rows.Key key = recent.get(ThreadLocalRandom.current().nextInt(RECENT));
      if (key == null) {
        lookups.checkStable();
      } else {
        lookups.ask(key);
      }
    }
  }
}
