package io.bloomguard.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.CacheBackend;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application whose filters are in a backend of its own. */
class OwnBackendTest {

  private final ApplicationContextRunner plain =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(BloomguardAutoConfiguration.class))
          .withBean("keys", KeySource.class, () -> sink -> sink.accept("known"))
          .withPropertyValues(
              "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
              "bloomguard.filters.items.source.bean=keys",
              "bloomguard.filters.items.warm-up.mode=blocking");

  private final ApplicationContextRunner application = plain.withBean(SetBackend.class);

  @Test
  void itsNameChoosesItForOneFilterAndTheCacheStaysOnTheHeap() {
    application
        .withPropertyValues(
            "bloomguard.filters.items.backend=sets", "bloomguard.filters.others.source.bean=keys")
        .run(
            context -> {
              BloomGuards guards = context.getBean(BloomGuards.class);
              BloomGuard<Object> items = guards.guard("items");
              assertThat(items.check("known")).isEqualTo(Membership.POSSIBLY_PRESENT);
              assertThat(items.check("unknown")).isEqualTo(Membership.ABSENT);
              items.put("new");
              assertThat(items.get("new", () -> "value")).isEqualTo("value");
              assertThat(items.get("new", () -> "another")).isEqualTo("value");
            });
  }

  @Test
  void itsNameChoosesItForAllFilters() {
    application
        .withPropertyValues("bloomguard.backend=sets")
        .run(
            context ->
                assertThat(context.getBean(BloomGuards.class).guard("items").check("known"))
                    .isEqualTo(Membership.POSSIBLY_PRESENT));
  }

  /** What a first request would have to bring up: connections and classes. */
  @Test
  void aReadyFilterIsAskedBeforeRequestsAskIt() {
    Set<Object> asked = ConcurrentHashMap.newKeySet();
    plain
        .withBean(FilterBackend.class, () -> new Noted(asked))
        .withPropertyValues("bloomguard.backend=noted")
        .run(context -> assertThat(asked).isNotEmpty());
  }

  @Test
  void aCacheBackendOfTheSameNameKeepsItsValues() {
    AtomicReference<String> made = new AtomicReference<>();
    application
        .withBean(CacheBackend.class, () -> new Caches(made))
        .withPropertyValues("bloomguard.filters.items.backend=sets")
        .run(
            context -> {
              BloomGuard<Object> items = context.getBean(BloomGuards.class).guard("items");
              items.put("new");
              assertThat(made).hasValue("items with a codec");
            });
  }

  /** Notes the keys that are checked. */
  private record Noted(Set<Object> asked) implements FilterBackend {

    @Override
    public String name() {
      return "noted";
    }

    @Override
    public GenerationStore store(StoreOrder order) {
      GenerationStore store = new SetBackend().store(order);
      return (GenerationStore)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {GenerationStore.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("check")) {
                  asked.add(arguments[0]);
                }
                return method.invoke(store, arguments);
              });
    }
  }

  private record Caches(AtomicReference<String> made) implements CacheBackend {

    @Override
    public String name() {
      return "sets";
    }

    @Override
    public ValueCache cache(String name, CacheSettings settings, @Nullable ValueCodec codec) {
      made.set(name + (codec == null ? "" : " with a codec"));
      return (ValueCache)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {ValueCache.class},
              (proxy, method, arguments) -> null);
    }
  }

  @Test
  void anUnknownNameStopsTheStartAndNamesWhatIsThere() {
    Map.of(
            "bloomguard.backend", "[local, redis, sets]",
            "bloomguard.filters.items.backend", "[local, redis, redis-bloom, redis-bitmap, sets]")
        .forEach(
            (property, known) ->
                application
                    .withPropertyValues(property + "=mongo")
                    .run(
                        context ->
                            assertThat(context)
                                .getFailure()
                                .rootCause()
                                .hasMessage(
                                    property
                                        + " is 'mongo', but must be one of "
                                        + known
                                        + ". Set it to one of them, or add a bean of the type "
                                        + FilterBackend.class.getName()
                                        + " with that name.")));
  }

  @Test
  void twoOfOneNameStopTheStart() {
    application
        .withBean("twin", FilterBackend.class, SetBackend::new)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("Two beans are the backend 'sets'"));
    application
        .withBean("first", CacheBackend.class, () -> new Caches(new AtomicReference<>()))
        .withBean("second", CacheBackend.class, () -> new Caches(new AtomicReference<>()))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("Two beans are the backend 'sets'"));
  }

  @Test
  void withoutASecretNoOtherProcessCouldReadItsBits() {
    application
        .withPropertyValues("bloomguard.hash-secret=", "bloomguard.backend=sets")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("bloomguard.hash-secret is not set")
                    .hasMessageContaining("'items'"));
  }
}
