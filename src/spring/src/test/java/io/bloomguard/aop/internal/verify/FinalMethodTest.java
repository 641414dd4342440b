package io.bloomguard.aop.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.NestedExceptionUtils;

/** Final methods and classes, which a proxy does not see, are refused whatever the bean's scope. */
class FinalMethodTest {

  static class Guarded {
    @BloomGuarded(filter = "products", key = "#id")
    public final @Nullable String find(long id) {
      return null;
    }
  }

  static class Put {
    @BloomPut(filter = "products", key = "#id")
    public final void save(long id) {}
  }

  static class Evicted {
    @BloomEvict(filter = "products", key = "#id")
    public final void delete(long id) {}
  }

  static final class FinalGuarded {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static final class FinalPut {
    @BloomPut(filter = "products", key = "#id")
    public void save(long id) {}
  }

  static final class FinalEvicted {
    @BloomEvict(filter = "products", key = "#id")
    public void delete(long id) {}
  }

  interface Shelf {
    void save(long id);
  }

  static class FinalInShelf implements Shelf {
    @Override
    @BloomPut(filter = "products", key = "#id")
    public final void save(long id) {}
  }

  static final class FinalShelf implements Shelf {
    @Override
    @BloomPut(filter = "products", key = "#id")
    public void save(long id) {}
  }

  /** How a bean is registered. */
  enum Kind {
    SINGLETON(true),
    LAZY(false) {
      @Override
      void define(RootBeanDefinition bean) {
        bean.setLazyInit(true);
      }
    },
    PROTOTYPE(false) {
      @Override
      void define(RootBeanDefinition bean) {
        bean.setScope("prototype");
      }
    },
    REQUEST(false) {
      @Override
      void define(RootBeanDefinition bean) {
        bean.setScope("request");
      }
    },
    REQUEST_BEHIND_A_PROXY(true) {
      @Override
      void define(RootBeanDefinition bean) {
        bean.setScope("request");
      }

      @Override
      void register(AnnotationConfigApplicationContext context, RootBeanDefinition bean) {
        BeanDefinitionHolder holder = new BeanDefinitionHolder(bean, "bean");
        BeanDefinitionHolder proxy = ScopedProxyUtils.createScopedProxy(holder, context, true);
        context.registerBeanDefinition(proxy.getBeanName(), proxy.getBeanDefinition());
      }
    },
    LAZY_INITIALIZATION(false) {
      @Override
      void register(AnnotationConfigApplicationContext context, RootBeanDefinition bean) {
        super.register(context, bean);
        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
      }
    };

    /** Whether Spring says by itself that it cannot extend a final class. */
    final boolean refusedBySpring;

    Kind(boolean refusedBySpring) {
      this.refusedBySpring = refusedBySpring;
    }

    void define(RootBeanDefinition bean) {}

    void register(AnnotationConfigApplicationContext context, RootBeanDefinition bean) {
      context.registerBeanDefinition("bean", bean);
    }
  }

  private static final List<Class<?>> UNREACHABLE =
      List.of(
          Guarded.class,
          Put.class,
          Evicted.class,
          FinalGuarded.class,
          FinalPut.class,
          FinalEvicted.class);

  static Stream<Arguments> unreachable() {
    return UNREACHABLE.stream()
        .flatMap(
            bean ->
                Stream.of(Kind.values())
                    .filter(
                        kind ->
                            kind != Kind.REQUEST_BEHIND_A_PROXY
                                || !Modifier.isFinal(bean.getModifiers()))
                    .map(kind -> Arguments.of(bean, kind)));
  }

  @ParameterizedTest
  @MethodSource("unreachable")
  void isRefusedAtTheStart(Class<?> bean, Kind kind) {
    assertThat(refusal(() -> start(bean, kind, false).close()))
        .hasMessageContaining(bean.getTypeName())
        .hasMessageContaining("final");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void isRefusedAtTheStartWhereProxiesExtendClasses(Kind kind) {
    assertThat(refusal(() -> start(FinalInShelf.class, kind, true).close()))
        .hasMessageContaining("final method");
    if (!kind.refusedBySpring) {
      assertThat(refusal(() -> start(FinalShelf.class, kind, true).close()))
          .hasMessageContaining("final class");
    }
  }

  @ParameterizedTest
  @EnumSource(value = Kind.class, names = "REQUEST_BEHIND_A_PROXY", mode = Mode.EXCLUDE)
  void isReachedWhereProxiesHaveInterfaces(Kind kind) {
    for (Class<?> bean : List.of(FinalInShelf.class, FinalShelf.class)) {
      TestGuards guards = new TestGuards();
      try (var context = start(bean, kind, false, guards)) {
        Shelf shelf = (Shelf) context.getBean("bean");
        shelf.save(7);
        assertThat(guards.keys).containsExactly("7");
      }
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class HiddenTypes {
    @Bean
    @Lazy
    Shelf lazy() {
      return new FinalInShelf();
    }

    @Bean
    @Scope("prototype")
    Object prototype() {
      return new Put();
    }
  }

  @Test
  void typeThatOnlyTheCreationShowsIsRefusedThere() {
    try (var context = new AnnotationConfigApplicationContext()) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(context);
      AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(context);
      Guarding.prepare(context, new TestGuards(), HiddenTypes.class).refresh();
      for (String bean : List.of("lazy", "prototype")) {
        for (int time = 0; time < 2; time++) {
          assertThat(refusal(() -> context.getBean(bean))).hasMessageContaining("final method");
        }
      }
    }
  }

  private static StartRefusedException refusal(ThrowingCallable start) {
    Throwable thrown = catchThrowable(start);
    assertThat(thrown).isNotNull();
    Throwable cause = NestedExceptionUtils.getMostSpecificCause(thrown);
    assertThat(cause).isInstanceOf(StartRefusedException.class);
    return (StartRefusedException) cause;
  }

  private static AnnotationConfigApplicationContext start(
      Class<?> bean, Kind kind, boolean extending) {
    return start(bean, kind, extending, new TestGuards());
  }

  private static AnnotationConfigApplicationContext start(
      Class<?> bean, Kind kind, boolean extending, TestGuards guards) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.getBeanFactory().registerScope("request", new SimpleThreadScope());
    if (extending) {
      BeanDefinitionRegistry registry = context;
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
      AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
    }
    RootBeanDefinition definition = new RootBeanDefinition(bean);
    kind.define(definition);
    kind.register(context, definition);
    Guarding.prepare(context, guards).refresh();
    return context;
  }
}
