package io.bloomguard.it.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Mono;

/** Writes and reads in transactions of R2DBC, whose commits a test holds up. */
@SpringBootTest(
    properties = {
      "bloomguard.filters.orders.warm-up.mode=blocking",
      "bloomguard.filters.orders.verify.first=0",
      "bloomguard.filters.orders.verify.sample=0"
    })
class TransactionsTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  @Autowired private Orders orders;
  @Autowired private BloomGuards guards;
  @Autowired private ReactiveTransactionManager manager;
  private Connection holder;

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry properties) {
    Postgres.execute(
        "drop table if exists orders",
        "drop sequence if exists order_ids",
        "create table orders (id bigint primary key, item varchar(40))",
        "create sequence order_ids start 1001",
        "insert into orders select x, 'item ' || x from generate_series(1, 100) x",
        "create or replace function await_test() returns trigger language plpgsql as"
            + " 'begin perform pg_advisory_xact_lock_shared(7); return null; end'",
        "create constraint trigger held after insert or update on orders"
            + " deferrable initially deferred for each row execute function await_test()");
    properties.add("spring.r2dbc.url", Postgres::url);
  }

  @BeforeEach
  void connect() throws SQLException {
    holder = Postgres.SERVER.getPostgresDatabase().getConnection();
  }

  @AfterEach
  void disconnect() throws SQLException {
    holder.close();
  }

  private long asked(String query) {
    try (Statement statement = holder.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Starts a write, and waits until the database has begun its commit, which does not end. */
  private CompletableFuture<?> committing(Mono<?> write) {
    asked("select count(*) from (select pg_advisory_lock(7)) held");
    CompletableFuture<?> written = write.toFuture();
    await()
        .atMost(LONG)
        .until(
            () ->
                asked("select count(*) from pg_locks where locktype = 'advisory' and not granted")
                    == 1);
    return written;
  }

  private void release() {
    asked("select pg_advisory_unlock(7)::int");
  }

  private Order find(long id) {
    return orders.find(id).block(LONG);
  }

  @Test
  void aReadDuringTheCommitOfAnInsertLeavesNoNull() {
    Order order = new Order(5001, "lamp");
    CompletableFuture<?> written = committing(orders.insert(order));
    assertThat(find(5001)).isNull();
    release();
    assertThat(written).succeedsWithin(LONG);
    assertThat(find(5001)).isEqualTo(order);
  }

  @Test
  void aReadDuringTheCommitOfAnUpdateLeavesNoOldValue() {
    assertThat(find(7)).isEqualTo(new Order(7, "item 7"));
    CompletableFuture<?> written = committing(orders.update(new Order(7, "bulb")));
    assertThat(find(7)).isEqualTo(new Order(7, "item 7"));
    release();
    assertThat(written).succeedsWithin(LONG);
    assertThat(find(7)).isEqualTo(new Order(7, "bulb"));
  }

  @Test
  void whatATransactionReadsOfItsOwnIsNotSharedAfterItsRollback() {
    TransactionalOperator operator = TransactionalOperator.create(manager);
    Mono<Order> failing =
        operator.transactional(
            orders
                .update(new Order(8, "dirty"))
                .then(orders.insert(new Order(5008, "dirty")))
                .then(Mono.zip(orders.find(8), orders.find(5008)))
                .flatMap(
                    seen ->
                        Mono.error(new IllegalStateException(seen.getT1() + "" + seen.getT2()))));
    assertThat(failing.map(Order::item).onErrorResume(e -> Mono.just(e.getMessage())).block(LONG))
        .isEqualTo("Order[id=8, item=dirty]Order[id=5008, item=dirty]");
    assertThat(find(8)).isEqualTo(new Order(8, "item 8"));
    assertThat(find(5008)).isNull();
  }

  @Test
  void anIdThatTheDatabaseDrawsIsInTheFilterBeforeTheCommit() {
    CompletableFuture<?> written = committing(orders.create("lamp"));
    long drawn = asked("select last_value from order_ids");
    assertThat(guards.guard("orders").check(drawn)).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(find(drawn)).isNull();
    release();
    assertThat(written).succeedsWithin(LONG);
    assertThat(find(drawn)).isEqualTo(new Order(drawn, "lamp"));
  }

  /** A client that disconnects, while the database commits. */
  @Test
  void aWriteThatIsCancelledDuringItsCommitIsFound() {
    Order order = new Order(5009, "lamp");
    CompletableFuture<?> written = committing(orders.insert(order));
    written.cancel(true);
    assertThat(find(5009)).isNull();
    release();
    await().atMost(LONG).untilAsserted(() -> assertThat(find(5009)).isEqualTo(order));
  }
}
