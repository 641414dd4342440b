package io.bloomguard.it.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import jakarta.persistence.EntityManagerFactory;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.hibernate.SessionFactory;
import org.hibernate.stat.Statistics;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The annotations on Spring Data repositories and on services over them, with Hibernate. */
@SpringBootTest
class JpaApplicationTest {

  @Autowired private NoteRepository notes;
  @Autowired private ProductRepository products;
  @Autowired private Tickets tickets;
  @Autowired private BloomGuards guards;
  @Autowired private JdbcTemplate jdbc;
  @Autowired private PlatformTransactionManager transactions;
  @Autowired private EntityManagerFactory entityManagers;

  @Test
  void anAbsentIdReachesNoDatabase() {
    long before = statements();
    assertThat(notes.findById(-1L)).isEmpty();
    assertThat(tickets.find(-1)).isEmpty();
    assertThat(products.findOneById(UUID.randomUUID())).isEmpty();
    assertThat(products.findByIdIn(List.of(UUID.randomUUID(), UUID.randomUUID()))).isEmpty();
    assertThat(statements()).isEqualTo(before);
  }

  @Test
  void anIdDrawnByTheInsertIsAddedByTheRepository() {
    Note note = write(new Note("first"));
    assertThat(notes.findById(note.getId())).map(Note::getText).hasValue("first");
  }

  @Test
  void anEntityIsEachCallersOwn() {
    Note note = write(new Note("first"));
    assertThat(notes.findById(note.getId()).orElseThrow())
        .isNotSameAs(notes.findById(note.getId()).orElseThrow());
    inTransaction(
        TransactionDefinition.ISOLATION_DEFAULT,
        () -> notes.findById(note.getId()).orElseThrow().setText("changed"));
    assertThat(
            jdbc.queryForObject("select text from note where id = ?", String.class, note.getId()))
        .isEqualTo("changed");
    assertThat(notes.findById(note.getId())).map(Note::getText).hasValue("changed");
  }

  @Test
  void aKeyOfTheResultIsAddedInATransactionAroundTheRepositorysOwn() {
    Note note = notes.save(new Note("alone"));
    assertThat(notes.findById(note.getId())).map(Note::getText).hasValue("alone");
  }

  @Test
  void anIdDrawnFromASequenceIsAddedByTheService() {
    Ticket ticket = tickets.open("first");
    assertThat(tickets.find(ticket.getId())).map(Ticket::getTitle).hasValue("first");
  }

  @Test
  void anAssignedIdIsAddedBeforeTheRowIsFlushed() {
    Product product = new Product(UUID.randomUUID(), "sku");
    long before = productsInserted();
    inTransaction(
        TransactionDefinition.ISOLATION_DEFAULT,
        () -> {
          products.save(product);
          assertThat(check("products", product.getId())).isEqualTo(Membership.POSSIBLY_PRESENT);
          assertThat(productsInserted()).as("nothing is flushed yet").isEqualTo(before);
        });
    assertThat(productsInserted()).isEqualTo(before + 1);
    assertThat(products.findOneById(product.getId())).map(Product::getSku).hasValue("sku");
  }

  @Test
  void everyProductOfABatchIsAdded() {
    Product one = new Product(UUID.randomUUID(), "one");
    Product two = new Product(UUID.randomUUID(), "two");
    products.saveAll(List.of(one, two));
    assertThat(products.findByIdIn(List.of(one.getId(), UUID.randomUUID(), two.getId())))
        .extracting(Product::getSku)
        .containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void aRollbackLeavesOneFalsePositive() {
    Ticket[] opened = new Ticket[1];
    assertThatThrownBy(
            () ->
                inTransaction(
                    TransactionDefinition.ISOLATION_DEFAULT,
                    () -> {
                      opened[0] = tickets.open("never");
                      throw new IllegalStateException("rolled back");
                    }))
        .hasMessage("rolled back");
    long id = opened[0].getId();
    assertThat(check("tickets", id)).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(tickets.find(id)).isEmpty();
    long before = statements();
    assertThat(tickets.find(id)).isEmpty();
    assertThat(statements()).as("a null entry answers").isEqualTo(before);
  }

  @Test
  void whatIsDeletedIsNoLongerFound() {
    Note note = write(new Note("short-lived"));
    assertThat(notes.findById(note.getId())).isPresent();
    notes.deleteById(note.getId());
    assertThat(notes.findById(note.getId())).isEmpty();

    Ticket ticket = tickets.open("short-lived");
    assertThat(tickets.find(ticket.getId())).isPresent();
    tickets.close(ticket.getId());
    assertThat(tickets.find(ticket.getId())).isEmpty();

    Product product = products.save(new Product(UUID.randomUUID(), "short-lived"));
    assertThat(products.findOneById(product.getId())).isPresent();
    products.delete(product);
    assertThat(products.findOneById(product.getId())).isEmpty();
  }

  @Test
  void aReaderOnAnOlderSnapshotLeavesNothingStaleBehind() throws Exception {
    Ticket known = tickets.open("old");
    Ticket[] opened = new Ticket[1];
    inTransaction(
        TransactionDefinition.ISOLATION_REPEATABLE_READ,
        () -> {
          jdbc.queryForList("select id from ticket");
          elsewhere(() -> opened[0] = tickets.open("new"));
          elsewhere(() -> tickets.rename(known.getId(), "new"));
          assertThat(tickets.find(opened[0].getId())).as("not in this snapshot").isEmpty();
          assertThat(tickets.find(known.getId())).map(Ticket::getTitle).hasValue("old");
        });
    assertThat(tickets.find(opened[0].getId())).map(Ticket::getTitle).hasValue("new");
    assertThat(tickets.find(known.getId())).map(Ticket::getTitle).hasValue("new");
  }

  @Test
  void aReaderWhoseTransactionBeganAfterTheWriteCaches() {
    Ticket ticket = tickets.open("new");
    inTransaction(
        TransactionDefinition.ISOLATION_REPEATABLE_READ,
        () -> assertThat(tickets.view(ticket.getId())).isPresent());
    long before = statements();
    assertThat(tickets.view(ticket.getId())).map(TicketView::title).hasValue("new");
    assertThat(statements()).isEqualTo(before);
  }

  /** Two writers commit and roll back; the reader asks for each row as soon as it is visible. */
  @Test
  void aVisibleRowIsNeverDenied() throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(2);
    try {
      Seen seenNotes = new Seen("note");
      Seen seenTickets = new Seen("ticket");
      int before = seenNotes.next().size() + seenTickets.next().size();
      List<Future<Integer>> writing =
          List.of(writers.submit(writer(17)), writers.submit(writer(4711)));
      boolean done;
      do {
        done = writing.stream().allMatch(Future::isDone);
        seenNotes.next().forEach(id -> assertThat(notes.findById(id)).as("note").isPresent());
        seenTickets.next().forEach(id -> assertThat(tickets.find(id)).as("ticket").isPresent());
      } while (!done);
      int committed = writing.get(0).get() + writing.get(1).get();
      assertThat(seenNotes.ids.size() + seenTickets.ids.size()).isEqualTo(before + committed);
      System.out.println(
          "RESULT " + committed + " rows asked for as they became visible, 0 denied");
    } finally {
      writers.shutdownNow();
    }
  }

  /** Commits 300 rows, and rolls some others back. */
  private Callable<Integer> writer(long seed) {
    return () -> {
      SplittableRandom random = new SplittableRandom(seed);
      int committed = 0;
      while (committed < 300) {
        switch (random.nextInt(4)) {
          case 0 -> write(new Note("n"));
          case 3 -> notes.save(new Note("n")); // in a transaction that the guard begins
          case 1 -> tickets.open("t");
          default -> {
            rolledBack(random.nextBoolean());
            continue;
          }
        }
        committed++;
      }
      return committed;
    };
  }

  private void rolledBack(boolean note) {
    new TransactionTemplate(transactions)
        .executeWithoutResult(
            status -> {
              if (note) {
                notes.save(new Note("never"));
              } else {
                tickets.open("never");
              }
              status.setRollbackOnly();
            });
  }

  /** The rows of a table that were not there at the last look. Ids may become visible unordered. */
  private final class Seen {

    private final String table;
    private final Set<Long> ids = new HashSet<>();

    Seen(String table) {
      this.table = table;
    }

    List<Long> next() {
      return jdbc.queryForList("select id from " + table, Long.class).stream()
          .filter(ids::add)
          .toList();
    }
  }

  private Note write(Note note) {
    return Objects.requireNonNull(
        new TransactionTemplate(transactions).execute(status -> notes.save(note)));
  }

  private void inTransaction(int isolation, Runnable work) {
    TransactionTemplate template = new TransactionTemplate(transactions);
    template.setIsolationLevel(isolation);
    template.executeWithoutResult(status -> work.run());
  }

  private static void elsewhere(Runnable work) {
    CompletableFuture.runAsync(work).orTimeout(60, TimeUnit.SECONDS).join();
  }

  private Membership check(String filter, Object id) {
    return guards.guard(filter, Object.class).check(id);
  }

  private long statements() {
    return statistics().getPrepareStatementCount();
  }

  private long productsInserted() {
    return statistics().getEntityStatistics(Product.class.getName()).getInsertCount();
  }

  private Statistics statistics() {
    return entityManagers.unwrap(SessionFactory.class).getStatistics();
  }
}
