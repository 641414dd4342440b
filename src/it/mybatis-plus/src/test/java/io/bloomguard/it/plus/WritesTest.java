package io.bloomguard.it.plus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.baomidou.mybatisplus.core.toolkit.Wrappers;
import com.baomidou.mybatisplus.extension.toolkit.Db;
import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.generation.FilterState;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The recipe of the documentation, and every way in which MyBatis-Plus writes a row. */
@SpringBootTest(
    properties = {
      "bloomguard.filters.users.warm-up.mode=blocking",
      "bloomguard.filters.users.warm-up.min-keys=0",
      "bloomguard.filters.tickets.warm-up.mode=blocking",
      "bloomguard.filters.tickets.warm-up.min-keys=0"
    })
@Import(Queries.class)
class WritesTest {

  @Autowired private UserMapper users;
  @Autowired private UserService service;
  @Autowired private TicketMapper tickets;
  @Autowired private Queries queries;
  @Autowired private BloomFiltersEndpoint filters;
  @Autowired private PlatformTransactionManager transactions;

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    for (String property : RealMariaDb.properties("plus")) {
      String[] parts = property.split("=", 2);
      registry.add(parts[0], () -> parts[1]);
    }
  }

  /** The ways of writing two rows. */
  enum Way {
    MAPPER((test, rows) -> rows.forEach(test.users::insert)),
    MAPPER_BATCH((test, rows) -> test.users.insert(rows)),
    MAPPER_UPSERT((test, rows) -> test.users.insertOrUpdate(rows)),
    SERVICE((test, rows) -> rows.forEach(test.service::save)),
    SERVICE_BATCH((test, rows) -> test.service.saveBatch(rows)),
    SERVICE_UPSERT((test, rows) -> test.service.saveOrUpdateBatch(rows)),
    STATIC((test, rows) -> rows.forEach(Db::save)),
    STATIC_BATCH((test, rows) -> Db.saveBatch(rows, 1));

    private final Write write;

    Way(Write write) {
      this.write = write;
    }

    private interface Write {
      void run(WritesTest test, List<User> rows);
    }
  }

  /** With the verification of every start: the first lookup of a missed row would disarm. */
  @AfterEach
  void noRowWasMissed() {
    for (String filter : List.of("users", "tickets")) {
      Map<String, Object> shown = filters.filter(filter);
      assertThat(shown).containsEntry("state", FilterState.READY);
      assertThat(((Map<?, ?>) shown.get("verified")).get("wrong")).isEqualTo(0L);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRowIsFoundHoweverItWasInserted(Way way) {
    for (boolean inTransaction : List.of(false, true)) {
      List<User> rows = List.of(new User("one"), new User("two"));
      run(inTransaction, () -> way.write.run(this, rows));
      assertThat(rows).allSatisfy(row -> assertThat(users.selectById(row.getId())).isNotNull());
    }
  }

  @Test
  void aRowIsFoundWithinItsTransactionAndNotAfterARollback() {
    User row = new User("undone");
    new TransactionTemplate(transactions)
        .executeWithoutResult(
            status -> {
              service.saveBatch(List.of(row));
              assertThat(users.selectById(row.getId())).isNotNull();
              status.setRollbackOnly();
            });
    assertThat(users.selectById(row.getId())).isNull();
  }

  @Test
  void aChangeIsSeen() {
    User row = new User("before");
    users.insert(row);
    for (Consumer<User> update :
        List.<Consumer<User>>of(
            users::updateById,
            service::updateById,
            Db::updateById,
            each -> service.updateBatchById(List.of(each)))) {
      assertThat(users.selectById(row.getId()).getName()).isEqualTo(row.getName());
      User changed = new User(row.getName() + "+");
      changed.setId(row.getId());
      update.accept(changed);
      assertThat(users.selectById(row.getId()).getName()).isEqualTo(changed.getName());
      row.setName(changed.getName());
    }
  }

  @Test
  void aRowThatIsDeletedLogicallyIsNotFound() {
    for (Consumer<Long> delete :
        List.<Consumer<Long>>of(
            users::deleteById,
            service::removeById,
            id -> users.deleteByIds(List.of(id)),
            id -> Db.removeById(id, User.class))) {
      User row = new User("gone");
      users.insert(row);
      assertThat(users.selectById(row.getId())).isNotNull();
      delete.accept(row.getId());
      assertThat(users.selectById(row.getId())).isNull();
    }
  }

  @Test
  void anAbsentKeyIsRejectedWithoutAQuery() {
    int before = queries.run.get();
    Stream.iterate(1L, id -> id + 1).limit(1_000).forEach(id -> users.selectById(-id));
    assertThat(queries.run.get()).as("the first are verified").isGreaterThan(before);
    int verified = queries.run.get();
    Stream.iterate(1L, id -> id + 1).limit(1_000).forEach(id -> users.selectById(-9_000 - id));
    assertThat(queries.run.get() - verified).isLessThan(900);
  }

  @Test
  void anIdThatTheDatabaseDrawsNeedsATransaction() {
    assertThatThrownBy(() -> tickets.insert(new Ticket("no transaction")))
        .hasStackTraceContaining("within a transaction");
    assertThat(tickets.selectCount(Wrappers.emptyWrapper())).isZero();
    List<Ticket> rows = List.of(new Ticket("one"), new Ticket("two"));
    run(true, () -> tickets.insert(rows.get(0)));
    run(true, () -> Db.saveBatch(rows.subList(1, 2)));
    assertThat(rows).allSatisfy(row -> assertThat(tickets.find(row.getNumber())).isNotNull());
  }

  private void run(boolean inTransaction, Runnable work) {
    if (inTransaction) {
      new TransactionTemplate(transactions).executeWithoutResult(status -> work.run());
    } else {
      work.run();
    }
  }
}
