package io.bloomguard.data.internal;

import io.bloomguard.data.internal.SessionRows.Update;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.data.internal.row.RowKey;
import io.bloomguard.data.internal.row.RowWrites;
import io.bloomguard.guard.KeyedClasses;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.keygen.Jdbc3KeyGenerator;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.SqlCommandType;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSessionFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * The plugin of MyBatis that sees every statement that writes, whatever ran it: a mapper, a session
 * or a batch. The objects with a {@code @BloomKey} in its parameter are the rows.
 *
 * <p>It joins each configuration by itself, because an application that makes its own
 * SqlSessionFactory need not look for plugins among the beans.
 */
public final class MyBatisWrites
    implements Interceptor,
        BeanPostProcessor,
        PendingWrites,
        KeyedClasses,
        SmartInitializingSingleton {

  private static final Logger LOG = LoggerFactory.getLogger(MyBatisWrites.class);

  private final RowGuards guards;
  private final MappedRows rows;
  private final BoundForms forms;
  private final List<Configuration> configurations = new CopyOnWriteArrayList<>();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /** What the thread runs, if it writes rows. */
  private final ThreadLocal<@Nullable Update> running = new ThreadLocal<>();

  /** Whether mappers write rows with keys; null until the start has looked. */
  private volatile @Nullable Boolean mapped;

  /**
   * The writes of an application's mappers.
   *
   * @param guards the guards that they are told to
   */
  public MyBatisWrites(RowGuards guards) {
    this.rows = new MappedRows(guards.scopes());
    this.guards = guards;
    this.forms = new BoundForms(guards.guards());
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof SqlSessionFactory factory) {
      Configuration configuration = factory.getConfiguration();
      if (!configurations.contains(configuration)) {
        configurations.add(configuration);
        configuration.addInterceptor(this);
      }
    }
    return bean;
  }

  /**
   * Compiles the keys of all classes that mappers write.
   *
   * @throws StartRefusedException for the first that cannot be applied
   */
  @Override
  public void afterSingletonsInstantiated() {
    boolean any = false;
    for (Configuration configuration : configurations) {
      Map<Class<?>, Set<MappedStatement>> found = rows.of(configuration);
      any |= !found.isEmpty();
      found.forEach(
          (type, in) -> {
            forms.start(configuration, type, rows.keys(type), in);
            warnOfDrawn(type, in);
          });
    }
    mapped = any;
  }

  /** Says which inserts of a class fail outside of transactions: no caller can be looked at. */
  private void warnOfDrawn(Class<?> type, Set<MappedStatement> statements) {
    Set<String> drawing =
        statements.stream()
            .filter(each -> each.getSqlCommandType() == SqlCommandType.INSERT)
            .filter(each -> each.getKeyGenerator() instanceof Jdbc3KeyGenerator)
            .filter(each -> isDrawn(type, each))
            .map(MappedStatement::getId)
            .collect(Collectors.toCollection(TreeSet::new));
    if (!drawing.isEmpty()) {
      LOG.warn(
          "The database draws the key of the rows of {} that {} insert, so each of these calls"
              + " needs a transaction, and fails without one: the key is known only once the row is"
              + " written. Call them in a transaction (@Transactional on the caller), or let the"
              + " application assign the id (IdType.ASSIGN_ID)",
          type.getName(),
          drawing);
    }
  }

  /** Whether an insert sets a part of a key from what the database draws. */
  private boolean isDrawn(Class<?> type, MappedStatement insert) {
    String[] drawn = insert.getKeyProperties();
    Set<String> properties =
        drawn == null
            ? Set.of()
            : Stream.of(drawn)
                .map(name -> name.substring(name.lastIndexOf('.') + 1))
                .collect(Collectors.toSet());
    return rows.keys(type).stream()
        .flatMap(key -> key.paths().stream())
        .anyMatch(path -> properties.contains(path.attribute()));
  }

  @Override
  public boolean contain(Class<?> type) {
    if (mapped == null) {
      configurations.forEach(rows::of);
    }
    return rows.maps(type);
  }

  /** Whether mappers write rows with keys, as far as it is known yet. */
  private boolean writesRows() {
    return !Boolean.FALSE.equals(mapped);
  }

  @Override
  public Object plugin(Object target) {
    if (target instanceof Executor executor && writesRows()) {
      return Proxy.newProxyInstance(
          Executor.class.getClassLoader(),
          new Class<?>[] {Executor.class},
          new SessionRows(this, executor));
    }
    if (target instanceof StatementHandler handler) {
      Update update = running.get();
      if (update != null) {
        // The keys that MyBatis-Plus or a selectKey draws are set by now, and nothing has run yet.
        update.session().parametersAreSet(update.statement(), update.rows(), handler.getBoundSql());
      }
    }
    return target;
  }

  @Override
  public Object intercept(Invocation invocation) throws Throwable {
    return invocation.proceed();
  }

  MappedRows rows() {
    return rows;
  }

  BoundForms forms() {
    return forms;
  }

  RowGuards guards() {
    return guards;
  }

  @Nullable Update swap(@Nullable Update next) {
    Update before = running.get();
    if (next == null) {
      running.remove();
    } else {
      running.set(next);
    }
    return before;
  }

  /**
   * The class whose rows a statement without rows deletes by their ids, as MyBatis-Plus' do; null
   * for none. Any other statement that such a mapper inherits is named, once.
   */
  @Nullable Class<?> deletedByIds(MappedStatement statement) {
    String id = statement.getId();
    int dot = id.lastIndexOf('.');
    Class<?> mapper = dot < 0 ? null : find(id.substring(0, dot));
    Class<?> entity = mapper == null ? null : rows.entityOf(mapper);
    String method = id.substring(dot + 1);
    if (mapper == null || entity == null || declares(mapper, method)) {
      return null; // the check of unguarded writes has named what it declares
    }
    List<RowKey<BoundRow>> keys = rows.keys(entity);
    boolean byIds = Set.of("deleteById", "deleteByIds", "deleteBatchIds").contains(method);
    if ((!byIds || !keys.stream().allMatch(RowKey::isWholeId)) && warned.add(id)) {
      LOG.warn(
          "{} writes rows of {} without their keys: a value that it gives to a key is not added to"
              + " the filter, which would reject the row, and entries of the rows stay cached."
              + " Write the rows by their objects, or use BloomGuard.put and evict",
          id,
          entity.getName());
      keys.forEach(key -> guards.guards().get().unseenWrite(key.filter(), id));
    }
    return byIds ? entity : null;
  }

  /** Says that the database has set no key on the rows of an insert. */
  void warnOfUnset(MappedStatement statement) {
    if (warned.add(statement.getId() + " insert")) {
      LOG.warn(
          "{} inserted a row whose object has no key after it, so the filter would reject the row."
              + " Add useGeneratedKeys=\"true\" and keyProperty to the statement",
          statement.getId());
    }
  }

  private static boolean declares(Class<?> mapper, String method) {
    return List.of(mapper.getDeclaredMethods()).stream()
        .anyMatch(each -> each.getName().equals(method));
  }

  private static @Nullable Class<?> find(String name) {
    try {
      return ClassUtils.forName(name, Thread.currentThread().getContextClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      return null; // a namespace without an interface
    }
  }

  /** Begins the gathered writes before a lookup of the same transaction. */
  @Override
  public boolean remain(String filter) {
    if (writesRows()) {
      RowWrites.beginOfThread();
    }
    return false;
  }
}
