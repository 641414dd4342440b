package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.RowKey;
import io.bloomguard.data.internal.row.RowWrites;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.ibatis.executor.BatchExecutor;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.keygen.NoKeyGenerator;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.SqlCommandType;
import org.jspecify.annotations.Nullable;

/**
 * The rows that one session of MyBatis writes. Their keys belong to the transaction of the calling
 * thread; without one, to the session until it commits or is closed, as Spring's does after a call.
 *
 * <p>A session belongs to one thread at a time.
 */
final class SessionRows implements InvocationHandler {

  private static final Set<String> ENDS = Set.of("commit", "rollback", "close");

  private final MyBatisWrites writes;
  private final Executor executor;

  /** Inserts of a batch whose keys the database has still to draw; the batch keeps them as well. */
  private final List<Insert> drawn = new ArrayList<>();

  private @Nullable RowWrites alone;

  private record Insert(MappedStatement statement, BoundRow row) {}

  /** A statement of a session that the thread runs, with the rows that it writes. */
  record Update(SessionRows session, MappedStatement statement, List<BoundRow> rows) {}

  SessionRows(MyBatisWrites writes, Executor executor) {
    this.writes = writes;
    this.executor = executor;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (arguments != null && arguments.length > 1 && writes(method, arguments[0])) {
      return update(method, arguments);
    }
    if (method.getName().startsWith("query")) {
      return query(method, arguments);
    }
    boolean ends = ENDS.contains(method.getName());
    if (!ends && !method.getName().equals("flushStatements")) {
      return proceed(method, arguments);
    }
    try {
      if (method.getName().equals("commit") && !drawn.isEmpty()) {
        executor.flushStatements();
        gatherDrawn();
      }
      Object result = proceed(method, arguments);
      gatherDrawn();
      return result;
    } finally {
      drawn.clear();
      if (ends) {
        close(); // by now the rows are visible, whether each statement commits or the session
      }
    }
  }

  /** A select that writes, such as "insert ... returning", declares affectData. */
  private static boolean writes(Method method, @Nullable Object of) {
    return method.getName().equals("update")
        || (method.getName().equals("query")
            && of instanceof MappedStatement query
            && query.isDirtySelect());
  }

  private static boolean inserts(MappedStatement statement) {
    return statement.getSqlCommandType() == SqlCommandType.INSERT || statement.isDirtySelect();
  }

  /** Runs a query, such as a selectKey within an insert: its parameters are no row's. */
  private @Nullable Object query(Method method, Object @Nullable [] arguments) throws Throwable {
    Update before = writes.swap(null);
    try {
      return proceed(method, arguments);
    } finally {
      writes.swap(before);
    }
  }

  private @Nullable Object update(Method method, Object[] arguments) throws Throwable {
    MappedStatement updated = (MappedStatement) arguments[0];
    List<BoundRow> found = writes.rows().in(arguments[1]);
    if (!areTold(found, arguments[1])) {
      changeIds(updated, arguments[1]);
    }
    Update before = writes.swap(found.isEmpty() ? null : new Update(this, updated, found));
    try {
      Object result = proceed(method, arguments);
      boolean batched = Integer.valueOf(BatchExecutor.BATCH_UPDATE_RETURN_VALUE).equals(result);
      if (inserts(updated)) {
        found.stream()
            .filter(row -> !batched || !row.hasKeys())
            .forEach(row -> drawn.add(new Insert(updated, row)));
        if (!batched) {
          gatherDrawn();
        }
      }
      return result;
    } finally {
      writes.swap(before);
    }
  }

  /** Gathers the keys that the rows have before the statement runs. */
  void parametersAreSet(MappedStatement running, List<BoundRow> rows, BoundSql sql) {
    boolean inserts = inserts(running);
    boolean updates = running.getSqlCommandType() == SqlCommandType.UPDATE;
    if (inserts
        && !(running.getKeyGenerator() instanceof NoKeyGenerator)
        && !rows.stream().allMatch(BoundRow::hasKeys)
        && !RowWrites.isInTransaction()) {
      throw new IllegalStateException(
          "The database draws the key of a row that "
              + running.getId()
              + " inserts, so it is known only once the row is written, and without a transaction"
              + " it is visible by then. Call it within a transaction");
    }
    List<BoundRow> bound = writes.forms().bind(running.getConfiguration(), sql, rows);
    gather(
        gathered -> {
          for (BoundRow row : bound) {
            for (RowKey<BoundRow> key : row.keys()) {
              boolean adds = inserts || (updates && !key.isWholeId());
              key.changes(gathered, null, adds ? row : null);
              key.changes(gathered, row, null);
            }
          }
        });
  }

  private void changeIds(MappedStatement updated, @Nullable Object parameter) {
    Class<?> entity = inserts(updated) ? null : writes.deletedByIds(updated);
    Object ids =
        parameter instanceof Map<?, ?> named && named.containsKey("coll")
            ? named.get("coll")
            : parameter;
    if (ids != null && entity != null) {
      Collection<?> all = ids instanceof Collection<?> several ? several : List.of(ids);
      gather(
          gathered -> {
            for (RowKey<BoundRow> key : writes.rows().keys(entity)) {
              for (Object id : key.isWholeId() ? all : List.of()) {
                gathered.change(
                    key.filter(), writes.forms().ofId(updated.getConfiguration(), entity, key, id));
              }
            }
          });
    }
  }

  /**
   * Whether the objects in a statement's parameter are all rows that it writes: not those that
   * MyBatis-Plus adds for its audit columns, nor the new values of a statement by a wrapper.
   */
  private static boolean areTold(List<BoundRow> found, @Nullable Object parameter) {
    boolean byWrapper =
        parameter instanceof Map<?, ?> named && named.containsKey("ew") && named.get("ew") != null;
    return !found.isEmpty()
        && !byWrapper
        && found.stream()
            .allMatch(row -> row.keys().stream().allMatch(key -> !key.isWholeId() || row.has(key)));
  }

  private void gatherDrawn() {
    if (drawn.isEmpty()) {
      return;
    }
    gather(
        gathered -> {
          for (Insert insert : drawn) {
            BoundRow row = insert.row();
            BoundRow bound =
                writes.forms().bind(insert.statement().getConfiguration(), row, Map.of());
            for (RowKey<BoundRow> key : row.keys()) {
              if (key.isWholeId() && !row.has(key)) {
                writes.warnOfUnset(insert.statement());
              }
              key.drawn(gathered, bound);
            }
          }
        });
    drawn.clear();
  }

  private void gather(Consumer<GatheredWrites> keys) {
    if (RowWrites.write(writes.guards(), keys)) {
      return;
    }
    if (alone == null) {
      alone = new RowWrites(writes.guards().gather(), /* eager= */ true);
    }
    alone.write(keys);
  }

  private void close() {
    RowWrites ended = alone;
    alone = null;
    if (ended != null) {
      ended.end(RowWrites.endOfStatement(writes.guards()));
    }
  }

  private @Nullable Object proceed(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(executor, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
