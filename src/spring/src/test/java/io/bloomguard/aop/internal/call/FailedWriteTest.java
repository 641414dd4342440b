package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.r2dbc.spi.R2dbcNonTransientResourceException;
import io.r2dbc.spi.R2dbcTimeoutException;
import java.io.InterruptedIOException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;

/**
 * Writes on the caller's thread, without a transaction, that fail although their row is written.
 */
class FailedWriteTest {

  private static final Map<Long, String> ROWS = new ConcurrentHashMap<>();

  /** Of the next write, after its row is written. */
  private static volatile Exception failure = new IllegalStateException("after the statement");

  private final TestGuards guards = new TestGuards();
  private AnnotationConfigApplicationContext context;
  private Rows rows;

  static class Rows {

    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return ROWS.get(id);
    }

    @BloomPut(filter = "products", key = "#id")
    public void put(long id, String name) throws Exception {
      ROWS.put(id, name);
      throw failure;
    }

    @BloomEvict(filter = "products", key = "#id")
    public void delete(long id) throws Exception {
      ROWS.remove(id);
      throw failure;
    }
  }

  @BeforeEach
  void start() {
    ROWS.clear();
    failure = new IllegalStateException("after the statement");
    context = Guarding.context(guards, Rows.class);
    rows = context.getBean(Rows.class);
    ROWS.put(1L, "old");
    guards.keys.add("1");
    assertThat(rows.find(1)).isEqualTo("old");
  }

  @AfterEach
  void stop() {
    assertThat(Thread.interrupted()).isFalse();
    context.close();
  }

  @Test
  void aFailedWriteDropsTheEntries() {
    assertThatThrownBy(() -> rows.put(1, "new")).isSameAs(failure);
    assertThat(rows.find(1)).isEqualTo("new");
    assertThatThrownBy(() -> rows.delete(1)).isSameAs(failure);
    assertThat(rows.find(1)).isNull();
    assertThat(guards.removals).isEmpty();
    assertThat(keeps(1)).isTrue();
  }

  /** The statement may be under way: what a read finds meanwhile is not kept. */
  @Test
  void aWriteWhoseEndWasNotSeenKeepsItsBarrier() {
    failure = new IllegalStateException(new InterruptedIOException());
    assertThatThrownBy(() -> rows.put(1, "new")).isSameAs(failure);
    assertThat(keeps(1)).isFalse();
    failure = new SQLTimeoutException();
    ROWS.put(2L, "old");
    guards.keys.add("2");
    assertThat(keeps(2)).isTrue();
    assertThatThrownBy(() -> rows.delete(2)).isSameAs(failure);
    assertThat(keeps(2)).isFalse();
  }

  static Stream<Exception> ofLostConnections() {
    return Stream.of(
        new SQLException("as PostgreSQL's driver says it", "08006"),
        new QueryTimeoutException("of a store without types of its own"),
        new DataAccessResourceFailureException("of a store without types of its own"),
        new R2dbcTimeoutException(),
        new R2dbcNonTransientResourceException());
  }

  @ParameterizedTest
  @MethodSource("ofLostConnections")
  void aWriteThatLosesItsConnectionKeepsItsBarrier(Exception lost) {
    failure = new IllegalStateException(lost);
    assertThatThrownBy(() -> rows.put(1, "new")).isSameAs(failure);
    assertThat(keeps(1)).isFalse();
  }

  @Test
  void aWriteOfAnInterruptedThreadKeepsItsBarrier() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> rows.put(1, "new")).isSameAs(failure);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(keeps(1)).isFalse();
  }

  /** Whether a read of the key is kept for the next one. */
  private boolean keeps(long id) {
    ROWS.put(id, "first");
    rows.find(id);
    ROWS.put(id, "second");
    return !"second".equals(rows.find(id));
  }
}
