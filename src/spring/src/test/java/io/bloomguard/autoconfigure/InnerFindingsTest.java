package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.internal.verify.Verification;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;
import org.springframework.test.util.AopTestUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** An answer that shows nothing of its key is judged by the guarded lookups that it is made of. */
class InnerFindingsTest {

  /** A response of an application's own, which may or may not carry a row. */
  record Result<T>(@Nullable T data) {}

  /** Rows from 7,000,000 on, of which the filter knows none. */
  static class Rows {

    final AtomicInteger loads = new AtomicInteger();

    private @Nullable String row(long id) {
      loads.incrementAndGet();
      return id >= 7_000_000 ? "desk" : null;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String kept(long id) {
      return row(id);
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public @Nullable String plain(long id) {
      return row(id);
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "later")
    public CompletableFuture<@Nullable String> keptLater(long id) {
      return CompletableFuture.supplyAsync(() -> row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public CompletableFuture<@Nullable String> plainLater(long id) {
      return CompletableFuture.supplyAsync(() -> row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "mono")
    public Mono<String> keptMono(long id) {
      return Mono.fromSupplier(() -> row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<String> plainMono(long id) {
      return Mono.fromSupplier(() -> row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Flux<String> plainFlux(long id) {
      return Mono.fromSupplier(() -> row(id)).flux();
    }

    @BloomGuarded(filter = "products", key = "#ids", cache = "all")
    public Map<Long, String> all(Collection<Long> ids) {
      Map<Long, String> all = new LinkedHashMap<>();
      for (long id : ids) {
        String row = row(id);
        if (row != null) {
          all.put(id, row);
        }
      }
      return all;
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public ResponseEntity<String> response(long id) {
      return ResponseEntity.ofNullable(row(id));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "failing")
    public String failing(long id) {
      throw new IllegalStateException(row(id));
    }

    @BloomGuarded(filter = "others", key = "#id", cache = "others")
    public @Nullable String ofAnotherFilter(long id) {
      return row(id);
    }

    /** As the rows of another table. */
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public List<String> nothing(long id) {
      return List.of();
    }

    public @Nullable String unguarded(long id) {
      return row(id);
    }
  }

  static class Pages {

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Result<Object> page(long id, LongFunction<@Nullable Object> lookup) {
      return new Result<>(lookup.apply(id));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "pages", caching = Caching.VALUES)
    public Result<Object> kept(long id, LongFunction<@Nullable Object> lookup) {
      return new Result<>(lookup.apply(id));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public CompletableFuture<Result<Object>> later(long id, LongFunction<@Nullable Object> lookup) {
      return CompletableFuture.completedFuture(new Result<>(lookup.apply(id)));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<Result<Object>> mono(long id, LongFunction<@Nullable Object> lookup) {
      return Mono.fromSupplier(() -> new Result<>(lookup.apply(id)));
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<Result<String>> reactive(long id, LongFunction<Mono<String>> lookup) {
      return lookup.apply(id).map(Result::new).defaultIfEmpty(new Result<>(null));
    }
  }

  private static void open(
      Pages pages, String form, long id, LongFunction<@Nullable Object> lookup) {
    switch (form) {
      case "kept" -> pages.kept(id, lookup);
      case "later" -> pages.later(id, lookup).join();
      case "mono" -> pages.mono(id, lookup).block();
      default -> pages.page(id, lookup);
    }
  }

  private static ApplicationContextRunner application() {
    ApplicationContextRunner application =
        Wiring.application()
            .withBean("otherColumn", KeySource.class, () -> sink -> sink.accept(-1L))
            .withBean(Rows.class)
            .withBean(Pages.class);
    for (String filter : List.of("products", "others")) {
      String prefix = "bloomguard.filters." + filter + ".";
      application =
          application.withPropertyValues(
              prefix + "expected-insertions=100000",
              prefix + "false-positive-probability=0.000001",
              prefix + "source.bean=otherColumn",
              prefix + "verify.on-wrong-rejection=count",
              prefix + "warm-up.mode=blocking");
    }
    return application;
  }

  private static Verification verification(org.springframework.context.ApplicationContext context) {
    return context.getBean(ConfiguredFilters.class).all().stream()
        .map(filter -> filter.guarded())
        .filter(filter -> filter.name().equals("products"))
        .findFirst()
        .orElseThrow()
        .verification();
  }

  private static Map<String, LongFunction<@Nullable Object>> lookups(Rows rows, Pages pages) {
    Map<String, LongFunction<@Nullable Object>> lookups = new LinkedHashMap<>();
    lookups.put("kept", rows::kept);
    lookups.put("plain", rows::plain);
    lookups.put("kept later", id -> rows.keptLater(id).join());
    lookups.put("plain later", id -> rows.plainLater(id).join());
    lookups.put("kept mono", id -> rows.keptMono(id).block());
    lookups.put("plain mono", id -> rows.plainMono(id).block());
    lookups.put("plain flux", id -> rows.plainFlux(id).blockLast());
    lookups.put("all", id -> rows.all(List.of(id)));
    lookups.put("response", rows::response);
    lookups.put("page within", id -> pages.kept(id, rows::plain));
    lookups.put("first nothing", id -> both(rows.nothing(id), rows.kept(id)));
    lookups.put("then nothing", id -> both(rows.plain(id), rows.nothing(id)));
    lookups.put("first failing", id -> both(failed(() -> rows.failing(id)), rows.kept(id)));
    lookups.put("failing", id -> failed(() -> rows.failing(id)));
    lookups.put("page alone", id -> pages.kept(id, rows::unguarded));
    lookups.put("another filter", rows::ofAnotherFilter);
    lookups.put("unguarded", rows::unguarded);
    return lookups;
  }

  private static List<@Nullable Object> both(@Nullable Object one, @Nullable Object other) {
    return Arrays.asList(one, other);
  }

  private static String failed(Runnable lookup) {
    assertThatThrownBy(lookup::run).isInstanceOf(IllegalStateException.class);
    return "failed";
  }

  /** Each lookup, with the verdicts on an absent key and on one whose row the filter lacks. */
  private static final String VERDICTS =
      """
      kept: confirmed wrong
      plain: confirmed wrong
      kept later: confirmed wrong
      plain later: confirmed wrong
      kept mono: confirmed wrong
      plain mono: confirmed wrong
      plain flux: confirmed wrong
      all: confirmed wrong
      response: confirmed wrong
      page within: confirmed wrong
      first nothing: confirmed wrong
      then nothing: confirmed wrong
      first failing: none wrong
      failing: none none
      page alone: none none
      another filter: none none
      unguarded: none none
      """;

  @ParameterizedTest
  @ValueSource(strings = {"page", "kept", "later", "mono"})
  void aPageIsJudgedByTheGuardedLookupsThatItIsMadeOf(String form) {
    application()
        .run(
            context -> {
              Verification verification = verification(context);
              Pages pages = context.getBean(Pages.class);
              long[] next = {0};
              StringBuilder judged = new StringBuilder();
              lookups(context.getBean(Rows.class), pages)
                  .forEach(
                      (name, lookup) -> {
                        long id = ++next[0];
                        judged
                            .append(name)
                            .append(": ")
                            .append(verdict(verification, () -> open(pages, form, id, lookup)))
                            .append(' ')
                            .append(
                                verdict(
                                    verification, () -> open(pages, form, 7_000_000 + id, lookup)))
                            .append('\n');
                      });
              assertThat(judged).hasToString(VERDICTS);
            });
  }

  private static String verdict(Verification verification, Runnable call) {
    long confirmed = verification.confirmed();
    long wrong = verification.wrong();
    call.run();
    return (verification.confirmed() > confirmed ? "confirmed" : "")
        + (verification.wrong() > wrong ? "wrong" : "")
        + (verification.confirmed() + verification.wrong() == confirmed + wrong ? "none" : "");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReactivePageIsJudgedByLookupsOnOtherThreads(boolean caching) {
    application()
        .run(
            context -> {
              Verification verification = verification(context);
              Pages pages = context.getBean(Pages.class);
              Rows rows = context.getBean(Rows.class);
              LongFunction<Mono<String>> lookup =
                  id ->
                      Mono.just(id)
                          .publishOn(Schedulers.boundedElastic())
                          .flatMap(key -> caching ? rows.keptMono(key) : rows.plainMono(key));
              pages.reactive(1, lookup).block();
              assertThat(verification.confirmed()).isOne();
              pages.reactive(7_000_001, lookup).block();
              assertThat(verification.wrong()).isOne();
            });
  }

  /** The trial of the key further in is its own. */
  @Test
  void aLookupOfAnotherKeyIsNoVerdictOnThePage() {
    application()
        .run(
            context -> {
              Verification verification = verification(context);
              Pages pages = context.getBean(Pages.class);
              Rows rows = context.getBean(Rows.class);
              pages.page(1, id -> pages.page(7_000_001, rows::plain));
              assertThat(verification.wrong()).isOne();
              assertThat(verification.confirmed()).isZero();
              pages.page(7_000_002, id -> pages.page(2, rows::plain));
              assertThat(verification.wrong()).isOne();
              assertThat(verification.confirmed()).isOne();
            });
  }

  @Test
  void aPageWhoseLookupFailsIsTriedAgain() {
    application()
        .run(
            context -> {
              Pages pages = context.getBean(Pages.class);
              Rows rows = context.getBean(Rows.class);
              Rows target = AopTestUtils.getUltimateTargetObject(rows);
              for (int i = 1; i <= 2; i++) {
                pages.page(1, id -> failed(() -> rows.failing(id)));
                assertThat(target.loads).hasValue(i);
              }
              pages.page(1, rows::unguarded);
              assertThat(pages.page(1, rows::plain)).isNull();
              assertThat(target.loads).as("shows nothing, and is not tried again").hasValue(3);
            });
  }
}
