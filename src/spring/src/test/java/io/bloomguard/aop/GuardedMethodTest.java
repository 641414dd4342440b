package io.bloomguard.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.UnknownPolicy;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class GuardedMethodTest {

  record Product(long id, String name) {}

  record Query(@Nullable Product product) {}

  interface Repository<T, I> {
    @BloomGuarded(filter = "products", key = "#id")
    Optional<T> findById(I id);
  }

  @Retention(RetentionPolicy.RUNTIME)
  @BloomGuarded(filter = "products", key = "#p0")
  @interface GuardedProduct {
    @AliasFor(annotation = BloomGuarded.class)
    String cache();
  }

  static class Products implements Repository<Product, Long> {
    @Override
    public Optional<Product> findById(Long id) {
      return id == 2 ? Optional.empty() : Optional.of(new Product(id, "n" + id));
    }
  }

  static class Service {
    private final List<Object> calls = new ArrayList<>();

    /** What reached the methods; a method, for the fields of a proxy are not its target's. */
    List<Object> calls() {
      return calls;
    }

    @BloomGuarded(filter = "products", key = "#query.product.id", cache = "direct")
    public @Nullable Product byQuery(Query query) {
      calls.add(query);
      return query.product();
    }

    @GuardedProduct(cache = "composed")
    public Product composed(long id) {
      calls.add(id);
      return new Product(id, "composed");
    }

    @BloomGuarded(filter = "products", key = "#a + '-' + #b", caching = Caching.NONE)
    public String spel(String a, int b) {
      calls.add(a);
      return a + b;
    }

    @BloomGuarded(
        filter = "products",
        key = "#id",
        caching = Caching.NONE,
        onAbsent = OnAbsent.THROW)
    public @Nullable String throwing(long id) {
      calls.add(id);
      return id == 2 ? null : "v";
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "names")
    public String failing(long id) throws IOException {
      throw new IOException("down");
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "lists")
    public List<Product> list(long id) {
      calls.add(id);
      return id == 2 ? List.of() : List.of(new Product(id, "x"));
    }

    @BloomGuarded(filter = "products", key = "#ids")
    public List<Product> all(Collection<Long> ids) {
      calls.add(List.copyOf(ids));
      return ids.stream().map(id -> new Product(id, "x")).toList();
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public Long[] array(long[] ids) {
      calls.add(ids.length);
      return Arrays.stream(ids).boxed().toArray(Long[]::new);
    }

    @BloomGuarded(filter = "products", key = "#ids", cache = "batch")
    public Map<Long, Product> map(Set<Long> ids) {
      calls.add(Set.copyOf(ids));
      Map<Long, Product> found = new HashMap<>();
      ids.stream().filter(id -> id != 2).forEach(id -> found.put(id, new Product(id, "m")));
      return found;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "futures")
    public CompletableFuture<Optional<Product>> future(long id) {
      calls.add(id);
      return CompletableFuture.supplyAsync(
          () -> id == 2 ? Optional.empty() : Optional.of(new Product(id, "f")));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "failing-futures")
    public CompletableFuture<String> failingFuture(long id) {
      return CompletableFuture.failedFuture(new IOException("down"));
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "monos", onAbsent = OnAbsent.THROW)
    public Mono<String> mono(long id) {
      return Mono.deferContextual(
          context -> {
            calls.add(id);
            return id == 2
                ? Mono.empty()
                : Mono.just(String.valueOf(context.<Object>getOrDefault("who", "nobody")));
          });
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "fluxes")
    public Flux<String> flux(long id) {
      calls.add(id);
      return Flux.just("a", "b");
    }
  }

  private final TestGuards guards = new TestGuards();
  private AnnotationConfigApplicationContext context;
  private Service service;

  @BeforeEach
  void start() {
    guards.keys.addAll(Set.of("1", "2", "3", "a-7"));
    context = Guarding.context(guards, Products.class, Service.class);
    service = context.getBean(Service.class);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  @Test
  @SuppressWarnings("unchecked")
  void annotatedGenericInterfaceGuardsItsImplementationBehindAJdkProxy() {
    Repository<Product, Long> repository = context.getBean(Repository.class);
    assertThat(Proxy.isProxyClass(repository.getClass())).isTrue();

    assertThat(repository.findById(99L)).isEmpty();
    assertThat(repository.findById(1L)).contains(new Product(1, "n1"));
    assertThat(repository.findById(1L)).contains(new Product(1, "n1"));
    assertThat(repository.findById(2L)).isEmpty();
    assertThat(repository.findById(2L)).isEmpty();

    assertThat(count(Outcome.REJECTED)).isEqualTo(1);
    assertThat(count(Outcome.LOADED)).isEqualTo(1);
    assertThat(count(Outcome.CACHE_HIT)).isEqualTo(1);
    assertThat(count(Outcome.FALSE_POSITIVE)).isEqualTo(1);
    assertThat(count(Outcome.NULL_HIT)).isEqualTo(1);
  }

  @Test
  void propertyPathReadsRecords() {
    assertThat(service.byQuery(new Query(new Product(99, "x")))).isNull();
    assertThat(service.byQuery(new Query(new Product(1, "x")))).isNotNull();
    assertThat(service.calls()).hasSize(1);
  }

  @Test
  void nullOnThePathIsAnInvalidKey() {
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> service.byQuery(new Query(null)));
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void composedAnnotationIsMerged() {
    assertThat(service.composed(99)).isNull();
    assertThat(service.composed(1)).isEqualTo(new Product(1, "composed"));
    service.composed(1);
    assertThat(service.calls()).containsExactly(1L);
  }

  @Test
  void otherExpressionsAreEvaluatedAsSpel() {
    assertThat(service.spel("a", 7)).isEqualTo("a7");
    assertThat(service.spel("a", 8)).isNull();
    assertThat(service.calls()).hasSize(1);
  }

  @Test
  void withoutCachingEveryPossibleKeyReachesTheMethod() {
    service.throwing(1);
    service.throwing(1);
    assertThat(service.calls()).hasSize(2);
    assertThat(count(Outcome.PASSED)).isEqualTo(2);
  }

  @Test
  void absentKeyAndAbsentValueThrowAlike() {
    assertThatThrownBy(() -> service.throwing(99)).isInstanceOf(KeyAbsentException.class);
    assertThat(service.calls()).isEmpty();
    assertThatThrownBy(() -> service.throwing(2)).isInstanceOf(KeyAbsentException.class);
  }

  @Test
  void checkedExceptionsReachTheCallerUnchanged() {
    assertThatThrownBy(() -> service.failing(1))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("down");
  }

  @Test
  void emptyListIsNoValue() {
    assertThat(service.list(99)).isEmpty();
    assertThat(service.list(2)).isEmpty();
    assertThat(service.list(2)).isEmpty();
    assertThat(service.calls()).containsExactly(2L);
    assertThat(count(Outcome.NULL_HIT)).isEqualTo(1);
  }

  @Test
  void onlyPossibleKeysOfACollectionReachTheMethod() {
    assertThat(service.all(List.of(1L, 98L, 3L, 99L))).hasSize(2);
    assertThat(service.calls()).containsExactly(List.of(1L, 3L));
    assertThat(count(Outcome.REJECTED)).isEqualTo(2);
    assertThat(count(Outcome.PASSED)).isEqualTo(2);
  }

  @Test
  void collectionWithoutPossibleKeysIsAnsweredWithoutACall() {
    assertThat(service.all(List.of(98L, 99L))).isEmpty();
    assertThat(service.array(new long[] {98})).containsExactly((Long) null);
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void arrayOfPrimitivesStaysOne() {
    assertThat(service.array(new long[] {1, 99, 3})).containsExactly(1L, null, 3L);
  }

  @Test
  void mapIsCachedByEntry() {
    assertThat(service.map(Set.of(1L, 2L, 99L))).containsOnlyKeys(1L);
    assertThat(service.map(Set.of(1L, 2L, 3L))).containsOnlyKeys(1L, 3L);
    assertThat(service.calls()).containsExactly(Set.of(1L, 2L), Set.of(3L));
  }

  @Test
  void futureIsCachedByItsContent() throws Exception {
    assertThat(service.future(99).get()).isEmpty();
    assertThat(service.future(1).get()).contains(new Product(1, "f"));
    assertThat(service.future(1).get()).contains(new Product(1, "f"));
    assertThat(service.future(2).get()).isEmpty();
    assertThat(service.calls()).containsExactly(1L, 2L);
  }

  @Test
  void failureOfAFutureIsNotWrapped() {
    assertThatThrownBy(() -> service.failingFuture(1).get())
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isExactlyInstanceOf(IOException.class);
    CompletableFuture<Throwable> seen = new CompletableFuture<>();
    var unused = service.failingFuture(1).whenComplete((value, failure) -> seen.complete(failure));
    assertThat(seen.join()).isExactlyInstanceOf(IOException.class);
  }

  @Test
  void monoAsksAtEachSubscriptionAndKeepsTheContext() {
    Mono<String> mono = service.mono(1);
    assertThat(service.calls()).isEmpty();
    assertThat(mono.contextWrite(c -> c.put("who", "me")).block()).isEqualTo("me");
    assertThat(mono.block()).isEqualTo("me");
    assertThat(service.calls()).containsExactly(1L);
    assertThatThrownBy(() -> service.mono(99).block()).isInstanceOf(KeyAbsentException.class);
    assertThatThrownBy(() -> service.mono(2).block()).isInstanceOf(KeyAbsentException.class);
  }

  @Test
  void fluxIsCachedAsAList() {
    Flux<String> flux = service.flux(1);
    assertThat(flux.collectList().block()).containsExactly("a", "b");
    assertThat(flux.collectList().block()).containsExactly("a", "b");
    assertThat(service.flux(99).collectList().block()).isEmpty();
    assertThat(service.calls()).containsExactly(1L);
  }

  @Test
  void doubtUnderAClosedPolicyIsShedAndNothingIsCalled() {
    TestGuards closed = new TestGuards(Transactions.NONE, UnknownPolicy.CLOSED);
    closed.doubtful = true;
    try (var other = Guarding.context(closed, Service.class)) {
      Service shedding = other.getBean(Service.class);
      assertThatThrownBy(() -> shedding.throwing(1)).isInstanceOf(RequestShedException.class);
      assertThatThrownBy(() -> shedding.composed(1)).isInstanceOf(RequestShedException.class);
      assertThatThrownBy(() -> shedding.all(List.of(1L))).isInstanceOf(RequestShedException.class);
      assertThat(shedding.calls()).isEmpty();
    }
  }

  private long count(Outcome outcome) {
    return guards.outcomes.count(EntryPoint.METHOD, outcome);
  }
}
