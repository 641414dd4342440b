package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.test.util.AopTestUtils;
import reactor.core.publisher.Mono;

/** Null as a key, and among keys. */
class NullKeysTest {

  static class Products {

    final List<List<@Nullable Long>> asked = new ArrayList<>();

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public List<String> list(List<Long> ids) {
      asked.add(new ArrayList<>(ids));
      return ids.stream().map(String::valueOf).toList();
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public CompletableFuture<List<String>> later(Long... ids) {
      asked.add(new ArrayList<>(Arrays.asList(ids)));
      return CompletableFuture.completedFuture(Arrays.stream(ids).map(String::valueOf).toList());
    }

    @BloomGuarded(filter = "products", key = "#ids")
    public Map<Long, String> map(Iterable<Long> ids) {
      Map<Long, String> found = new LinkedHashMap<>();
      ids.forEach(id -> found.put(id, "product " + id));
      asked.add(new ArrayList<>(found.keySet()));
      return found;
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public @Nullable String find(@Nullable Long id) {
      return "found";
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<String> mono(@Nullable Long id) {
      return Mono.just("found");
    }

    @BloomGuarded(
        filter = "products",
        key = "'%s:%d'.formatted(#state, #id)",
        caching = Caching.NONE)
    public @Nullable String formatted(Thread.State state, @Nullable Long id) {
      return "found";
    }

    @BloomGuarded(filter = "products", key = "#ids[0]", caching = Caching.NONE)
    public @Nullable String first(@Nullable Long... ids) {
      return "found";
    }

    @BloomGuarded(filter = "products", key = "#text.substring(1)", caching = Caching.NONE)
    public CompletableFuture<@Nullable String> later(String text) {
      return CompletableFuture.completedFuture("found");
    }

    @BloomGuarded(filter = "products", key = "#ids[0].number", caching = Caching.NONE)
    public Mono<String> wrong(List<?> ids) {
      return Mono.just("found");
    }

    @BloomPut(filter = "products", key = "#ids[0]")
    public void save(List<Long> ids) {
      throw new AssertionError("written");
    }

    @BloomGuarded(filter = "products", key = "'p'.concat(#text)", caching = Caching.NONE)
    public @Nullable String joined(@Nullable String text) {
      return "found";
    }
  }

  private final TestGuards guards = new TestGuards();
  private AnnotationConfigApplicationContext context;
  private Products products;
  private List<List<@Nullable Long>> asked;

  @BeforeEach
  void start() {
    guards.keys.addAll(List.of("1", "2"));
    context = Guarding.context(guards, Products.class);
    products = context.getBean(Products.class);
    asked = AopTestUtils.<Products>getTargetObject(products).asked;
  }

  @AfterEach
  void stop() {
    context.close();
  }

  @Test
  void aNullAmongKeysReachesTheMethodAsItWouldUnguarded() {
    assertThat(products.list(Arrays.asList(1L, null, 99L, 2L)))
        .containsExactly("1", "null", null, "2");
    assertThat(products.list(Arrays.asList(null, 1L))).containsExactly("null", "1");
    assertThat(products.list(Arrays.asList(null, null))).containsExactly("null", "null");
    assertThat(products.later(99L, null, 1L).join()).containsExactly(null, "null", "1");
    assertThat(asked)
        .containsExactly(
            Arrays.asList(1L, null, 2L),
            Arrays.asList(null, 1L),
            Arrays.asList(null, null),
            Arrays.asList(null, 1L));
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.ERROR)).isZero();
  }

  @Test
  void nothingButTheMethodAnswersForANullOfAMap() {
    assertThat(products.map(Arrays.asList(1L, null, 99L))).containsOnlyKeys(1L, null);
    assertThat(products.map(List.of(1L))).containsOnlyKeys(1L);
    assertThat(products.map(List.of(1L, 99L))).containsOnlyKeys(1L);
    assertThat(asked).as("the last is cached").hasSize(2);
  }

  @Test
  void aNullKeyIsRefusedWithItsMethod() {
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> products.find(null))
        .withMessageContaining("NullKeysTest$Products.find(Long)")
        .withMessageContaining("the key \"#id\" is null");
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> products.mono(null).block())
        .withMessageContaining("Products.mono(");
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.ERROR)).isEqualTo(2);
  }

  @Test
  void aKeyThatIsNotThereIsRefusedWithItsMethodAndExpression() {
    assertThat(products.first(1L)).isEqualTo("found");
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> products.first(),
            () -> products.first((Long[]) null),
            () -> products.later(""),
            () -> products.wrong(List.of()).block(),
            () -> products.save(List.of()))) {
      assertThatExceptionOfType(InvalidKeyException.class)
          .isThrownBy(call)
          .withMessageMatching(
              ".*Products\\..* cannot be read from the arguments .* (bounds|null value)\\)");
    }
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.ERROR)).isEqualTo(4);
    assertThatIllegalStateException()
        .isThrownBy(() -> products.wrong(List.of(1L)).block())
        .withMessageContaining("the key \"#ids[0].number\" cannot be read");
  }

  @Test
  void aNullPartOfJoinedTextIsNoText() {
    guards.keys.addAll(List.of("NEW:null", "NEW:1", "p1"));
    assertThat(products.formatted(Thread.State.NEW, 1L)).isEqualTo("found");
    assertThat(products.joined("1")).isEqualTo("found");
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> products.formatted(Thread.State.NEW, null))
        .withMessageContaining("is null");
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> products.joined(null))
        .withMessageContaining("is null");
  }
}
