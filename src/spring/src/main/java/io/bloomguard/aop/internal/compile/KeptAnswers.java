package io.bloomguard.aop.internal.compile;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.internal.call.CompiledKey;
import io.bloomguard.aop.internal.call.ReturnShape;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.CacheAttributes;
import io.bloomguard.aop.internal.method.RowClasses;
import io.bloomguard.guard.AnswerType;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.Reject;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ResolvableType;

/** The decisions about what is kept of a guarded method's answers, and shared among its callers. */
final class KeptAnswers {

  private static final Logger LOG = LoggerFactory.getLogger(KeptAnswers.class);

  /** By name, since an application may be without Spring Security. */
  private static final String POST_FILTER =
      "org.springframework.security.access.prepost.PostFilter";

  private final Supplier<? extends EntryGuards> guards;
  private final OwnedValues owned;

  /** Methods that keep nothing of the rows that belong to a key. */
  private final Set<Method> ofOtherRows = ConcurrentHashMap.newKeySet();

  KeptAnswers(Supplier<? extends EntryGuards> guards, OwnedValues owned) {
    this.guards = guards;
    this.owned = owned;
  }

  /**
   * Whether something is kept of a method's answers: nothing under a blacklist, nor by default if
   * they depend on more than the key, or on rows whose writes do not evict it.
   *
   * @param rows the type of the several rows for one key, or of their number; null for one row
   */
  boolean keeps(
      AnnotatedMethod<BloomGuarded> method,
      CompiledKey key,
      ReturnShape shape,
      @Nullable Type rows) {
    BloomGuarded annotation = method.annotation();
    Caching caching = annotation.caching();
    boolean blacklist = guards.get().rejects(annotation.filter()) == Reject.PRESENT;
    method.refuseIf(
        blacklist && (caching == Caching.VALUES || caching == Caching.NULLS),
        "has caching = {}, but filter '{}' is a blacklist, which keeps no values and no nulls",
        "Leave caching at AUTO or set it to NONE, and cache the answers with @Cacheable",
        caching,
        annotation.filter());
    if (blacklist || caching != Caching.AUTO) {
      return !blacklist && caching != Caching.NONE;
    }
    if (isOfOneRequest(shape)) {
      return nothing(method, "answers one request", "guard the lookup that it calls");
    }
    if (isChosenWithinTenant(method, shape.value())) {
      return false;
    }
    List<String> leftOut = KeyCompiler.leftOut(method, key);
    if (leftOut.isEmpty()) {
      return rows == null || keepsRows(method, rows);
    }
    String problem =
        "has the key \"" + annotation.key() + "\", which leaves out " + String.join(", ", leftOut);
    String remedy =
        "where the answer for a key is the same whatever %s, set caching = VALUES (or NULLS)"
            .formatted(leftOut.size() == 1 ? "it is" : "they are");
    method.refuseIf(
        CacheAttributes.present(annotation),
        "{}, so callers with other values would be answered alike from its cache",
        "Let it keep nothing: caching = NONE without attributes of a cache. Or, {}",
        problem,
        remedy);
    return nothing(method, problem, remedy);
  }

  private static boolean nothing(AnnotatedMethod<?> method, String reason, String remedy) {
    LOG.info("{} {}, so it keeps nothing; {}", method.describe(), reason, remedy);
    return false;
  }

  /**
   * Whether the writes of several rows, which often are those of another table, evict their key, or
   * the method asks for a cache.
   */
  private boolean keepsRows(AnnotatedMethod<BloomGuarded> method, Type rows) {
    String filter = method.annotation().filter();
    ResolvableType answer = ResolvableType.forType(rows);
    boolean evicted =
        CacheAttributes.present(method.annotation())
            || isOne(answer)
            || RowClasses.keys(rowsOf(answer)).anyMatch(key -> key.filter().equals(filter))
            || (owned.reasonOfType(rows) != null && owned.tenantOfType(rows) != null);
    if (!evicted && ofOtherRows.add(method.specific())) {
      nothing(
          method,
          "answers rows that belong to a key (" + rows.getTypeName() + ")",
          ("to keep them, put @BloomKey(filter = \"%s\", attribute = \"...\") on their class, or"
                  + " let your writes evict and set caching = VALUES (or NULLS)")
              .formatted(filter));
    }
    return evicted;
  }

  /** Whether a container is one row, by the names of its columns, or one text or blob. */
  private static boolean isOne(ResolvableType container) {
    Class<?> type = container.resolve(Object.class);
    ResolvableType map = container.as(Map.class);
    return type == byte[].class
        || type == char[].class
        || (map.resolveGeneric(0) == String.class && map.resolveGeneric(1) == Object.class);
  }

  /** The class of the rows in a collection, map or array. */
  private static Class<?> rowsOf(ResolvableType rows) {
    return rows.isArray()
        ? rows.getComponentType().resolve(Object.class)
        : rows.getGeneric(Math.max(0, rows.getGenerics().length - 1)).resolve(Object.class);
  }

  /** Whether a compiled method keeps nothing because its rows may be of another table. */
  boolean isOfOtherRows(AnnotatedMethod<BloomGuarded> method) {
    return ofOtherRows.contains(method.specific());
  }

  /** The reason why callers find different rows by one key, as a clause; null for none. */
  private static @Nullable String chosen(
      AnnotatedMethod<?> method, Type type, Function<Type, @Nullable String> reason) {
    // The rows of a projection are those of the repository's entity.
    return Stream.of(
            Optional.ofNullable(RowClasses.ofRepository(method.target())).map(reason),
            Optional.of(type).map(reason),
            Optional.ofNullable(TenantKeys.queryReason(method.declared())))
        .flatMap(Optional::stream)
        .findFirst()
        .orElse(null);
  }

  /** Whether callers of one tenant, which the scope of the keys tells, find different rows. */
  private boolean isChosenWithinTenant(AnnotatedMethod<BloomGuarded> method, Type type) {
    String reason =
        guards.get().scope(method.annotation().filter()) == null
            ? null
            : chosen(method, type, owned::callerOfType);
    if (reason == null || TenantKeys.namesTenant(reason)) {
      return false;
    }
    LOG.warn(
        "{} keeps nothing: its keys have a scope, but {}. Where all callers of one scope find the"
            + " same rows, set caching = VALUES (or NULLS)",
        method.describe(),
        reason);
    return true;
  }

  /**
   * Refuses a method that could answer one tenant with the value, or the null entry, of another.
   */
  void requireTenant(AnnotatedMethod<BloomGuarded> method, CompiledKey key, Type type) {
    String reason =
        guards.get().scope(method.annotation().filter()) == null
                && !TenantKeys.namesTenant(key.names())
            ? chosen(method, type, owned::tenantOfType)
            : null;
    method.refuseIf(
        reason != null,
        "has the key expression \"{}\", which names no tenant, but {}",
        "Make the tenant part of the key, such as {#tenantId, #id}, in source and writes as well;"
            + " or name a bean that tells the tenant of the thread in"
            + " bloomguard.filters.{}.keys.scope; or set caching = NONE",
        method.annotation().key(),
        reason,
        method.annotation().filter());
  }

  /** The type of the method's values, and whether they are shared. */
  ValueType<Object> valueType(AnnotatedMethod<BloomGuarded> method, ReturnShape shape, Type type) {
    Caching caching = method.annotation().caching();
    if (caching == Caching.NULLS) {
      return unshared(shape);
    }
    String reason =
        isOfOneRequest(shape)
            ? shape.value().getTypeName() + " answers one request"
            : method.other(POST_FILTER).isPresent() // Spring Security cuts it outside of the guard
                ? "@PostFilter takes elements out of it for each caller"
                : owned.reasonOfType(type);
    if (reason == null) {
      return isCacheable(method, type, caching)
          ? new ValueType<>(type, true, shape.findings())
          : unshared(shape);
    }
    method.refuseIf(
        caching == Caching.VALUES,
        "has caching = VALUES, but {}: all callers would get the instance of the first",
        "Leave caching at AUTO or set it to NULLS, or answer a value such as a record",
        reason);
    return unshared(shape);
  }

  /** The value type of a method that keeps no values. */
  static ValueType<Object> unshared(ReturnShape shape) {
    return new ValueType<>(Object.class, false, shape.findings());
  }

  private static boolean isOfOneRequest(ReturnShape shape) {
    AnswerType<?> answer = shape.answer();
    return shape.isPage() || (answer != null && answer.ofOneRequest());
  }

  private static boolean isCacheable(AnnotatedMethod<?> method, Type type, Caching caching) {
    if (ReturnShape.cacheable(type)) {
      return true;
    }
    String problem =
        ("has a return type that leaves open the type of a cached value, or that cannot be read"
                + " back from a cache (%s)")
            .formatted(type.getTypeName());
    method.refuseIf(
        caching == Caching.VALUES,
        "{}",
        "Return a concrete type, or set caching = NULLS or NONE",
        problem);
    LOG.warn("{} {}, so it keeps null entries only", method.describe(), problem);
    return false;
  }
}
