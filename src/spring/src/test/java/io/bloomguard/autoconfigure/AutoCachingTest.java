package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.autoconfigure.calls.Items;
import io.bloomguard.autoconfigure.calls.KeyedReactiveItems;
import io.bloomguard.autoconfigure.calls.ReactiveItems;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.KeyedClasses;
import io.bloomguard.guard.internal.EntryGuards;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Mono;

/** What {@code caching = AUTO} keeps: values only where every write of the rows is seen. */
@ExtendWith(OutputCaptureExtension.class)
class AutoCachingTest {

  private static final String KEEPS_NULLS = "keep null entries only (NULLS), because ";

  record Item(long id, String name) {}

  static class Lookup {
    private final AtomicInteger loads = new AtomicInteger();
    private @Nullable CountDownLatch held;

    // By methods, for the fields are those of the proxy.

    AtomicInteger loads() {
      return loads;
    }

    void hold(CountDownLatch latch) {
      held = latch;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable Item find(long id) throws InterruptedException {
      loads.incrementAndGet();
      if (held != null) {
        held.await(10, TimeUnit.SECONDS);
      }
      return id == 7 ? new Item(id, "lamp") : null;
    }
  }

  static class Seen extends Lookup {
    @BloomPut(filter = "products", key = "#item.id")
    public void save(Item item) {}

    @BloomEvict(filter = "products", key = "#id")
    public void delete(long id) {}
  }

  static class Unseen extends Lookup {
    public void update(Item item) {}
  }

  static class Inserting extends Lookup {
    public void insert(Item item) {}
  }

  static class Promised extends Unseen {
    @Override
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.VALUES)
    public @Nullable Item find(long id) throws InterruptedException {
      return super.find(id);
    }
  }

  static class ItemsFactory implements FactoryBean<Items> {
    @Override
    public Items getObject() {
      ProxyFactory factory = new ProxyFactory();
      factory.addInterface(Items.class);
      factory.addAdvice((MethodInterceptor) i -> Optional.of(new Items.Item(7, "lamp")));
      return (Items) factory.getProxy(Items.class.getClassLoader());
    }

    @Override
    public Class<?> getObjectType() {
      return Items.class;
    }
  }

  private abstract static class ReactiveFactory<T> implements FactoryBean<T> {

    private final Class<T> type;

    ReactiveFactory(Class<T> type) {
      this.type = type;
    }

    @Override
    public T getObject() {
      ProxyFactory factory = new ProxyFactory();
      factory.addInterface(type);
      factory.addAdvice((MethodInterceptor) i -> Mono.empty());
      return type.cast(factory.getProxy(type.getClassLoader()));
    }

    @Override
    public Class<?> getObjectType() {
      return type;
    }
  }

  static class ReactiveItemsFactory extends ReactiveFactory<ReactiveItems> {
    ReactiveItemsFactory() {
      super(ReactiveItems.class);
    }
  }

  static class KeyedItemsFactory extends ReactiveFactory<KeyedReactiveItems> {
    KeyedItemsFactory() {
      super(KeyedReactiveItems.class);
    }
  }

  private static ApplicationContextRunner with(Class<?> bean, String... properties) {
    return Wiring.application()
        .withPropertyValues(
            "bloomguard.filters.products.source.added-only=true",
            "bloomguard.filters.products.expected-insertions=1000")
        .withPropertyValues(properties)
        .withUserConfiguration(bean);
  }

  /** The loads of two calls, one after the other, of a key with a row and of one without. */
  private static void assertLoads(ApplicationContextRunner runner, int found, int absent) {
    runner.run(
        context -> {
          Lookup lookup = context.getBean(Lookup.class);
          context.getBean(BloomGuards.class).guard("products").putAll(List.of(7, 8));
          for (int i = 0; i < 2; i++) {
            assertThat(lookup.find(7)).isEqualTo(new Item(7, "lamp"));
          }
          assertThat(lookup.loads()).hasValue(found);
          for (int i = 0; i < 2; i++) {
            assertThat(lookup.find(8)).isNull();
          }
          assertThat(lookup.loads()).hasValue(found + absent);
        });
  }

  @Test
  void valuesAreKeptWhereEveryWriteIsSeen(CapturedOutput output) {
    assertLoads(with(Seen.class), 1, 1);
    assertThat(output)
        .containsOnlyOnce("Filter 'products': lookups with caching = AUTO keep values (VALUES)")
        .doesNotContain(KEEPS_NULLS);
  }

  @Test
  void nullsAloneAreKeptWhereOneIsNot(CapturedOutput output) {
    assertLoads(with(Unseen.class), 2, 1);
    assertThat(output)
        .containsOnlyOnce(KEEPS_NULLS + Unseen.class.getTypeName() + ".update(Item)")
        .containsSubsequence("Put @BloomKey(filter = \"products\")", "@BloomPut");
  }

  @Test
  void anInsertLeavesNoOldValue() {
    assertLoads(with(Inserting.class), 1, 1);
  }

  @Test
  void aPromiseKeepsValues() {
    assertLoads(with(Promised.class), 1, 1);
    assertLoads(with(Unseen.class, "bloomguard.unguarded-writes=ignore"), 1, 1);
  }

  private static void register(ConfigurableApplicationContext context) {
    AutoConfigurationPackages.register(
        (BeanDefinitionRegistry) context.getBeanFactory(), Items.class.getPackageName());
  }

  @Test
  void anInheritedWriteCountsIfItIsCalled(CapturedOutput output) {
    with(ItemsFactory.class).run(context -> assertThat(context).hasNotFailed());
    assertThat(output).contains("keep values (VALUES)").doesNotContain(KEEPS_NULLS);
    with(ItemsFactory.class)
        .withInitializer(AutoCachingTest::register)
        .withBean(KeyedClasses.class, () -> type -> true)
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output)
        .containsOnlyOnce(KEEPS_NULLS)
        .contains(
            Items.class.getTypeName()
                + ".delete(Item), which io.bloomguard.autoconfigure.calls.ItemService calls,");
  }

  /** The writes of a reactive repository are those of its interface, too. */
  @Test
  void aReactiveRepositoryIsReadAlike(CapturedOutput output) {
    with(ReactiveItemsFactory.class)
        .withInitializer(AutoCachingTest::register)
        .withBean(KeyedClasses.class, () -> type -> true)
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output)
        .containsOnlyOnce(KEEPS_NULLS)
        .contains(
            ReactiveItems.class.getTypeName()
                + ".delete(Item), which io.bloomguard.autoconfigure.calls.ItemService calls,");
  }

  /** Spring Data R2DBC reports no deletion, whatever the class of the rows carries. */
  @Test
  void aDeletionOfReactiveRowsIsNotSeen(CapturedOutput output) {
    with(KeyedItemsFactory.class)
        .withInitializer(AutoCachingTest::register)
        .withBean(KeyedClasses.class, () -> type -> true)
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output)
        .containsOnlyOnce(KEEPS_NULLS)
        .contains(
            KeyedReactiveItems.class.getTypeName()
                + ".deleteById(Long), which io.bloomguard.autoconfigure.calls.ItemService calls,");
  }

  @Test
  void callersAtOneTimeShareALoad() {
    callers(
        (context, lookup) -> {},
        lookup -> {
          assertThat(lookup.loads()).hasValue(1);
          find(lookup);
          assertThat(lookup.loads()).as("not kept").hasValue(2);
        });
  }

  @Test
  void aLoadThatAWriteHasOvertakenIsNotShared() {
    callers(
        (context, lookup) -> context.getBean(BloomGuards.class).guard("products").evict(7),
        lookup -> assertThat(lookup.loads()).hasValueGreaterThan(1));
  }

  /** Has eight callers wait for one load, during which {@code meanwhile} runs. */
  private static void callers(
      BiConsumer<ApplicationContext, Lookup> meanwhile, Consumer<Lookup> then) {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      with(Unseen.class)
          .run(
              context -> {
                Lookup lookup = context.getBean(Lookup.class);
                context.getBean(BloomGuards.class).guard("products").put(7);
                CountDownLatch held = new CountDownLatch(1);
                lookup.hold(held);
                List<Thread> waiting = new CopyOnWriteArrayList<>();
                List<CompletableFuture<Item>> callers =
                    Stream.generate(
                            () ->
                                CompletableFuture.supplyAsync(
                                    () -> {
                                      waiting.add(Thread.currentThread());
                                      return find(lookup);
                                    },
                                    threads))
                        .limit(8)
                        .toList();
                Awaitility.await()
                    .until(
                        () ->
                            waiting.size() == 8
                                && waiting.stream()
                                    .allMatch(t -> t.getState() == Thread.State.TIMED_WAITING));
                assertThat(lookup.loads()).hasValue(1);
                meanwhile.accept(context, lookup);
                held.countDown();
                for (CompletableFuture<Item> caller : callers) {
                  assertThat(caller.get(10, TimeUnit.SECONDS)).isEqualTo(new Item(7, "lamp"));
                }
                then.accept(lookup);
              });
    } finally {
      threads.shutdownNow();
    }
  }

  private static @Nullable Item find(Lookup lookup) {
    try {
      return lookup.find(7);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aWriteThatIsSeenToBypassTheGuardEndsTheKeeping(CapturedOutput output) {
    with(Seen.class)
        .run(
            context -> {
              Lookup lookup = context.getBean(Lookup.class);
              EntryGuards guards = context.getBean(EntryGuards.class);
              guards.guard("products").put(7);
              lookup.find(7);
              lookup.find(7);
              assertThat(lookup.loads()).hasValue(1);
              guards.unseenWrite("products", "A statement");
              guards.unseenWrite("products", "Another statement");
              lookup.find(7);
              lookup.find(7);
              assertThat(lookup.loads()).hasValue(3);
            });
    assertThat(output).containsOnlyOnce("emptied").contains("A statement writes its rows");
  }
}
