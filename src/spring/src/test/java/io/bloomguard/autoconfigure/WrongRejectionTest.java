package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilter;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A filter whose source has the wrong keys, in an application with the starter's defaults. */
@ExtendWith(OutputCaptureExtension.class)
class WrongRejectionTest {

  /** Everything is there; the source knows nothing of it. */
  static class Shop {

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<String> byId(long id) {
      return row(id);
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public String plainly(long id) {
      return row(id).orElse(null);
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "later")
    public CompletableFuture<String> later(long id) {
      return CompletableFuture.completedFuture(row(id).orElse(null));
    }

    @BloomGuarded(filter = "products", key = "#ids", cache = "all")
    public Map<Long, String> all(List<Long> ids) {
      return Map.of(ids.get(0), "desk");
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public CompletableFuture<Optional<String>> laterPlainly(long id) {
      return CompletableFuture.supplyAsync(() -> row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<String> mono(long id) {
      return Mono.fromSupplier(() -> row(id).orElse(null));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Flux<String> flux(long id) {
      return Flux.defer(() -> Mono.justOrEmpty(row(id)));
    }

    private static Optional<String> row(long id) {
      return id >= 7_000_000 ? Optional.of("desk") : Optional.empty();
    }
  }

  private static ApplicationContextRunner application(String... more) {
    return Wiring.application()
        .withBean("otherColumn", KeySource.class, () -> sink -> sink.accept(-1L))
        .withBean(Shop.class)
        .withPropertyValues(
            "bloomguard.filters.products.expected-insertions=100000",
            "bloomguard.filters.products.false-positive-probability=0.000001",
            "bloomguard.filters.products.source.bean=otherColumn",
            "bloomguard.filters.products.warm-up.mode=blocking")
        .withPropertyValues(more);
  }

  @ParameterizedTest
  @CsvSource({"byId", "plainly", "later", "laterPlainly", "mono", "flux", "all"})
  void isFoundAtOnceWhateverTheMethodReturns(String method, CapturedOutput output) {
    application()
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              Object found =
                  switch (method) {
                    case "byId" -> shop.byId(7_654_321).orElseThrow();
                    case "plainly" -> shop.plainly(7_654_321);
                    case "later" -> shop.later(7_654_321).join();
                    case "laterPlainly" -> shop.laterPlainly(7_654_321).join().orElseThrow();
                    case "mono" -> shop.mono(7_654_321).block();
                    case "flux" -> shop.flux(7_654_321).blockFirst();
                    default -> shop.all(List.of(7_654_321L)).get(7_654_321L);
                  };
              assertThat(found).isEqualTo("desk");
              ConfiguredFilter filter = context.getBean(ConfiguredFilters.class).all().get(0);
              assertThat(filter.managed().status().state()).isEqualTo(FilterState.DISARMED);
              assertThat(filter.guarded().verification().wrong()).isOne();
              assertThat(shop.byId(7_000_001)).contains("desk");
              assertThat(context.getBean(BloomGuards.class).guard("products").check(7_000_002L))
                  .isEqualTo(Membership.UNKNOWN);
              String hash = filter.managed().store().keyHash("7654321");
              assertThat(output.toString())
                  .contains("ERROR", "'products'", "entry method", "Shop." + method, hash)
                  .doesNotContain("7654321");
            });
  }

  /** Each answer that is nothing is a verdict, and gives its place in the bulkhead back. */
  @ParameterizedTest
  @ValueSource(strings = {"laterPlainly", "mono", "flux"})
  void isConfirmedOfAnswersThatComeLater(String method) {
    application()
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              for (int id = 0; id < 50; id++) {
                switch (method) {
                  case "laterPlainly" -> assertThat(shop.laterPlainly(id).join()).isEmpty();
                  case "mono" -> assertThat(shop.mono(id).block()).isNull();
                  default -> assertThat(shop.flux(id).collectList().block()).isEmpty();
                }
              }
              ConfiguredFilter filter = context.getBean(ConfiguredFilters.class).all().get(0);
              assertThat(filter.guarded().verification().confirmed()).isEqualTo(50);
              assertThat(filter.guarded().verification().wrong()).isZero();
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 99})
  void isFoundWithinTheFirstHundredRejections(int absentBefore) {
    application()
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              for (int id = 0; id < absentBefore; id++) {
                assertThat(shop.byId(id)).isEmpty();
              }
              assertThat(shop.byId(7_654_321)).contains("desk");
              assertThat(
                      context
                          .getBean(ConfiguredFilters.class)
                          .all()
                          .get(0)
                          .managed()
                          .status()
                          .state())
                  .isEqualTo(FilterState.DISARMED);
            });
  }

  @Test
  void isNeverFoundWithoutVerification() {
    application(
            "bloomguard.filters.products.verify.first=0",
            "bloomguard.filters.products.verify.sample=0")
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              for (int id = 7_000_000; id < 7_001_000; id++) {
                assertThat(shop.byId(id)).isEmpty();
              }
              ConfiguredFilter filter = context.getBean(ConfiguredFilters.class).all().get(0);
              assertThat(filter.managed().status().state()).isEqualTo(FilterState.READY);
              assertThat(filter.guarded().verification().wrong()).isZero();
            });
  }

  @Test
  void harmsNothingWhileTheFilterObserves() {
    application("bloomguard.filters.products.mode=observe")
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              for (int id = 7_000_000; id < 7_000_300; id++) {
                assertThat(shop.byId(id)).contains("desk");
              }
              ConfiguredFilter filter = context.getBean(ConfiguredFilters.class).all().get(0);
              assertThat(filter.guarded().verification().wrong()).isPositive();
              assertThat(filter.guarded().counters().count(Outcome.REJECTED)).isPositive();
            });
  }
}
