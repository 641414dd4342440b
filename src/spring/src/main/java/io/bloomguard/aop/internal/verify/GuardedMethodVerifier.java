package io.bloomguard.aop.internal.verify;

import io.bloomguard.aop.internal.call.GuardInterceptor;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.RowClasses;
import io.bloomguard.aop.internal.statements.GeneratedKeys;
import io.bloomguard.aop.internal.statements.RowAnnotations;
import io.bloomguard.aop.internal.statements.UnguardedWrites;
import io.bloomguard.guard.StartRefusedException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Conventions;
import org.springframework.util.ClassUtils;

/**
 * The verifier that compiles every annotated method of every bean at startup, so that no annotation
 * is silently ineffective: a method that cannot be guarded as written, or that its proxy does not
 * see, fails the start.
 */
public final class GuardedMethodVerifier implements SmartInitializingSingleton {

  /** {@code AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE}, which Spring 6 does not have. */
  private static final String EXPOSED_INTERFACES =
      Conventions.getQualifiedAttributeName(AutoProxyUtils.class, "exposedInterfaces");

  private final ConfigurableListableBeanFactory beans;
  private final GuardedMethods methods;
  private final UnguardedWrites unguarded;
  private final GeneratedKeys generatedKeys;
  private final @Nullable CreatedBeans created;
  private final List<StartRefusedException> problems = new ArrayList<>();

  GuardedMethodVerifier(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<CreatedBeans> created,
      GuardedMethods methods,
      UnguardedWrites unguarded) {
    this.beans = beans;
    this.created = created.getIfAvailable();
    this.methods = methods;
    this.unguarded = unguarded;
    this.generatedKeys = new GeneratedKeys(unguarded.statements());
  }

  /**
   * @throws StartRefusedException for all methods that cannot be guarded
   */
  @Override
  public void afterSingletonsInstantiated() {
    Set<Class<?>> checked = new LinkedHashSet<>();
    for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
      if (ScopedProxyUtils.isScopedTarget(name)) {
        continue; // its singleton bean is only a holder; the scoped proxy stands for it
      }
      Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
      if (beans.isFactoryBean(name)) {
        // The type behind a proxy is the factory's, or that of its product.
        boolean factory = type != null && FactoryBean.class.isAssignableFrom(type);
        String maker = BeanFactory.FACTORY_BEAN_PREFIX + name;
        verify(maker, factory ? type : beans.getType(maker, false), checked);
        type = factory ? beans.getType(name, false) : type;
      }
      verify(name, type, checked);
    }
    // Only after the entries that all lookups keep are known.
    Set<String> told = told(checked);
    Set<String> all = new TreeSet<>();
    for (Class<?> type : checked) {
      all.addAll(asked(type, false));
    }
    for (Class<?> type : checked) {
      collect(() -> checkWrites(type, told, all));
      methods.putCalls().of(type).values().forEach(generatedKeys::check);
    }
    if (!problems.isEmpty()) {
      throw all();
    }
    methods
        .automatic()
        .forEach(
            (filter, rows) ->
                methods.settle(filter, unseen(filter, rows, checked), unguarded.promise(filter)));
    methods.verified();
    if (created != null) {
      created.started();
    }
  }

  /**
   * A write of a filter's rows that is not seen, null for none: of a bean that looks them up, or of
   * their repository.
   *
   * @param rows the types of the values that are kept
   */
  private @Nullable String unseen(String filter, Set<String> rows, Set<Class<?>> types) {
    for (Class<?> type : types) {
      Class<?> entity = RowClasses.ofRepository(type);
      boolean writes =
          (entity != null && rows.contains(entity.getTypeName()))
              || asked(type, true).contains(filter);
      String unseen = writes ? unguarded.unseen(type, filter) : null;
      if (unseen != null) {
        return unseen;
      }
    }
    return null;
  }

  private void verify(String name, @Nullable Class<?> type, Set<Class<?>> checked) {
    if (type != null && !AnnotatedMethod.isFramework(type)) {
      Class<?> userType = ClassUtils.getUserClass(type);
      methods.tables().forEach(table -> verify(table, name, userType));
      checked.add(userType);
    }
  }

  private <A extends Annotation> void verify(
      GuardInterceptor<A> table, String name, Class<?> type) {
    table
        .of(type)
        .forEach((method, found) -> collect(() -> verify(table, name, type, method, found)));
  }

  /** The one problem, or a list of all; the first is the cause of that. */
  private StartRefusedException all() {
    StartRefusedException first = problems.get(0);
    return problems.size() == 1
        ? first
        : new StartRefusedException(
            "%s methods or beans are refused:%s"
                .formatted(problems.size(), numbered(StartRefusedException::description)),
            "Correct each:" + numbered(StartRefusedException::action),
            first);
  }

  private String numbered(Function<StartRefusedException, String> part) {
    return IntStream.range(0, problems.size())
        .mapToObj(i -> "\n  " + (i + 1) + ". " + part.apply(problems.get(i)))
        .collect(Collectors.joining());
  }

  /** Keeps a refusal until all methods have been checked: a start names all problems at once. */
  private void collect(Runnable check) {
    try {
      check.run();
    } catch (StartRefusedException e) {
      // Two beans of one class have the same.
      if (problems.stream().noneMatch(known -> known.description().equals(e.description()))) {
        problems.add(e);
      }
    }
  }

  /** The filters that learn of the keys of some rows. */
  private Set<String> told(Set<Class<?>> types) {
    Set<String> told = new TreeSet<>();
    for (Class<?> type : types) {
      told.addAll(RowAnnotations.ofRepository(type));
      methods.putCalls().of(type).values().stream()
          .flatMap(found -> found.keys().stream())
          .forEach(key -> told.add(key.filter()));
    }
    return told;
  }

  /**
   * Checks the writes of a bean, whose rows are of another table than the keys of a filter if its
   * lookups answer several rows for one key, and keep nothing. If the filter learns of its keys
   * elsewhere, it lacks none of that bean's.
   */
  private void checkWrites(Class<?> type, Set<String> told, Set<String> all) {
    Set<String> filters = asked(type, false);
    Set<String> own = asked(type, true);
    filters.removeIf(filter -> told.contains(filter) && !own.contains(filter));
    unguarded.check(
        type, filters, all, filter -> own.contains(filter) && methods.keepsValues(filter));
  }

  /**
   * The filters that a bean's lookups ask.
   *
   * @param own whether lookups of rows that may be of another table are left out
   */
  private Set<String> asked(Class<?> type, boolean own) {
    return methods.guardedCalls().of(type).values().stream()
        .filter(found -> !own || !methods.isOfOtherRows(found))
        .map(found -> found.annotation().filter())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private <A extends Annotation> void verify(
      GuardInterceptor<A> table,
      String name,
      Class<?> type,
      Method method,
      AnnotatedMethod<A> found) {
    Reachability.requireProxyable(found);
    if (isExtendedByProxy(name, type)) {
      Reachability.requireOverridable(found);
    }
    table.compile(method, type);
    Object bean = singleton(name);
    // A scoped proxy only finds the object of the scope, which has our proxy.
    if (bean != null && !(bean instanceof ScopedObject) && !isStandIn(name)) {
      Reachability.requireReached(found, bean, table);
    }
  }

  /** Whether the bean's proxy will certainly be a subclass, even if none has been made yet. */
  private boolean isExtendedByProxy(String name, Class<?> type) {
    boolean forced =
        AutoProxyUtils.shouldProxyTargetClass(beans, definition(name))
            || beans
                .getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
                .isProxyTargetClass();
    return forced
        && !hasChosenInterfaces(name)
        && !type.isInterface()
        && !Proxy.isProxyClass(type)
        && !ClassUtils.isLambdaClass(type);
  }

  private boolean hasChosenInterfaces(String name) {
    return beans.containsBeanDefinition(definition(name))
        && beans.getMergedBeanDefinition(definition(name)).hasAttribute(EXPOSED_INTERFACES);
  }

  /** The bean, if it is a singleton that exists. */
  private @Nullable Object singleton(String name) {
    return beans.containsSingleton(definition(name)) && beans.isSingleton(name)
        ? beans.getBean(name)
        : null;
  }

  /** Whether a ready object replaces the bean, as a test's mock does. */
  private boolean isStandIn(String name) {
    String defined = definition(name);
    return created != null && beans.containsBeanDefinition(defined) && !created.contains(defined);
  }

  private static String definition(String name) {
    return BeanFactoryUtils.transformedBeanName(name);
  }
}
