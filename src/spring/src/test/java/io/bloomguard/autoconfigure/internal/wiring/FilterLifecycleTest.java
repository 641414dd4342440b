package io.bloomguard.autoconfigure.internal.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.autoconfigure.TestKeys;
import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Filters start before requests come, survive a pause, and leave nothing behind. */
class FilterLifecycleTest {

  private static final String PRODUCTS = "bloomguard.filters.products.";

  private final CountDownLatch reading = new CountDownLatch(1);
  private final Set<Thread> before = threads().collect(Collectors.toSet());

  private ApplicationContextRunner endless() {
    return Wiring.application()
        .withBean("keys", TestKeys.class, () -> TestKeys.endless(reading))
        .withPropertyValues(PRODUCTS + "source.bean=keys");
  }

  @Test
  void closingTheContextCancelsAWarmUpAndLeavesNoThread() {
    ConfiguredFilter[] filter = new ConfiguredFilter[1];
    endless()
        .run(
            context -> {
              reading.await();
              filter[0] = context.getBean(ConfiguredFilters.class).all().get(0);
              assertThat(filter[0].managed().status().state()).isEqualTo(FilterState.WARMING);
              assertThat(ourThreads()).isNotEmpty();
            });
    // Before the beans that it reads from are gone, not some time later.
    assertThat(filter[0].managed().lastRebuild())
        .hasValueSatisfying(
            report -> assertThat(report.outcome()).isEqualTo(RebuildOutcome.CANCELLED));
    await().until(() -> ourThreads().isEmpty());
  }

  @Test
  void startThatFailsHalfWayLeavesNoThread() {
    Wiring.application()
        .withBean("keys", TestKeys.class, () -> TestKeys.endless(reading))
        .withBean(
            "broken",
            TestKeys.class,
            () ->
                new TestKeys(
                    sink -> {
                      reading.await();
                      throw new IllegalStateException("gone");
                    }))
        .withPropertyValues(
            "bloomguard.filters.a.source.bean=keys",
            "bloomguard.filters.b.source.bean=broken",
            "bloomguard.filters.b.warm-up.mode=blocking")
        .run(context -> assertThat(context).hasFailed());
    await().until(() -> ourThreads().isEmpty());
  }

  /**
   * Other processes take a writer that is silent for gone, and settle without its adds. In real
   * time: an application looks after its filters once a second.
   */
  @Tag("waits")
  @Test
  void maintenanceThatHangsKeepsNoSignOfLifeBack() {
    List<String> names = List.of("a", "b", "c", "d", "e");
    CountDownLatch released = new CountDownLatch(1);
    CountDownLatch hanging = new CountDownLatch(4);
    Map<String, AtomicInteger> signs = new ConcurrentHashMap<>();
    FilterBackend stuck =
        new FilterBackend() {
          @Override
          public String name() {
            return "stuck";
          }

          @Override
          public GenerationStore store(StoreOrder order) {
            GenerationStore real =
                TestGenerations.local(
                    order.filter(),
                    any ->
                        MembershipFilters.create(
                            any, KeyHash.SIPHASH_1_3.hasher(HashSecret.random())),
                    order.shape(),
                    order.journalRetention(),
                    0,
                    System::nanoTime);
            AtomicInteger count =
                signs.computeIfAbsent(order.filter(), name -> new AtomicInteger());
            return (GenerationStore)
                Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {GenerationStore.class},
                    (proxy, method, arguments) -> {
                      if (method.getName().equals("heartbeat")) {
                        count.incrementAndGet();
                        return null;
                      }
                      if (method.getName().equals("maintain")) {
                        hanging.countDown();
                        released.await();
                      }
                      return method.invoke(real, arguments);
                    });
          }
        };
    ApplicationContextRunner application =
        Wiring.application().withBean("stuck", FilterBackend.class, () -> stuck);
    for (String name : names) {
      application =
          application.withPropertyValues(
              "bloomguard.filters." + name + ".backend=stuck",
              "bloomguard.filters." + name + ".source.added-only=true");
    }
    application.run(
        context -> {
          assertThat(context).hasNotFailed();
          hanging.await();
          Map<String, Integer> before = new HashMap<>();
          signs.forEach((name, count) -> before.put(name, count.get()));
          await()
              .until(
                  () ->
                      names.stream()
                          .allMatch(name -> signs.get(name).get() > before.get(name) + 1));
          released.countDown();
        });
  }

  @Test
  void addedKeysOutliveAPauseOfTheContext() {
    Wiring.application()
        .withPropertyValues(PRODUCTS + "source.added-only=true")
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("products");
              guard.put(42L);
              context.stop();
              assertThat(guard.check(42L)).isEqualTo(Membership.POSSIBLY_PRESENT);
              context.start();
              assertThat(guard.check(42L)).isEqualTo(Membership.POSSIBLY_PRESENT);
              assertThat(guard.check(43L)).isEqualTo(Membership.ABSENT);
            });
  }

  @Test
  void filtersCanBeRebuiltAfterAPauseOfTheContext() {
    Wiring.application()
        .withBean("keys", TestKeys.class, () -> new TestKeys(sink -> sink.accept(42L)))
        .withPropertyValues(PRODUCTS + "source.bean=keys", PRODUCTS + "rebuild.cron=* * * * * *")
        .run(
            context -> {
              var filter = context.getBean(ConfiguredFilters.class).all().get(0).managed();
              await().until(() -> filter.status().state() == FilterState.READY);
              context.stop();
              long generation = filter.status().generation();
              context.start();
              await().until(() -> filter.status().generation() > generation);
            });
  }

  @Test
  void blockingWarmUpIsOverWhenTheContextIsUp() {
    Wiring.application()
        .withBean("keys", TestKeys.class, () -> new TestKeys(sink -> sink.accept(42L)))
        .withPropertyValues(PRODUCTS + "source.bean=keys", PRODUCTS + "warm-up.mode=blocking")
        .run(
            context ->
                assertThat(context.getBean(BloomGuards.class).guard("products").check(7L))
                    .isEqualTo(Membership.ABSENT));
  }

  @Test
  void withoutAWarmUpNothingIsReadAndNothingIsDenied() {
    Wiring.application()
        .withBean("keys", TestKeys.class)
        .withPropertyValues(PRODUCTS + "source.bean=keys", PRODUCTS + "warm-up.mode=none")
        .run(
            context -> {
              assertThat(context.getBean(BloomGuards.class).guard("products").check(7L))
                  .isEqualTo(Membership.UNKNOWN);
              assertThat(context.getBean(TestKeys.class).scans).hasValue(0);
            });
  }

  /** Threads of this test's applications; those of other tests' may still be there. */
  private List<Thread> ourThreads() {
    return threads().filter(thread -> !before.contains(thread)).toList();
  }

  private static Stream<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("bloomguard-"));
  }
}
