package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomKey;
import io.bloomguard.annotation.Mode;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.StartRefusedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The keys 1, 2 and 3 exist, of which 2 has no row; 999 is rejected. */
class PositionsTest {

  record Product(long id) {}

  static @Nullable Product row(long id) {
    return id == 2 ? null : new Product(id);
  }

  static List<@Nullable Product> each(Collection<Long> ids) {
    return new ArrayList<>(ids.stream().map(PositionsTest::row).toList());
  }

  /** Elements that name no key, each in the position of its key. */
  static class Declared {

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public List<String> names(List<Long> ids) {
      return ids.stream().map(id -> "name " + id).toList();
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public Boolean[] existsEach(Collection<Long> ids) {
      return ids.stream().map(id -> row(id) != null).toArray(Boolean[]::new);
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public int[] countEach(long... ids) {
      return LongStream.of(ids).mapToInt(id -> 1).toArray();
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public Collection<Optional<Product>> options(Iterable<Long> ids) {
      List<Optional<Product>> options = new ArrayList<>();
      ids.forEach(id -> options.add(Optional.ofNullable(row(id))));
      return options;
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public CompletableFuture<List<List<Long>>> lists(Long... ids) {
      return CompletableFuture.supplyAsync(() -> Arrays.stream(ids).map(List::of).toList());
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public List<Future<Optional<Long>>> futures(List<Long> ids) {
      return new ArrayList<>(
          ids.stream().map(id -> CompletableFuture.completedFuture(Optional.of(id))).toList());
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public Mono<String[]> mono(List<Long> ids) {
      return Mono.just(ids.stream().map(id -> "name " + id).toArray(String[]::new));
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public Flux<Optional<Long>> flux(List<Long> ids) {
      return Flux.fromIterable(ids).map(Optional::of);
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public @Nullable List<String> wrong(List<Long> ids) {
      return ids.size() == 1 ? null : List.of("one");
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public Mono<List<String>> wrongLater(List<Long> ids) {
      return Mono.empty();
    }

    @BloomGuarded(filter = "products", key = "#ids", positional = true, onAbsent = OnAbsent.THROW)
    public List<String> throwing(List<Long> ids) {
      return names(ids);
    }
  }

  /** Elements that name their keys. */
  static class Rows {

    @BloomGuarded(filter = "products", key = "#ids")
    public List<@Nullable Product> aligned(List<Long> ids) {
      return each(ids);
    }

    @BloomGuarded(filter = "products", key = "#productIdList")
    public CompletableFuture<@Nullable Product[]> later(Long... productIdList) {
      return CompletableFuture.completedFuture(
          each(List.of(productIdList)).toArray(Product[]::new));
    }

    @BloomGuarded(filter = "products", key = "#ids")
    public List<@Nullable Product> ofCollection(Collection<Long> ids) {
      return each(ids);
    }

    @BloomGuarded(filter = "products", key = "#ids")
    public List<Product> sorted(List<Long> ids) {
      return ids.stream()
          .sorted()
          .map(PositionsTest::row)
          .filter(Objects::nonNull)
          .collect(Collectors.toList());
    }

    @BloomGuarded(filter = "products", key = "#ids")
    public Flux<Product> flux(List<Long> ids) {
      return Flux.fromIterable(ids).mapNotNull(PositionsTest::row);
    }

    @BloomGuarded(filter = "products", key = "#ids")
    public Set<String> set(List<Long> ids) {
      return ids.stream().map(String::valueOf).collect(Collectors.toSet());
    }

    @BloomGuarded(filter = "products", key = "#ids", cache = "rows")
    @SuppressWarnings({"unchecked", "rawtypes"})
    public Map<Long, String> integers(List<Long> ids) {
      return (Map) ids.stream().collect(Collectors.toMap(Long::intValue, id -> "row " + id));
    }

    @BloomGuarded(filter = "products", key = "#ids", cache = "nulls")
    @SuppressWarnings("NullAway")
    public Map<Long, String> nothing(List<Long> ids) {
      return null;
    }
  }

  private final TestGuards guards = new TestGuards();
  private AnnotationConfigApplicationContext context;
  private Declared declared;
  private Rows rows;

  @BeforeEach
  void start() {
    guards.keys.addAll(List.of("1", "2", "3"));
    context = Guarding.context(guards, Declared.class, Rows.class);
    declared = context.getBean(Declared.class);
    rows = context.getBean(Rows.class);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  @Test
  void gapsArePutBackInTheirPlaces() {
    assertThat(declared.names(List.of(999L, 1L, 999L, 3L)))
        .containsExactly(null, "name 1", null, "name 3");
    assertThat(declared.names(List.of(1L, 3L))).containsExactly("name 1", "name 3");
    assertThat(declared.existsEach(List.of(1L, 999L, 2L))).containsExactly(true, false, false);
    assertThat(declared.countEach(1, 999, 1)).containsExactly(1, 0, 1);
    assertThat(declared.options(List.of(1L, 999L, 2L, 3L)))
        .containsExactly(
            Optional.of(new Product(1)),
            Optional.empty(),
            Optional.empty(),
            Optional.of(new Product(3)));
    assertThat(declared.lists(1L, 999L, 3L).join())
        .containsExactly(List.of(1L), List.of(), List.of(3L));
    assertThat(
            declared.futures(List.of(1L, 999L, 3L)).stream()
                .<Object>map(future -> ((CompletableFuture<?>) future).join()))
        .containsExactly(Optional.of(1L), Optional.empty(), Optional.of(3L));
    assertThat(declared.mono(List.of(1L, 999L, 3L)).block())
        .containsExactly("name 1", null, "name 3");
    assertThat(declared.flux(List.of(1L, 999L, 3L)).collectList().block())
        .containsExactly(Optional.of(1L), Optional.empty(), Optional.of(3L));
  }

  @Test
  void keysOfWhichNonePassesHaveGapsAlone() {
    assertThat(declared.names(List.of(999L, 998L))).containsExactly(null, null);
    assertThat(declared.countEach(999)).containsExactly(0);
    assertThat(declared.lists(999L).join()).containsExactly(List.of());
    assertThat(declared.mono(List.of(999L)).block()).containsExactly((String) null);
    assertThat(declared.flux(List.of(999L)).collectList().block())
        .containsExactly(Optional.empty());
    assertThatExceptionOfType(KeyAbsentException.class)
        .isThrownBy(() -> declared.throwing(List.of(999L)));
    assertThat(declared.throwing(List.of(999L, 1L))).containsExactly(null, "name 1");
  }

  @Test
  void anAnswerOfAnotherSizeIsAnError() {
    assertThatThrownBy(() -> declared.wrong(List.of(1L, 999L, 3L)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("PositionsTest$Declared.wrong(List) answered 1 elements for 2 keys");
    assertThatThrownBy(() -> declared.wrong(List.of(1L, 3L)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> declared.wrong(List.of(1L))).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> declared.wrongLater(List.of(1L)).block())
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void rowsInTheOrderOfTheirKeysKeepTheirPositions() {
    assertThat(rows.aligned(List.of(1L, 999L, 3L)))
        .containsExactly(new Product(1), null, new Product(3));
    assertThat(rows.aligned(List.of(999L, 1L, 2L, 3L)))
        .containsExactly(null, new Product(1), null, new Product(3));
    assertThat(rows.later(1L, 999L, 3L).join())
        .containsExactly(new Product(1), null, new Product(3));
    assertThat(rows.ofCollection(List.of(1L, 2L, 999L, 3L)))
        .as("a null shows positions")
        .containsExactly(new Product(1), null, null, new Product(3));
    assertThat(rows.ofCollection(List.of(1L, 999L, 3L)))
        .as("once a null has shown them")
        .containsExactly(new Product(1), null, new Product(3));
  }

  @Test
  void rowsInAnyOrderAreAnsweredAsTheyCome() {
    assertThat(rows.sorted(List.of(3L, 999L, 1L))).containsExactly(new Product(1), new Product(3));
    assertThat(rows.sorted(List.of(1L, 999L, 3L)))
        .as("once a row was in the place of another key")
        .containsExactly(new Product(1), new Product(3));
    assertThat(rows.sorted(List.of(1L, 2L, 3L, 999L)))
        .containsExactly(new Product(1), new Product(3));
    assertThat(rows.ofCollection(List.of(1L, 999L, 3L)))
        .containsExactly(new Product(1), new Product(3));
    assertThat(rows.flux(List.of(1L, 999L, 3L)).collectList().block())
        .containsExactly(new Product(1), new Product(3));
    assertThat(rows.set(List.of(1L, 999L, 3L))).containsExactlyInAnyOrder("1", "3");
  }

  @Test
  void aMapIsReadByTheTextOfItsKeys() {
    assertThat(rows.integers(List.of(1L, 999L, 3L)))
        .containsExactly(Map.entry(1L, "row 1"), Map.entry(3L, "row 3"));
    assertThat(rows.integers(List.of(3L))).as("kept").containsExactly(Map.entry(3L, "row 3"));
    assertThatThrownBy(() -> rows.nothing(List.of(1L)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("null in place of a map");
  }

  @BloomKey(filter = "products", attribute = "sku")
  record Keyed(long id, String sku) {}

  record Stock(long id, long productId, int pieces) {}

  interface Named {
    String getIsbn();
  }

  /** Names of the parameter and of the property that has the key. */
  interface Properties {

    @BloomGuarded(filter = "products", key = "#codes")
    List<Keyed> keyed(List<String> codes);

    @BloomGuarded(filter = "products", key = "#productIds")
    List<Stock> stock(Collection<Long> productIds);

    @BloomGuarded(filter = "products", key = "#p0")
    Stock[] ids(Set<Long> ids);

    @BloomGuarded(filter = "products", key = "#isbnList")
    Collection<Named> views(List<String> isbnList);

    @BloomGuarded(filter = "products", key = "#ids")
    Optional<List<Product>> within(Collection<Long> ids);
  }

  static class PropertiesOfRows implements Properties {
    @Override
    public List<Keyed> keyed(List<String> codes) {
      return List.of();
    }

    @Override
    public List<Stock> stock(Collection<Long> productIds) {
      return List.of();
    }

    @Override
    public Stock[] ids(Set<Long> ids) {
      return new Stock[0];
    }

    @Override
    public Collection<Named> views(List<String> isbnList) {
      return List.of();
    }

    @Override
    public Optional<List<Product>> within(Collection<Long> ids) {
      return Optional.empty();
    }
  }

  @Test
  void rowsNameTheirKeysInManyWays() {
    Guarding.context(guards, PropertiesOfRows.class).close();
  }

  static class Names {
    @BloomGuarded(filter = "products", key = "#ids")
    public List<String> find(List<Long> ids) {
      return List.of();
    }
  }

  static class Numbers {
    @BloomGuarded(filter = "products", key = "#ids")
    public Boolean[] find(Long... ids) {
      return new Boolean[0];
    }
  }

  static class Options {
    @BloomGuarded(filter = "products", key = "#ids")
    public CompletableFuture<List<Optional<Product>>> find(List<Long> ids) {
      return new CompletableFuture<>();
    }
  }

  static class OtherKeys {
    @BloomGuarded(filter = "products", key = "#skus")
    public List<Product> find(List<String> skus) {
      return List.of();
    }
  }

  static class Strings {
    @BloomGuarded(filter = "products", key = "#ids")
    public Flux<String> find(Iterable<Long> ids) {
      return Flux.empty();
    }
  }

  static class Within {
    @BloomGuarded(filter = "products", key = "#ids")
    public Optional<List<String>> find(List<Long> ids) {
      return Optional.empty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Names.class,
        Numbers.class,
        Options.class,
        OtherKeys.class,
        Strings.class,
        Within.class
      })
  void elementsThatNameNoKeyAreRefused(Class<?> bean) {
    assertThat(refusal(bean).action())
        .startsWith("Return a Map by key")
        .contains("set positional = true");
  }

  static class InAnOptional {
    @BloomGuarded(filter = "products", key = "#ids")
    public Optional<List<Product>> find(List<Long> ids) {
      return Optional.empty();
    }
  }

  static class InALinkedList {
    @BloomGuarded(filter = "products", key = "#ids")
    public CompletableFuture<LinkedList<Product>> find(Long... ids) {
      return new CompletableFuture<>();
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {InAnOptional.class, InALinkedList.class})
  void rowsThatMayHavePositionsWithoutRoomForGapsAreRefused(Class<?> bean) {
    assertThat(refusal(bean).description()).contains("for a list of keys, in which no gap");
  }

  static class OneKey {
    @BloomGuarded(filter = "products", key = "#id", positional = true)
    public List<String> find(Long id) {
      return List.of();
    }
  }

  static class Observed {
    @BloomGuarded(filter = "products", key = "#ids", positional = true, mode = Mode.OBSERVE)
    public List<String> find(List<Long> ids) {
      return List.of();
    }
  }

  static class OfMap {
    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public Map<Long, String> find(List<Long> ids) {
      return Map.of();
    }
  }

  static class OfLinkedList {
    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public LinkedList<String> find(List<Long> ids) {
      return new LinkedList<>();
    }
  }

  static class OfPrimitives {
    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public double[] prices(long[] ids) {
      return new double[0];
    }
  }

  static class OfNullsInAFlux {
    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public Flux<String> find(List<Long> ids) {
      return Flux.empty();
    }
  }

  static class OfFluxes {
    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public List<Flux<String>> find(List<Long> ids) {
      return List.of();
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        OneKey.class,
        Observed.class,
        OfMap.class,
        OfLinkedList.class,
        OfPrimitives.class,
        OfNullsInAFlux.class,
        OfFluxes.class
      })
  void positionsThatATypeCannotHaveAreRefused(Class<?> bean) {
    assertThat(refusal(bean).description()).contains("has positional = true, but");
  }

  private StartRefusedException refusal(Class<?> bean) {
    Throwable thrown = catchThrowable(() -> Guarding.context(guards, bean).close());
    assertThat(thrown).as("refused at the start").isNotNull();
    return (StartRefusedException) NestedExceptionUtils.getMostSpecificCause(thrown);
  }
}
