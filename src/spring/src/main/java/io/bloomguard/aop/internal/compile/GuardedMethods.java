package io.bloomguard.aop.internal.compile;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Mode;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.annotation.When;
import io.bloomguard.aop.internal.call.Carrier;
import io.bloomguard.aop.internal.call.CompiledKey;
import io.bloomguard.aop.internal.call.DirectCarrier;
import io.bloomguard.aop.internal.call.GuardInterceptor;
import io.bloomguard.aop.internal.call.KeyPositions;
import io.bloomguard.aop.internal.call.MethodGuard;
import io.bloomguard.aop.internal.call.MultiKeyCalls;
import io.bloomguard.aop.internal.call.ObservedCalls;
import io.bloomguard.aop.internal.call.ReturnShape;
import io.bloomguard.aop.internal.call.Returned;
import io.bloomguard.aop.internal.call.SingleKeyCalls;
import io.bloomguard.aop.internal.call.WriteCalls;
import io.bloomguard.aop.internal.call.WrittenKey;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.CacheAttributes;
import io.bloomguard.aop.internal.method.EmptyValues;
import io.bloomguard.aop.internal.method.KotlinFunction;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.KeyRejectedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.CacheOverrides;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.FilterRefusal;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.verify.Manual;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** The annotated methods of an application, compiled. */
public final class GuardedMethods {

  private static final Logger LOG = LoggerFactory.getLogger(GuardedMethods.class);

  // By name, since Spring Data JPA may be absent.
  private static final String JPA_REPOSITORY =
      "org.springframework.data.jpa.repository.JpaRepository";

  private static final Set<String> REFERENCES = Set.of("getReferenceById", "getById", "getOne");

  /** The results of methods that tell nothing of the rows that they delete. */
  private static final Set<Class<?>> NOTHING = Set.of(void.class, Void.class);

  private final Supplier<? extends EntryGuards> guards;
  private final KeptAnswers kept;
  private final Findings findings;
  private final Transactions transactions;
  private final WriteCalls writes;
  private final CacheUses caches = new CacheUses();
  private volatile boolean verified;

  private final GuardInterceptor<BloomGuarded> guarded =
      new GuardInterceptor<>(BloomGuarded.class, this::guarded);
  private final GuardInterceptor<BloomPut> put = new GuardInterceptor<>(BloomPut.class, this::put);
  private final GuardInterceptor<BloomEvict> evict =
      new GuardInterceptor<>(BloomEvict.class, this::evict);

  /**
   * The methods of an application, none of which is compiled yet.
   *
   * @param guards the guards, called when the first method is compiled, not before
   * @param transactions the transactions of the calling threads
   * @param owned finds values that must not be shared
   * @param findings what answers show of their keys
   */
  public GuardedMethods(
      Supplier<? extends EntryGuards> guards,
      Transactions transactions,
      OwnedValues owned,
      Findings findings) {
    this.guards = guards;
    this.kept = new KeptAnswers(guards, owned);
    this.findings = findings;
    this.transactions = transactions;
    this.writes = new WriteCalls(transactions);
  }

  /**
   * Notes that all methods of the present beans have been compiled; methods of later beans are
   * compiled as they come.
   */
  public void verified() {
    verified = true;
  }

  public boolean areVerified() {
    return verified;
  }

  public GuardInterceptor<BloomGuarded> guardedCalls() {
    return guarded;
  }

  public GuardInterceptor<BloomPut> putCalls() {
    return put;
  }

  /** Whether a compiled lookup of {@code filter} keeps values. */
  public boolean keepsValues(String filter) {
    return caches.keepsValues(filter);
  }

  /** The types of the values that compiled lookups keep by default, by their filters. */
  public Map<String, Set<String>> automatic() {
    return caches.automatic();
  }

  /**
   * Decides what the lookups of a filter keep by default, and logs why.
   *
   * @param writer a method that writes its rows and is not seen; null if none is known
   * @param promise the reason to keep values then
   */
  public void settle(String filter, @Nullable String writer, String promise) {
    if (writer == null) {
      LOG.info(
          "Filter '{}': lookups with caching = AUTO keep values (VALUES), because {}",
          filter,
          promise);
    } else if (guards.get().unseenWrites(filter)) {
      LOG.warn(
          "Filter '{}': lookups with caching = AUTO keep null entries only (NULLS), because {} may"
              + " change rows whose keys the guard does not see. Put @BloomKey(filter = \"{}\") on"
              + " the class of the rows (not for deletions by Spring Data R2DBC), or annotate the"
              + " method with @BloomPut or @BloomEvict. To keep values all the same, set caching ="
              + " VALUES or bloomguard.unguarded-writes=ignore",
          filter,
          writer,
          filter);
    }
  }

  /** Whether a compiled lookup keeps nothing because its rows may be of another table. */
  public boolean isOfOtherRows(AnnotatedMethod<BloomGuarded> lookup) {
    return kept.isOfOtherRows(lookup);
  }

  public List<GuardInterceptor<?>> tables() {
    return List.of(guarded, put, evict);
  }

  private MethodInterceptor guarded(AnnotatedMethod<BloomGuarded> method) {
    BloomGuarded annotation = method.annotation();
    requireFilter(method, annotation.filter());
    refuseWriting(method);
    boolean blacklist = guards.get().rejects(annotation.filter()) == Reject.PRESENT;
    boolean observes = annotation.mode() == Mode.OBSERVE;
    if (observes) {
      ObservedCalls.require(method, blacklist);
    }
    ReturnShape shape =
        observes || (blacklist && annotation.onAbsent() == OnAbsent.THROW)
            ? ReturnShape.passedOn(method)
            : ReturnShape.of(method, findings);
    if (!observes && annotation.onAbsent() == OnAbsent.RETURN_EMPTY) {
      requireEmpty(method, shape);
    }
    if (!blacklist) {
      warnOfDoubt(method, shape);
    }
    KeyScope scope = scope(method, annotation.filter(), shape.carrier());
    CompiledKey key = KeyCompiler.compile(method, annotation.key(), false, scope).single();
    method.refuseIf(
        annotation.positional() && (observes || !key.plural()),
        "has positional = true, but {}",
        "Leave positional out",
        observes ? "mode = OBSERVE, which passes every answer on" : "takes one key");
    requireAskable(method, annotation.filter(), key);
    if (observes) {
      return ObservedCalls.of(guard(method, shape, KeptAnswers.unshared(shape), null), key);
    }
    if (!blacklist && ObservedCalls.asksWhetherFree(method, key.element())) {
      LOG.warn(
          "{} seems to ask whether a text is still free. The filter knows one spelling of several"
              + " that the database holds equal. Set mode = Mode.OBSERVE, or mode = Mode.ENFORCE if"
              + " no insert depends on the answer",
          method.describe());
    }
    if (key.plural()) {
      return guardedKeys(method, key, shape);
    }
    boolean several =
        shape.isContent()
            || EmptyValues.isContainer(ResolvableType.forType(shape.value()).resolve(Object.class));
    return calls(
        method,
        key,
        shape,
        kept.keeps(method, key, shape, several ? shape.value() : null),
        new CacheUses.Content(shape.value(), shape.isContent(), shape.asks()),
        (guard, keeps) ->
            blacklist
                ? SingleKeyCalls.underBlacklist(guard, key)
                : SingleKeyCalls.loading(guard, key, keeps));
  }

  /**
   * The calls of a method. Each of one that keeps answers checks whether it still does, which may
   * change after the method was compiled.
   *
   * @param content what it keeps, if it keeps something
   * @param made makes the calls, with entries or without
   */
  private MethodInterceptor calls(
      AnnotatedMethod<BloomGuarded> method,
      CompiledKey key,
      ReturnShape shape,
      boolean keeps,
      CacheUses.Content content,
      BiFunction<MethodGuard, Boolean, MethodInterceptor> made) {
    if (!keeps) {
      return made.apply(guard(method, shape, KeptAnswers.unshared(shape), null), false);
    }
    kept.requireTenant(method, key, shape.value());
    ValueType<Object> type = kept.valueType(method, shape, content.type());
    CacheUses.Use use = new CacheUses.Use(method, content, type.shared());
    MethodGuard guard = guard(method, shape, type, use);
    MethodInterceptor kept = made.apply(guard, true);
    MethodInterceptor decided = made.apply(guard, false);
    return use.mayYield() ? invocation -> (use.keeps() ? kept : decided).invoke(invocation) : kept;
  }

  /**
   * The guard of a method.
   *
   * @param use what it keeps; null for nothing
   */
  private MethodGuard guard(
      AnnotatedMethod<BloomGuarded> method,
      ReturnShape shape,
      ValueType<Object> type,
      CacheUses.@Nullable Use use) {
    String filter = method.annotation().filter();
    String cache = cache(method.annotation().cache(), filter);
    if (use != null) {
      caches.note(cache, use);
    }
    CacheAttributes.requireUsed(method, type.shared(), use != null);
    CacheOverrides overrides = use == null ? null : CacheAttributes.read(method);
    String caller = AnnotatedMethod.name(method.specific());
    EntryGuard<Object> guard =
        guards.get().guard(filter, cache, type, EntryPoint.METHOD, caller, overrides);
    Reject rejects = guards.get().rejects(filter);
    return new MethodGuard(
        TenantKeys.areIgnored(method) ? guard.ofCall(KeyScope.NONE) : guard,
        rejects,
        shape,
        method.annotation().onAbsent(),
        rejects == Reject.PRESENT
            ? new KeyRejectedException(filter)
            : new KeyAbsentException(filter),
        transactions);
  }

  /** Refuses a guarded method that writes: it would not run for a key that does not exist yet. */
  private static void refuseWriting(AnnotatedMethod<BloomGuarded> method) {
    for (Class<? extends Annotation> write : List.of(BloomPut.class, BloomEvict.class)) {
      method.refuseIf(
          AnnotatedMethod.find(write, method.specific(), method.target()) != null,
          "is beside @{}: for a rejected key the method would not run, and write nothing",
          "Guard a lookup of its own, and call the writing method where that finds nothing",
          write.getSimpleName());
    }
  }

  /** Refuses a method that cannot answer an absent key as its callers expect. */
  private static void requireEmpty(AnnotatedMethod<BloomGuarded> method, ReturnShape shape) {
    ClassLoader loader = method.target().getClassLoader();
    method.refuseIf(
        REFERENCES.contains(method.specific().getName())
            && ClassUtils.isPresent(JPA_REPOSITORY, loader)
            && ClassUtils.resolveClassName(JPA_REPOSITORY, loader)
                .isAssignableFrom(method.target()),
        "answers a reference, which is never null: its callers would store null as a foreign key",
        "Set onAbsent = OnAbsent.THROW, or guard findById");
    method.refuseIf(
        (shape.carrier() == DirectCarrier.DIRECT || KotlinFunction.suspends(method))
            && shape.empty().get() == null
            && KotlinFunction.isNonNull(method),
        "is to answer null for an absent key, but Kotlin declares that it never returns null",
        "Let it return a nullable type ({}?), or set onAbsent = OnAbsent.THROW",
        shape.raw().getSimpleName());
  }

  private MethodInterceptor guardedKeys(
      AnnotatedMethod<BloomGuarded> method, CompiledKey key, ReturnShape shape) {
    Class<?> parameter = key.type().resolve(Object.class);
    method.refuseIf(
        key.parameter() < 0 || !MultiKeyCalls.replaceable(parameter),
        "has several keys in a {}, of which none can be left out",
        "Name a parameter that is a List, Set, Collection, Iterable or array of keys",
        parameter.getTypeName());
    KeyPositions positions = AnswerPositions.of(method, key, shape.carrier());
    ResolvableType map = ResolvableType.forType(shape.value());
    ResolvableType value = map.getGeneric(1);
    boolean content = EmptyValues.isContainer(value.resolve(Object.class));
    boolean entries =
        shape.carrier() == DirectCarrier.DIRECT
            && shape.raw() == Map.class
            && kept.keeps(method, key, shape, content ? value.getType() : null);
    if (entries) {
      requireSameKeys(method, key.element(), map.getGeneric(0));
    }
    return calls(
        method,
        key,
        shape,
        entries,
        new CacheUses.Content(value.getType(), content, false),
        (guard, keeps) ->
            keeps
                ? MultiKeyCalls.caching(guard, key.parameter(), parameter)
                : MultiKeyCalls.deciding(guard, key.parameter(), parameter, positions));
  }

  private MethodInterceptor put(AnnotatedMethod<BloomPut> method) {
    Carrier carrier = ReturnShape.ofWrite(method);
    return writes.put(method, written(method, carrier), carrier);
  }

  private MethodInterceptor evict(AnnotatedMethod<BloomEvict> method) {
    Carrier carrier = ReturnShape.ofWrite(method);
    return writes.evict(
        written(method, carrier),
        carrier,
        !NOTHING.contains(Returned.of(method).content().resolve(Object.class)));
  }

  private List<WrittenKey> written(AnnotatedMethod<?> method, Carrier carrier) {
    return method.keys().stream().map(named -> written(method, named, carrier)).toList();
  }

  private WrittenKey written(
      AnnotatedMethod<?> method, AnnotatedMethod.Named named, Carrier carrier) {
    String filter = named.filter();
    requireFilter(method, filter);
    // A future comes after the transaction of the calling thread, and has no other.
    boolean result =
        carrier == DirectCarrier.DIRECT || (carrier.publishes() && method.type() == BloomPut.class);
    KeyScope scope = scope(method, filter, carrier);
    CompiledKey key = KeyCompiler.compileOfRows(method, named.key(), result, scope);
    boolean after = named.when() == When.AFTER || key.usesResult();
    method.refuseIf(
        after && !result,
        "takes its key after the call, but returns a {}, whose write may outlive the transaction",
        "Take the key from the parameters (when = BEFORE), or let a @BloomPut method return the"
            + " value itself, a Mono or a Flux",
        carrier);
    return new WrittenKey(
        filter,
        guards
            .get()
            .writes(filter, cache(named.cache(), filter), AnnotatedMethod.name(method.specific())),
        key,
        after,
        method.describe() + ": the key \"" + named.key() + "\"");
  }

  /** The scope of a filter's keys, which the calls of the method must be able to tell. */
  private @Nullable KeyScope scope(AnnotatedMethod<?> method, String filter, Carrier carrier) {
    KeyScope scope = guards.get().scope(filter);
    if (scope == null) {
      return null;
    }
    method.refuseIf(
        carrier.publishes() ? scope.ofContext() == null : scope.ofThread() == null,
        "returns a {}, but the bean '{}', the scope of filter '{}', does not know that of a {}",
        "{}",
        carrier,
        scope.bean(),
        filter,
        carrier.publishes() ? "subscriber" : "thread",
        carrier.publishes()
            ? "Let the bean also be a java.util.function.Function of Reactor's ContextView"
            : "Let the bean be a java.util.function.Supplier as well");
    return scope;
  }

  /**
   * Refuses a method that is compiled after a build and whose key type does not match the keys that
   * the build has read, or a key of parts under a folding of whole keys.
   */
  private void requireAskable(AnnotatedMethod<?> method, String filter, CompiledKey key) {
    String caller = AnnotatedMethod.name(method.specific());
    Class<?> type = key.isOfParts() ? List.class : key.element().resolve(Object.class);
    String mismatch = guards.get().asked(filter, type, caller);
    method.refuseIf(
        mismatch != null,
        "asks for keys that filter '{}' cannot hold. {}",
        "{}",
        filter,
        mismatch,
        key.isOfParts()
            ? "Trim and normalise each part in expression and query, and leave both out of keys."
                + " If the source then asks for trim, select the key with a collation that does"
                + " not pad, as \"collate utf8mb4_nopad_bin\"; see "
                + Manual.page("keys.md")
            : "Ask for the form that the column holds, or select another column in the source's"
                + " query");
  }

  private void requireFilter(AnnotatedMethod<?> method, String filter) {
    FilterRefusal refusal = FilterRefusal.of(guards.get(), filter);
    if (refusal != null) {
      throw method.refuse(refusal.problem(), refusal.action());
    }
  }

  private static void requireSameKeys(
      AnnotatedMethod<?> method, ResolvableType asked, ResolvableType answered) {
    Class<?> from = ClassUtils.resolvePrimitiveIfNecessary(asked.resolve(Object.class));
    Class<?> to = answered.resolve(Object.class);
    method.refuseIf(
        from != Object.class && !to.isAssignableFrom(from),
        "is asked for keys of type {} and answers a map by {}, so no entry would be found again",
        "Use one type for both, or caching = NONE",
        from.getTypeName(),
        to.getTypeName());
  }

  private static void warnOfDoubt(AnnotatedMethod<BloomGuarded> method, ReturnShape shape) {
    if (shape.doubt() != null) {
      LOG.warn(
          "{} returns {}, {}: its answers are no verdict on a rejection. Guard the lookup that it"
              + " calls, or define an AnswerType: {}",
          method.describe(),
          shape.raw().getTypeName(),
          shape.doubt(),
          Manual.page("methods.md"));
    }
  }

  private static String cache(String cache, String filter) {
    return cache.isEmpty() ? filter : cache;
  }
}
