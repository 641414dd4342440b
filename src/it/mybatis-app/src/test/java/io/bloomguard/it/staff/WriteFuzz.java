package io.bloomguard.it.staff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
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
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Random writes in every way that the application has with MyBatis, committed and rolled back, each
 * followed by a guarded lookup of each key that it touched and of some others, from its own thread
 * and from another, and at times by every lookup of every key. One more thread asks for the same
 * keys meanwhile, so that null entries and values are made wherever they may be.
 *
 * <p>{@code -Dfuzz.operations} says how many in all modes and backends together, of which each run
 * does its share; {@code -Dfuzz.seed} says which.
 */
@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = "mybatis.configuration.local-cache-scope=statement")
abstract class WriteFuzz {

  private static final int RECENT = 64;

  /** The modes of caching and the backends, each with its share of the operations. */
  private static final int SHARES = 6;

  /** Lookups of the thread that asks meanwhile, for each step. */
  private static final int MEANWHILE = 2;

  private static final int STEPS_BETWEEN_LOOKS_AT_ALL = 400;

  private static final int OPERATIONS_BETWEEN_REPORTS = 1_000;

  @Autowired private PlatformTransactionManager transactions;
  @Autowired private AccountMapper accounts;
  @Autowired private DepartmentMapper departments;
  @Autowired private NoticeMapper notices;
  @Autowired private Accounts service;
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
  private final Set<String> kinds = new TreeSet<>();
  private final AtomicReferenceArray<Rows.Key> recent = new AtomicReferenceArray<>(RECENT);
  private final ExecutorService others = Executors.newFixedThreadPool(2);
  private final AtomicBoolean over = new AtomicBoolean();
  private final Semaphore meanwhile = new Semaphore(0);
  private Writes writes;
  private Rows rows = new Rows();
  private int written;
  private int reported;
  private int steps;
  private int lookedUp;

  /** Nothing that was let through hides a wrong rejection. */
  @DynamicPropertySource
  static void withoutVerifying(DynamicPropertyRegistry registry) {
    for (String filter : List.of("accounts", "user-names", "departments", "notices")) {
      registry.add("bloomguard.filters." + filter + ".verify.first", () -> 0);
      registry.add("bloomguard.filters." + filter + ".verify.sample", () -> 0);
    }
  }

  @Test
  void whatIsWrittenIsFoundAndWhatIsDeletedIsNot() throws Exception {
    System.out.println("RESULT " + title + ": seed " + seed);
    writes = new Writes(accounts, departments, notices, service, random);
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
    List<Rows.Key> known = rows.keys().toList();
    Rows after = rows.copy();
    writes.begin(rows);
    meanwhile.drainPermits();
    meanwhile.release(MEANWHILE);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> write(after);
      case 3 -> collide(after);
      default -> after = transaction(after);
    }
    rows = after;
    Set<Rows.Key> asked = new LinkedHashSet<>(after.touched);
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
    Rows inserted = new Rows();
    begin(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            status -> {
              for (int i = random.nextInt(4); i >= 0; i--) {
                switch (random.nextInt(12)) {
                  case 0 -> inner(current[0], inserted);
                  case 1 -> current[0] = nested(current[0]);
                  default -> write(current[0]);
                }
                if (random.nextBoolean()) {
                  done.add("  look within the transaction");
                  lookOnce(current[0].touched, current[0]);
                }
              }
              if (!commit) {
                status.setRollbackOnly();
              }
            });
    done.add(commit ? "  commit" : "  roll back");
    if (commit) {
      return current[0];
    }
    Rows restored = rows.copy();
    restored.include(inserted);
    restored.touched.addAll(current[0].touched);
    return restored;
  }

  /** An insert that commits whatever becomes of the transaction around it. */
  private void inner(Rows current, Rows inserted) {
    Rows fresh = new Rows();
    done.add("  begin another transaction");
    try {
      begin(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
          .executeWithoutResult(status -> write(fresh));
    } catch (PessimisticLockingFailureException e) {
      // The transaction around it holds the gap in the index of names that the insert needs.
      done.add("  roll back the other transaction, which waits for a lock of the first");
      current.touched.addAll(fresh.touched);
      return;
    }
    done.add("  commit the other transaction");
    current.include(fresh);
    current.touched.addAll(fresh.touched);
    inserted.include(fresh);
  }

  /** A write after a savepoint, which is taken back or not. */
  private Rows nested(Rows current) {
    boolean back = random.nextBoolean();
    Rows nested = current.copy();
    nested.touched.addAll(current.touched);
    done.add("  savepoint");
    begin(TransactionDefinition.PROPAGATION_NESTED)
        .executeWithoutResult(
            status -> {
              write(nested);
              if (back) {
                status.setRollbackOnly();
              }
            });
    if (!back) {
      return nested;
    }
    done.add("  roll back to the savepoint");
    current.touched.addAll(nested.touched);
    return current;
  }

  /** An insert that the database refuses. */
  private void collide(Rows after) {
    Optional<Rows.AccountRow> taken = after.accounts.values().stream().findAny();
    if (taken.isEmpty()) {
      write(after);
      return;
    }
    done.add("insert an account under a name that is taken");
    String name = writes.spelt(taken.get().name());
    try {
      accounts.insert(new Account(name, "second@example.org", "IT"));
      throw new AssertionError("the name was not taken");
    } catch (DuplicateKeyException e) {
      after.touched.add(new Rows.Key(Rows.Kind.NAME, taken.get().name()));
    }
  }

  private void write(Rows to) {
    Map<String, Consumer<Rows>> possible = writes.possible(to);
    List<String> names = List.copyOf(possible.keySet());
    String name = names.get(random.nextInt(names.size()));
    done.add(name);
    kinds.add(name);
    written++;
    possible.get(name).accept(to);
    to.touched.forEach(key -> recent.set(random.nextInt(RECENT), key));
  }

  /** In every way. */
  private void look(Collection<Rows.Key> keys, Rows expected) {
    for (Rows.Key key : keys) {
      List<Runnable> ways = lookups(key, expected);
      ways.forEach(Runnable::run);
      lookedUp += ways.size();
    }
  }

  /** In one of the ways to look up each. */
  private void lookOnce(Collection<Rows.Key> keys, Rows expected) {
    for (Rows.Key key : keys) {
      List<Runnable> ways = lookups(key, expected);
      ways.get(random.nextInt(ways.size())).run();
      lookedUp++;
    }
  }

  private List<Runnable> lookups(Rows.Key key, Rows expected) {
    return switch (key.kind()) {
      case ACCOUNT -> account((Long) key.value(), expected.accounts.get(key.value()));
      case NAME -> name((String) key.value(), expected);
      case DEPARTMENT -> department((String) key.value(), expected.departments.get(key.value()));
      case NOTICE ->
          List.of(
              () ->
                  same(
                      Optional.ofNullable(notices.findById((Long) key.value()))
                          .map(Notice::getText),
                      expected.notices.get(key.value())));
    };
  }

  private List<Runnable> account(long id, Rows.AccountRow row) {
    return List.of(
        () -> same(Optional.ofNullable(accounts.findById(id)).map(WriteFuzz::row), row),
        () -> assertThat(accounts.findByIds(List.of(-1L, id))).hasSize(row == null ? 0 : 1));
  }

  private List<Runnable> name(String name, Rows expected) {
    Rows.AccountRow row =
        expected.accounts.values().stream()
            .filter(one -> one.name().equalsIgnoreCase(name))
            .findFirst()
            .orElse(null);
    String other = writes.spelt(name);
    return List.of(
        () -> same(Optional.ofNullable(accounts.findByUserName(name)).map(WriteFuzz::row), row),
        () -> same(Optional.ofNullable(accounts.findByUserName(other)).map(WriteFuzz::row), row),
        () -> assertThat(accounts.countByUserName(name)).isEqualTo(row == null ? 0 : 1),
        () -> assertThat(accounts.countByUserName(other)).isEqualTo(row == null ? 0 : 1));
  }

  private List<Runnable> department(String code, String title) {
    return List.of(
        () -> same(departments.findByCode(code).map(Department::getTitle), title),
        () -> assertThat(departments.exists(code)).isEqualTo(title != null));
  }

  private static Rows.AccountRow row(Account account) {
    return new Rows.AccountRow(account.getUserName(), account.getMail(), account.getDepartment());
  }

  private static <T> void same(Optional<T> found, T expected) {
    assertThat(found).isEqualTo(Optional.ofNullable(expected));
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

  /** Asks as others do meanwhile; the rows of the start stay as they are. */
  private void read() {
    while (true) {
      meanwhile.acquireUninterruptibly();
      if (over.get()) {
        return;
      }
      Rows.Key key = recent.get(ThreadLocalRandom.current().nextInt(RECENT));
      if (key != null) {
        switch (key.kind()) {
          case ACCOUNT -> accounts.findById((Long) key.value());
          case NAME -> accounts.findByUserName((String) key.value());
          case DEPARTMENT -> departments.findByCode((String) key.value());
          case NOTICE -> notices.findById((Long) key.value());
        }
      }
      assertThat(accounts.findByUserName("ADMIN")).isNotNull();
      assertThat(departments.findByCode("IT")).isPresent();
    }
  }
}
