package io.bloomguard.aop.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.aop.elsewhere.Catalogue;
import io.bloomguard.guard.internal.Outcome;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.NestedExceptionUtils;

/**
 * Every way for a bean to come by its proxy, and for a method to come by its annotation: each call
 * is guarded, or the bean is refused. The ways are those that the tests of Spring's cache
 * abstraction go through, and listed in {@code docs/methods.md} as here. Key 1 exists; 9 does not.
 */
class ProxyShapeTest {

  /** What proxies are made of. */
  enum Proxies {
    /** The interfaces, where there are any. */
    INTERFACES,
    /** The class, as Spring Boot has it by default. */
    CLASSES
  }

  /**
   * A way, as the document names it.
   *
   * @param config the beans, the one in question is named {@code bean}
   * @param refusal what the refusal says; null where it is guarded
   * @param find calls the annotated method with a key
   */
  record Shape(
      String name, Class<?> config, @Nullable String refusal, Find find, List<Proxies> proxies) {

    Shape with(Proxies only) {
      return new Shape(name, config, refusal, find, List.of(only));
    }

    @Override
    public String toString() {
      return name + " " + proxies + (refusal == null ? ": guarded" : ": refused");
    }
  }

  /** Calls the annotated method of a bean. */
  interface Find {
    @Nullable Object call(Object bean, long id);
  }

  private static Shape guarded(String name, Class<?> config, Find find) {
    return new Shape(name, config, null, find, List.of(Proxies.values()));
  }

  private static Shape guarded(String name, Class<?> config) {
    return guarded(name, config, (bean, id) -> ((Finder) bean).find(id));
  }

  private static Shape refused(String name, Class<?> config, String because) {
    return new Shape(name, config, because, (bean, id) -> null, List.of(Proxies.values()));
  }

  static List<Shape> shapes() {
    return List.of(
        guarded("a method of an interface, annotated in the class", InClass.class),
        guarded("a method of an interface, annotated there", InInterface.class),
        guarded("a default method of an interface", InDefault.class),
        guarded("a method that overrides an annotated one", Overridden.class),
        guarded("a method of a generic interface", Generics.class, ProxyShapeTest::generic),
        guarded("a method of a generic class, narrowed", Narrowed.class, ProxyShapeTest::narrowed),
        guarded(
            "a public method inherited from a class that is not",
            Shown.class,
            (bean, id) -> ((Catalogue.Shown) bean).find(id)),
        guarded("overloaded methods", Overloaded.class, (b, id) -> ((Overloads) b).find(id)),
        guarded("overloaded methods", Overloaded.class, (b, id) -> ((Overloads) b).find("" + id)),
        guarded("varargs of keys", Varargs.class, ProxyShapeTest::varargs),
        guarded(
            "a protected or package-private method",
            NotPublic.class,
            (bean, id) -> ((NotPublicMethods) bean).findProtected(id)),
        guarded(
            "a protected or package-private method",
            NotPublic.class,
            (bean, id) -> ((NotPublicMethods) bean).findPackagePrivate(id)),
        refused(
            "a package-private method of another package", Elsewhere.class, "of another package"),
        refused("a method of no interface", NoInterface.class, "no interface")
            .with(Proxies.INTERFACES),
        guarded("a lambda", Lambdas.class),
        guarded("a record", Records.class).with(Proxies.INTERFACES),
        refused("a record", Records.class, "final class").with(Proxies.CLASSES),
        guarded("a `@Lazy` bean", Lazily.class),
        guarded("a prototype", Prototypes.class),
        guarded("a scoped proxy", ScopedInterfaces.class).with(Proxies.INTERFACES),
        guarded("a scoped proxy", ScopedClasses.class),
        guarded("what a `FactoryBean` makes", Made.class),
        guarded("a `FactoryBean` itself", Makers.class, (b, id) -> ((Maker) b).find(id)),
        refused("a `FactoryBean` itself", WrongMakers.class, "filter 'unknown'"),
        guarded("what a `@Bean` method declares as less than it is", HiddenType.class),
        refused(
            "what a `@Bean` method declares as less than it is",
            HiddenWrong.class,
            "filter 'unknown'"),
        guarded("a `ProxyFactoryBean` around another bean", ProxiedBean.class),
        refused(
            "a Spring proxy of the application's own around an object",
            OwnProxy.class,
            "behind a proxy of another kind"),
        refused("a composed annotation on an interface", OnInterface.class, "is on a class"));
  }

  static List<Object[]> runs() {
    List<Object[]> runs = new ArrayList<>();
    for (Shape shape : shapes()) {
      shape.proxies().forEach(proxies -> runs.add(new Object[] {shape, proxies}));
    }
    return runs;
  }

  @ParameterizedTest
  @MethodSource("runs")
  void isGuardedOrRefused(Shape shape, Proxies proxies) {
    TestGuards guards = new TestGuards();
    guards.keys.add("1");
    if (shape.refusal() == null) {
      inContext(shape, proxies, guards, bean -> use(shape, bean, guards));
      return;
    }
    Throwable thrown = catchThrowable(() -> inContext(shape, proxies, guards, bean -> {}));
    assertThat(thrown).as("refused before the first call").isNotNull();
    assertThat(NestedExceptionUtils.getMostSpecificCause(thrown))
        .hasMessageContaining(shape.refusal());
  }

  private static void use(Shape shape, Object bean, TestGuards guards) {
    for (int time = 1; time <= 2; time++) {
      assertThat(shape.find().call(bean, 9)).isNull();
      assertThat(guards.outcomes.count(Outcome.REJECTED)).isEqualTo(time);
      assertThat(shape.find().call(bean, 1)).isEqualTo("found 1");
    }
  }

  private static void inContext(
      Shape shape, Proxies proxies, TestGuards guards, Consumer<Object> use) {
    try (var context = new AnnotationConfigApplicationContext()) {
      context.getBeanFactory().registerScope("request", new SimpleThreadScope());
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(context);
      if (proxies == Proxies.CLASSES) {
        AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(context);
      }
      Guarding.prepare(context, guards, shape.config()).refresh();
      use.accept(context.getBean(context.containsBean("bean") ? "bean" : "&maker"));
    }
  }

  @Test
  void documentListsTheSame() throws IOException {
    String document = Files.readString(Path.of("docs", "methods.md"));
    for (Shape shape : shapes()) {
      assertThat(document).contains("| " + shape.name() + " |");
    }
  }

  @Test
  void interfacesAreTheProxyWhereTheyMayBe() {
    Shape shape = guarded("", InInterface.class);
    inContext(
        shape,
        Proxies.INTERFACES,
        new TestGuards(),
        bean -> assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue());
    inContext(
        shape,
        Proxies.CLASSES,
        new TestGuards(),
        bean -> assertThat(AopUtils.isCglibProxy(bean)).isTrue());
  }

  interface Finder {
    @Nullable String find(long id);
  }

  static class AnnotatedFinder implements Finder {
    @Override
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return "found " + id;
    }
  }

  interface GuardedFinder extends Finder {
    @Override
    @BloomGuarded(filter = "products", key = "#id")
    @Nullable String find(long id);
  }

  static class PlainFinder implements GuardedFinder {
    @Override
    public @Nullable String find(long number) {
      return "found " + number;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class InClass {
    @Bean
    AnnotatedFinder bean() {
      return new AnnotatedFinder();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class InInterface {
    @Bean
    Finder bean() {
      return new PlainFinder();
    }
  }

  interface DefaultFinder extends Finder {
    @Override
    @BloomGuarded(filter = "products", key = "#id")
    default @Nullable String find(long id) {
      return "found " + id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class InDefault {
    @Bean
    Finder bean() {
      return new DefaultFinder() {};
    }
  }

  static class Overriding extends AnnotatedFinder {
    @Override
    public @Nullable String find(long id) {
      return super.find(id);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Overridden {
    @Bean
    Overriding bean() {
      return new Overriding();
    }
  }

  interface GenericFinder<T, K> {
    @BloomGuarded(filter = "products", key = "#id")
    @Nullable T find(K id);
  }

  static class Strings implements GenericFinder<String, Long> {
    @Override
    public @Nullable String find(Long id) {
      return "found " + id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Generics {
    @Bean
    GenericFinder<String, Long> bean() {
      return new Strings();
    }
  }

  @SuppressWarnings("unchecked")
  private static @Nullable Object generic(Object bean, long id) {
    return ((GenericFinder<String, Long>) bean).find(id);
  }

  abstract static class Base<T, K extends Number> {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable Object find(K id) {
      return "found " + id;
    }

    abstract @Nullable T unused(K id);
  }

  static class Narrow extends Base<String, Long> {
    @Override
    public @Nullable String find(Long id) {
      return "found " + id;
    }

    @Override
    @Nullable String unused(Long id) {
      return null;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Narrowed {
    @Bean
    Narrow bean() {
      return new Narrow();
    }
  }

  @SuppressWarnings("unchecked")
  private static @Nullable Object narrowed(Object bean, long id) {
    return ((Base<String, Long>) bean).find(id);
  }

  @Configuration(proxyBeanMethods = false)
  static class Shown {
    @Bean
    Catalogue.Shown bean() {
      return new Catalogue.Shown();
    }
  }

  static class Overloads {
    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public @Nullable String find(long id) {
      return "found " + id;
    }

    @BloomGuarded(filter = "products", key = "#name", cache = "products")
    public @Nullable String find(String name) {
      return "found " + name;
    }

    public @Nullable String find(int notGuarded) {
      return "found " + notGuarded;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Overloaded {
    @Bean
    Overloads bean() {
      return new Overloads();
    }
  }

  @Test
  void anOverloadWithoutAnAnnotationIsNotGuarded() {
    inContext(
        guarded("", Overloaded.class),
        Proxies.CLASSES,
        new TestGuards(),
        bean -> assertThat(((Overloads) bean).find(9)).isEqualTo("found 9"));
  }

  static class VarargsFinder {
    @BloomGuarded(filter = "products", key = "#ids", cache = "all")
    public Set<String> find(String prefix, long... ids) {
      return Arrays.stream(ids).mapToObj(id -> prefix + id).collect(Collectors.toSet());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Varargs {
    @Bean
    VarargsFinder bean() {
      return new VarargsFinder();
    }
  }

  private static @Nullable Object varargs(Object bean, long id) {
    Set<String> found = ((VarargsFinder) bean).find("found ", id);
    return found.isEmpty() ? null : String.join(",", found);
  }

  static class NotPublicMethods {
    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    protected @Nullable String findProtected(long id) {
      return "found " + id;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    @Nullable String findPackagePrivate(long id) {
      return "found " + id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class NotPublic {
    @Bean
    NotPublicMethods bean() {
      return new NotPublicMethods();
    }
  }

  static class FromElsewhere extends Catalogue {}

  @Configuration(proxyBeanMethods = false)
  static class Elsewhere {
    @Bean
    FromElsewhere bean() {
      return new FromElsewhere();
    }
  }

  /** It would be called on the proxy itself, past the guard. */
  @Test
  void aProxyDoesNotOverrideWhatOnlyAnotherPackageMay() {
    ProxyFactory factory = new ProxyFactory(new FromElsewhere());
    factory.setProxyTargetClass(true);
    factory.addAdvice((org.aopalliance.intercept.MethodInterceptor) invocation -> "guarded");
    assertThat(Catalogue.ask((Catalogue) factory.getProxy(), 9)).isEqualTo("found 9");
  }

  static class Unlisted implements Runnable {
    @Override
    public void run() {}

    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return "found " + id;
    }
  }

  interface Listed {
    void other();
  }

  static class UnlistedInInterface extends Unlisted implements Listed {
    @Override
    public void other() {}
  }

  @Configuration(proxyBeanMethods = false)
  static class NoInterface {
    @Bean
    UnlistedInInterface bean() {
      return new UnlistedInInterface();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Lambdas {
    @Bean
    GuardedFinder bean() {
      return id -> "found " + id;
    }
  }

  record RecordFinder(String prefix) implements Finder {
    @Override
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return prefix + id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Records {
    @Bean
    RecordFinder bean() {
      return new RecordFinder("found ");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Lazily {
    @Bean
    @Lazy
    AnnotatedFinder bean() {
      return new AnnotatedFinder();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Prototypes {
    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    AnnotatedFinder bean() {
      return new AnnotatedFinder();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class ScopedInterfaces {
    @Bean
    @Scope(scopeName = "request", proxyMode = ScopedProxyMode.INTERFACES)
    Finder bean() {
      return new AnnotatedFinder();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class ScopedClasses {
    @Bean
    @Scope(scopeName = "request", proxyMode = ScopedProxyMode.TARGET_CLASS)
    AnnotatedFinder bean() {
      return new AnnotatedFinder();
    }
  }

  static class FinderFactory implements FactoryBean<Finder> {
    @Override
    public Finder getObject() {
      return new AnnotatedFinder();
    }

    @Override
    public Class<?> getObjectType() {
      return Finder.class;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Made {
    @Bean
    FinderFactory bean() {
      return new FinderFactory();
    }
  }

  /** A factory, and something that is looked up in it. */
  interface Maker extends FactoryBean<Object> {
    @Nullable String find(long id);

    @Override
    default Object getObject() {
      return new Object();
    }

    @Override
    default Class<?> getObjectType() {
      return Object.class;
    }
  }

  static class GuardedMaker implements Maker {
    @Override
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return "found " + id;
    }
  }

  static class WrongMaker implements Maker {
    @Override
    @BloomGuarded(filter = "unknown", key = "#id")
    public @Nullable String find(long id) {
      return "found " + id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Makers {
    @Bean
    GuardedMaker maker() {
      return new GuardedMaker();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WrongMakers {
    @Bean
    WrongMaker maker() {
      return new WrongMaker();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class HiddenType {
    @Bean
    @Lazy
    Finder bean() {
      return new AnnotatedFinder();
    }
  }

  static class WrongFinder implements Finder {
    @Override
    @BloomGuarded(filter = "unknown", key = "#id")
    public @Nullable String find(long id) {
      return "found " + id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class HiddenWrong {
    @Bean
    @Lazy
    Finder bean() {
      return new WrongFinder();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class ProxiedBean {
    @Bean
    AnnotatedFinder target() {
      return new AnnotatedFinder();
    }

    @Bean
    ProxyFactoryBean bean(Finder target) {
      ProxyFactoryBean proxy = new ProxyFactoryBean();
      proxy.setTarget(target);
      proxy.setInterfaces(Finder.class);
      return proxy;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnProxy {
    @Bean
    ProxyFactoryBean bean() {
      ProxyFactoryBean proxy = new ProxyFactoryBean();
      proxy.setTarget(new AnnotatedFinder());
      proxy.setInterfaces(Finder.class);
      return proxy;
    }
  }

  @BloomGuarded(filter = "products", key = "#id")
  @Target({ElementType.METHOD, ElementType.TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @interface Product {}

  @Product
  interface ComposedInterface extends Finder {}

  static class ComposedFinder implements ComposedInterface {
    @Override
    public @Nullable String find(long id) {
      return "found " + id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OnInterface {
    @Bean
    ComposedFinder bean() {
      return new ComposedFinder();
    }
  }
}
