package io.bloomguard.data.internal;

import io.bloomguard.guard.OwnedTypes;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.session.Configuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.BeansException;

/**
 * The plugins of MyBatis that rewrite queries, so that one key may stand for one row of each
 * caller.
 *
 * <p>Those of MyBatis-Plus are known by name. An unknown one leads to a warning, since it may do no
 * more than measure or count.
 */
public final class MyBatisPlugins implements OwnedTypes {

  private static final Logger LOG = LoggerFactory.getLogger(MyBatisPlugins.class);

  private static final String INNER = "com.baomidou.mybatisplus.extension.plugins.inner.";

  /** The plugin that runs the others of MyBatis-Plus. Public for hints of a native image. */
  public static final String PLUS =
      "com.baomidou.mybatisplus.extension.plugins.MybatisPlusInterceptor";

  /** Plugins, and their subclasses, that choose the rows or the table by the caller. */
  private static final Set<String> DIVIDING =
      Set.of(
          INNER + "BaseMultiTableInnerInterceptor", // above tenant lines and data permissions
          INNER + "TenantLineInnerInterceptor",
          INNER + "DataPermissionInterceptor",
          INNER + "DynamicTableNameInnerInterceptor");

  /** Those that choose by the tenant, as far as their names tell. */
  private static final Set<String> OF_TENANTS =
      Set.of(INNER + "TenantLineInnerInterceptor", INNER + "DynamicTableNameInnerInterceptor");

  /** Plugins that leave the rows of a query as they are. A subclass of one is unknown. */
  private static final Set<String> HARMLESS =
      Set.of(
          PLUS,
          INNER + "PaginationInnerInterceptor",
          INNER + "OptimisticLockerInnerInterceptor",
          INNER + "BlockAttackInnerInterceptor",
          INNER + "IllegalSQLInnerInterceptor",
          INNER + "ReplacePlaceholderInnerInterceptor",
          INNER + "DataChangeRecorderInnerInterceptor",
          "com.github.pagehelper.PageInterceptor",
          "com.github.yulichang.interceptor.MPJInterceptor"); // chooses the class of a join's rows

  private final Supplier<? extends Collection<Configuration>> configurations;
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * The plugins of an application.
   *
   * @param configurations called for each lookup, since plugins join them while they are made
   */
  public MyBatisPlugins(Supplier<? extends Collection<Configuration>> configurations) {
    this.configurations = configurations;
  }

  @Override
  public @Nullable String reason(Class<?> type) {
    return null;
  }

  /**
   * A plugin chooses rows for each caller whatever their class: a value may hold rows of MyBatis,
   * whatever its class.
   */
  @Override
  public @Nullable String tenant(Class<?> type) {
    String reason = reason(plugin -> isOf(plugin, DIVIDING));
    if (reason == null) {
      plugins()
          .map(plugin -> plugin.getClass().getTypeName())
          .filter(name -> !HARMLESS.contains(name) && warned.add(name))
          .forEach(MyBatisPlugins::warn);
    }
    return reason;
  }

  @Override
  public @Nullable String caller(Class<?> type) {
    return reason(plugin -> isOf(plugin, DIVIDING) && !isOf(plugin, OF_TENANTS));
  }

  private @Nullable String reason(Predicate<Object> chooses) {
    return plugins()
        .filter(chooses)
        .map(plugin -> plugin.getClass().getTypeName())
        .findFirst()
        .map(
            name ->
                "may come from MyBatis, whose " + name + " chooses rows or tables for each caller")
        .orElse(null);
  }

  private Stream<Object> plugins() {
    return configurations.get().stream()
        .flatMap(configuration -> configuration.getInterceptors().stream())
        .flatMap(MyBatisPlugins::parts);
  }

  private static void warn(String plugin) {
    LOG.warn(
        "MyBatis' plugin {} sees every query, and guarded methods keep entries by keys without a"
            + " tenant. If it chooses rows by the caller, one caller would get the row, or the"
            + " null entry, of another: make the tenant part of these keys, or set caching = NONE",
        plugin);
  }

  /** The plugin, if it may rewrite a query, or those that it runs. */
  private static Stream<Object> parts(Interceptor plugin) {
    if (isOf(plugin, Set.of(PLUS))) {
      try {
        Object inner = new BeanWrapperImpl(plugin).getPropertyValue("interceptors");
        if (inner instanceof Collection<?> all) {
          return Stream.concat(Stream.of(plugin), all.stream());
        }
      } catch (BeansException e) {
        LOG.warn("The plugins of {} cannot be read: {}", PLUS, e.getClass().getName());
      }
    }
    if (plugin instanceof MyBatisWrites) {
      return Stream.empty();
    }
    Intercepts intercepts = plugin.getClass().getAnnotation(Intercepts.class);
    boolean rewrites =
        intercepts == null || Arrays.stream(intercepts.value()).anyMatch(MyBatisPlugins::rewrites);
    return rewrites ? Stream.of(plugin) : Stream.empty();
  }

  /** Whether a plugin is called before the statement of a query is prepared. */
  private static boolean rewrites(Signature signature) {
    return signature.type() == Executor.class
        ? signature.method().startsWith("query")
        : signature.type() == StatementHandler.class && signature.method().equals("prepare");
  }

  private static boolean isOf(Object plugin, Set<String> names) {
    for (Class<?> type = plugin.getClass(); type != null; type = type.getSuperclass()) {
      if (names.contains(type.getName())) {
        return true;
      }
    }
    return false;
  }
}
