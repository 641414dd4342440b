package io.bloomguard.data.internal;

import io.bloomguard.guard.OwnedTypes;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeanWrapperImpl;

/**
 * Rows that come through a {@code DataSource} or {@code ConnectionFactory} that chooses the
 * database of each call, so that one key may stand for one row of each caller.
 *
 * <p>It leads to a warning, since most of them separate reads from writes.
 */
public final class RoutedRows implements OwnedTypes {

  private static final Logger LOG = LoggerFactory.getLogger(RoutedRows.class);

  /** The routers of Spring, of its R2DBC and of dynamic-datasource. */
  private static final String ROUTER = "AbstractRouting";

  private static final String BY_ISOLATION = "IsolationLevelDataSourceRouter";

  /** The depth of the search in wrappers. */
  private static final int DEPTH = 4;

  private final Supplier<? extends Collection<?>> pools;
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * The rows of an application.
   *
   * @param pools its data sources or connection factories, called for at the first check
   */
  public RoutedRows(Supplier<? extends Collection<?>> pools) {
    this.pools = pools;
  }

  @Override
  public @Nullable String reason(Class<?> type) {
    return null;
  }

  /** Warns, whatever the class: a value may hold rows of any database. */
  @Override
  public @Nullable String tenant(Class<?> type) {
    for (Object pool : pools.get()) {
      String router = router(pool, DEPTH);
      if (router != null && warned.add(router)) {
        LOG.warn(
            "{} chooses the database of each call, and guarded methods keep entries by keys without"
                + " a tenant. If it chooses by the caller, one caller would get the row, or the null"
                + " entry, of another, and a source reads one of the databases: make the tenant part"
                + " of these keys, or set caching = NONE",
            router);
      }
    }
    return null;
  }

  /** The class of a router, or of one behind wrappers; null if there is none. */
  private static @Nullable String router(@Nullable Object pool, int depth) {
    if (pool == null || depth == 0) {
      return null;
    }
    for (Class<?> type = pool.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getSimpleName().equals(BY_ISOLATION)) {
        return null;
      }
      if (type.getSimpleName().startsWith(ROUTER)) {
        return pool.getClass().getTypeName();
      }
    }
    BeanWrapper wrapper = new BeanWrapperImpl(pool);
    for (String target : new String[] {"targetDataSource", "targetConnectionFactory"}) {
      if (wrapper.isReadableProperty(target)) {
        return router(wrapper.getPropertyValue(target), depth - 1);
      }
    }
    return null;
  }
}
