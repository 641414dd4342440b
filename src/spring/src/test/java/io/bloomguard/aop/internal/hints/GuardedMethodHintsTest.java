package io.bloomguard.aop.internal.hints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.proxies;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.javapoet.ClassName;

class GuardedMethodHintsTest {

  @Test
  void aBeanWithoutAnnotationsHasNoContribution() {
    assertThat(contribution(String.class)).isNull();
    assertThat(contribution(Plain.class)).isNull();
  }

  @ParameterizedTest
  @ValueSource(classes = {Lookups.class, Base.class})
  void theMethodsOfABeanAreCalledBehindItsProxy(Class<?> declaring) {
    RuntimeHints hints = hints(Lookups.class);

    assertThat(declaring.getDeclaredMethods())
        .isNotEmpty()
        .allMatch(method -> reflection().onMethodInvocation(method).test(hints));
  }

  @Test
  void aKeyAlongPropertiesReadsThemAlone() throws NoSuchMethodException {
    RuntimeHints hints = hints(PathKey.class);

    assertThat(reflection().onMethodInvocation(Order.class.getMethod("getBuyer"))).accepts(hints);
    assertThat(reflection().onMethodInvocation(Buyer.class.getMethod("code"))).accepts(hints);
    assertThat(reflection().onMethodInvocation(Order.class.getMethod("getOther"))).rejects(hints);
  }

  @Test
  void aComposedKeyReadsElementsFieldsAndMethods() throws NoSuchMethodException {
    RuntimeHints hints = hints(ComposedKeys.class);

    assertThat(reflection().onMethodInvocation(Order.class.getMethod("getBuyer"))).accepts(hints);
    assertThat(reflection().onMethodInvocation(Buyer.class.getMethod("code"))).accepts(hints);
    assertThat(reflection().onMethodInvocation(String.class.getMethod("toUpperCase")))
        .accepts(hints);
    assertThat(reflection().onFieldAccess(Row.class, "tenant")).accepts(hints);
  }

  @Test
  void aWriteReadsTheKeyOfItsResult() throws NoSuchMethodException {
    RuntimeHints hints = hints(Writes.class);

    assertThat(reflection().onMethodInvocation(Product.class.getMethod("id"))).accepts(hints);
    assertThat(reflection().onMethodInvocation(Buyer.class.getMethod("code"))).accepts(hints);
    assertThat(reflection().onMethodInvocation(Product.class.getMethod("price"))).rejects(hints);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Lookups.class,
        Later.class,
        Several.class,
        Bound.class,
        Listed.class,
        Arrays.class
      })
  void valuesAreWrittenAndReadAsJson(Class<?> bean) throws NoSuchMethodException {
    RuntimeHints hints = hints(bean);

    for (Class<?> type : List.of(Product.class, Price.class)) {
      Constructor<?> constructor = type.getDeclaredConstructors()[0];
      assertThat(reflection().onConstructorInvocation(constructor)).accepts(hints);
    }
    assertThat(reflection().onMethodInvocation(Product.class.getMethod("price"))).accepts(hints);
    assertThat(reflection().onMethodInvocation(Price.class.getMethod("cents"))).accepts(hints);
  }

  @Test
  void anEmptyCollectionAndAnArrayOfKeysAreMade() throws NoSuchMethodException {
    assertThat(reflection().onConstructorInvocation(Products.class.getDeclaredConstructor()))
        .accepts(hints(Listed.class));
    assertThat(reflection().onType(Product[].class)).accepts(hints(Arrays.class));
    assertThat(reflection().onType(Long[].class)).accepts(hints(Arrays.class));
  }

  @Test
  void anInterfaceHasAProxy() {
    Class<?>[] proxied = AopProxyUtils.completeJdkProxyInterfaces(Mapper.class);

    assertThat(proxies().forInterfaces(proxied)).accepts(hints(Mapper.class));
    assertThat(proxies().forInterfaces(proxied)).accepts(hints(MapperFactory.class));
    assertThat(hints(Lookups.class).proxies().jdkProxyHints()).isEmpty();
  }

  /** The annotation is on the method that it overrides, whose interface is looked through too. */
  @Test
  void theMethodsOfInterfacesAreFound() throws NoSuchMethodException {
    Method declared = Mapper.class.getMethod("find", long.class);

    assertThat(reflection().onMethodInvocation(declared)).accepts(hints(Mapped.class));
  }

  private static RuntimeHints hints(Class<?> bean) {
    DefaultGenerationContext generation =
        new DefaultGenerationContext(
            new ClassNameGenerator(ClassName.get("generated", "Application")),
            new InMemoryGeneratedFiles());
    BeanRegistrationAotContribution contribution = contribution(bean);
    assertThat(contribution).isNotNull();
    contribution.applyTo(generation, mock(BeanRegistrationCode.class));
    return generation.getRuntimeHints();
  }

  private static BeanRegistrationAotContribution contribution(Class<?> bean) {
    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    beans.registerBeanDefinition("bean", new RootBeanDefinition(bean));
    return new GuardedMethodHints().processAheadOfTime(RegisteredBean.of(beans, "bean"));
  }

  record Price(long cents) {}

  record Product(long id, Price price) {}

  record Buyer(String code) {}

  static class Row {
    public String tenant = "";
  }

  static class Order extends Row {
    public Buyer getBuyer() {
      return new Buyer("");
    }

    public Buyer getOther() {
      return getBuyer();
    }
  }

  static class Products extends java.util.ArrayList<Product> {
    private static final long serialVersionUID = 1L;
  }

  static class Plain {
    public Order find(long id) {
      return new Order();
    }
  }

  static class Base {
    public void other() {}
  }

  static class Lookups extends Base {
    @BloomGuarded(filter = "products", key = "#id")
    public Optional<Product> find(long id) {
      return Optional.empty();
    }
  }

  static class Later {
    @BloomGuarded(filter = "products", key = "#id")
    public CompletableFuture<Product> find(long id) {
      return CompletableFuture.completedFuture(null);
    }
  }

  static class Several {
    @BloomGuarded(filter = "products", key = "#ids")
    public Map<Long, Product> find(List<Long> ids) {
      return Map.of();
    }
  }

  abstract static class Finds<T> {
    @BloomGuarded(filter = "products", key = "#id")
    public Optional<T> find(long id) {
      return Optional.empty();
    }
  }

  static class Bound extends Finds<Product> {}

  static class Listed {
    @BloomGuarded(filter = "products", key = "#id")
    public Products find(long id) {
      return new Products();
    }
  }

  static class Arrays {
    @BloomGuarded(filter = "products", key = "#ids", caching = Caching.NONE)
    public Product[] find(Long[] ids) {
      return new Product[0];
    }
  }

  static class PathKey {
    @BloomGuarded(filter = "buyers", key = "#order.buyer.code")
    public String find(Order order) {
      return "";
    }
  }

  static class ComposedKeys {
    @BloomGuarded(filter = "buyers", key = "#orders.![tenant + ':' + buyer.code.toUpperCase()]")
    public List<String> find(List<Order> orders) {
      return List.of();
    }
  }

  static class Writes {
    @BloomPut(filter = "products", key = "#result.id")
    public Optional<Product> add() {
      return Optional.empty();
    }

    @BloomEvict(filter = "buyers", key = "#buyer.code")
    public void remove(Buyer buyer) {}
  }

  interface Mapper {
    @BloomGuarded(filter = "products", key = "#id")
    Product find(long id);
  }

  static class Mapped implements Mapper {
    @Override
    public Product find(long id) {
      return null;
    }
  }

  static class MapperFactory implements FactoryBean<Mapper> {
    @Override
    public Mapper getObject() {
      return new Mapped();
    }

    @Override
    public Class<?> getObjectType() {
      return Mapper.class;
    }
  }
}
