package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.Outcome;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.AliasFor;
import org.springframework.data.domain.Page;
import org.springframework.web.context.request.async.DeferredResult;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Every shape of method that somebody may annotate: each is guarded or refused at the start, and
 * listed in {@code docs/methods.md} as it is here. Key 1 exists; 9 does not.
 */
class MethodShapeTest {

  /** A shape, as the document names it, and a bean that has it. */
  record Shape(
      String name, Class<?> bean, @Nullable String refusal, BiConsumer<Object, TestGuards> check) {

    @Override
    public String toString() {
      return name + (refusal == null ? ": guarded" : ": refused");
    }
  }

  private static <T> Shape guarded(String name, Class<T> bean, BiConsumer<T, TestGuards> check) {
    return new Shape(name, bean, null, (object, guards) -> check.accept(bean.cast(object), guards));
  }

  private static Shape refused(String name, Class<?> bean, String because) {
    return new Shape(name, bean, because, (object, guards) -> {});
  }

  static List<Shape> shapes() {
    return List.of(
        // What a lookup answers.
        guarded("a reference type", Reference.class, MethodShapeTest::reference),
        guarded("`Optional`", Optionals.class, MethodShapeTest::optional),
        guarded("a collection, map or array", Containers.class, MethodShapeTest::containers),
        guarded(
            "`boolean` or `Boolean` of a method `exists…`", Exists.class, MethodShapeTest::exists),
        guarded(
            "`int`, `long`, `Integer` or `Long` of a method `count…`",
            Counts.class,
            MethodShapeTest::counts),
        refused("`boolean` of another name", Unsaid.class, "only exists... is known"),
        refused("another primitive", Price.class, "returns double"),
        refused("`void`", Nothing.class, "nothing to guard"),
        guarded("`CompletableFuture`", Futures.class, MethodShapeTest::future),
        guarded("`Mono`, `Flux`", Publishers.class, MethodShapeTest::publishers),
        refused("`Future`", PlainFuture.class, "without blocking"),
        refused("`Publisher`", PlainPublisher.class, "without blocking"),
        refused("`Callable`", Callables.class, "without blocking"),
        refused("`DeferredResult`", Deferring.class, "without blocking"),
        refused("`Stream`, `Iterator`", Streams.class, "read only once"),
        refused("`Page`, `Slice`", Pages.class, "only a collection"),
        refused("a Kotlin `suspend` function without the bridge", Suspended.class, "bridge"),
        // The key.
        guarded("a key composed of parts", Composed.class, MethodShapeTest::composed),
        guarded("a list of parts as key", Listed.class, MethodShapeTest::listed),
        guarded("a record as key", RecordKey.class, MethodShapeTest::recordKey),
        refused("an object as key", ObjectKey.class, "{#key.number, #key.tenant}"),
        refused(
            "a record with a record as key",
            DeepKey.class,
            "{#key.key.tenant, #key.key.number, #key.number}"),
        refused("a date as key", DateKey.class, "#day.toString()"),
        guarded("a key of any type", AnyKey.class, MethodShapeTest::anyKey),
        refused("a list of one part", OnePart.class, "is a list of one part"),
        refused("texts joined to a key", JoinedTexts.class, "joins several texts"),
        refused("parts joined without a separator", JoinedNumbers.class, "without a separator"),
        guarded("parts that may be texts, joined", Doubtful.class, (doubtful, guards) -> {}),
        guarded("a property of a record", RecordPart.class, MethodShapeTest::recordPart),
        guarded("a collection of keys", Collections.class, MethodShapeTest::collection),
        guarded("a `Map` by key", MapByKey.class, MethodShapeTest::mapByKey),
        guarded(
            "a list or array of rows that name their key", RowsOfKeys.class, MethodShapeTest::rows),
        refused(
            "another list, array or `Flux` for several keys",
            Unnamed.class,
            "names its key by a property 'id'"),
        guarded("the same with `positional = true`", InOrder.class, MethodShapeTest::inOrder),
        refused("a nested collection of keys", Nested.class, "of which none can be left out"),
        refused("a projection to keys", Projected.class, "of which none can be left out"),
        guarded("a projection to keys, written", ProjectedPut.class, MethodShapeTest::projection),
        // The annotation.
        guarded("an annotation composed of ours", Composition.class, MethodShapeTest::composition),
        refused("a composed annotation on a class", ComposedClass.class, "is on a class"),
        refused("`@BloomGuarded` and `@BloomPut` on one method", FindOrCreate.class, "@BloomPut"),
        refused(
            "`@BloomGuarded` and `@BloomEvict` on one method", FindAndDelete.class, "@BloomEvict"),
        guarded(
            "`@BloomPut` and `@BloomEvict` on one method", Rename.class, MethodShapeTest::rename),
        guarded(
            "several `@BloomPut`, several `@BloomEvict`", Several.class, MethodShapeTest::several),
        guarded(
            "inherited, generic and bridge methods", Inherited.class, MethodShapeTest::inherited),
        // The proxy.
        refused("a private method", PrivateMethod.class, "private method"),
        refused("a static method", StaticMethod.class, "static method"),
        refused("a final method", FinalMethod.class, "final method"),
        refused("a final class", FinalClass.class, "final class"));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void isGuardedOrRefused(Shape shape) {
    TestGuards guards = new TestGuards();
    guards.keys.add("1");
    Throwable thrown =
        catchThrowable(
            () -> {
              try (var context = Guarding.context(guards, shape.bean())) {
                shape.check().accept(context.getBean(shape.bean()), guards);
              }
            });
    if (shape.refusal() == null) {
      assertThat(thrown).isNull();
    } else {
      assertThat(thrown).as("refused at the start").isNotNull();
      assertThat(NestedExceptionUtils.getMostSpecificCause(thrown))
          .isInstanceOf(StartRefusedException.class)
          .hasMessageContaining(shape.bean().getTypeName())
          .hasMessageContaining(shape.refusal());
    }
  }

  @Test
  void documentListsTheSame() throws IOException {
    String document = Files.readString(Path.of("docs", "methods.md"));
    for (Shape shape : shapes()) {
      assertThat(document)
          .contains(
              "| " + shape.name() + " | " + (shape.refusal() == null ? "guarded" : "refused"));
    }
  }

  /** The compiler refuses it sooner than we could. */
  @Test
  void annotationsThemselvesHaveNoPlaceOnClasses() {
    for (Class<?> type : List.of(BloomGuarded.class, BloomPut.class, BloomEvict.class)) {
      assertThat(type.getAnnotation(Target.class).value())
          .containsExactlyInAnyOrder(ElementType.METHOD, ElementType.ANNOTATION_TYPE);
    }
  }

  static class Reference {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return "found " + id;
    }
  }

  private static void reference(Reference bean, TestGuards guards) {
    assertThat(bean.find(1)).isEqualTo("found 1");
    assertThat(bean.find(9)).isNull();
    assertThat(guards.outcomes.count(Outcome.REJECTED)).isEqualTo(1);
  }

  static class Pages {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Page<String> find(long id) {
      return Page.empty();
    }
  }

  static class Optionals {
    @BloomGuarded(filter = "products", key = "#id")
    public Optional<String> find(long id) {
      return Optional.of("found " + id);
    }
  }

  private static void optional(Optionals bean, TestGuards guards) {
    assertThat(bean.find(1)).contains("found 1");
    assertThat(bean.find(9)).isEmpty();
  }

  static class Containers {
    @BloomGuarded(filter = "products", key = "#id", cache = "lists")
    public List<String> list(long id) {
      return List.of("found");
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "maps")
    public Map<String, Long> map(long id) {
      return Map.of("found", id);
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "arrays")
    public long[] array(long id) {
      return new long[] {id};
    }
  }

  private static void containers(Containers bean, TestGuards guards) {
    assertThat(bean.list(1)).containsExactly("found");
    assertThat(bean.list(9)).isEmpty();
    assertThat(bean.map(1)).containsEntry("found", 1L);
    assertThat(bean.map(9)).isEmpty();
    assertThat(bean.array(1)).containsExactly(1);
    assertThat(bean.array(9)).isEmpty();
  }

  static class Exists {
    boolean there = true;

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public boolean existsById(long id) {
      return there;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public Boolean existsWrapped(long id) {
      return there;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public Mono<Boolean> existsLater(long id) {
      return Mono.just(there);
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public CompletableFuture<Boolean> existsInFuture(long id) {
      return CompletableFuture.completedFuture(there);
    }

    @BloomGuarded(filter = "products", key = "#ids")
    public boolean existsByIdIn(List<Long> ids) {
      return there;
    }

    public void leave() {
      there = false;
    }

    @BloomPut(filter = "products", key = "#id")
    public void put(long id) {}
  }

  private static void exists(Exists bean, TestGuards guards) {
    assertThat(bean.existsById(9)).isFalse();
    assertThat(bean.existsWrapped(9)).isFalse();
    assertThat(bean.existsLater(9).block()).isFalse();
    assertThat(bean.existsInFuture(9)).isCompletedWithValue(false);
    assertThat(bean.existsByIdIn(List.of(8L, 9L))).isFalse();
    assertThat(guards.outcomes.count(Outcome.REJECTED)).isEqualTo(6);
    assertThat(bean.existsById(1)).isTrue();
    assertThat(bean.existsWrapped(1)).isTrue();
    assertThat(guards.outcomes.count(Outcome.CACHE_HIT)).isEqualTo(1);
    bean.leave();
    bean.put(1);
    assertThat(bean.existsById(1)).isFalse();
    assertThat(guards.outcomes.count(Outcome.FALSE_POSITIVE)).as("false is no value").isEqualTo(1);
    assertThat(bean.existsWrapped(1)).isFalse();
    assertThat(bean.existsLater(1).block()).isFalse();
    assertThat(bean.existsInFuture(1)).isCompletedWithValue(false);
    assertThat(guards.outcomes.count(Outcome.NULL_HIT)).isEqualTo(3);
  }

  static class Counts {
    long rows = 3;

    @BloomGuarded(filter = "products", key = "#id", cache = "longs")
    public long countById(long id) {
      return rows;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "ints")
    public int countInt(long id) {
      return (int) rows;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "longs")
    public Long countLong(long id) {
      return rows;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "ints")
    public Integer countInteger(long id) {
      return (int) rows;
    }

    public void leave() {
      rows = 0;
    }

    @BloomEvict(filter = "products", key = "#id")
    public void evict(long id) {}
  }

  private static void counts(Counts bean, TestGuards guards) {
    assertThat(bean.countById(9)).isZero();
    assertThat(bean.countInt(9)).isZero();
    assertThat(bean.countLong(9)).isZero();
    assertThat(bean.countInteger(9)).isZero();
    assertThat(guards.outcomes.count(Outcome.REJECTED)).isEqualTo(4);
    assertThat(bean.countById(1)).isEqualTo(3);
    assertThat(bean.countInt(1)).isEqualTo(3);
    bean.leave();
    bean.evict(1);
    assertThat(bean.countLong(1)).isZero();
    assertThat(bean.countById(1)).isZero();
    assertThat(guards.outcomes.count(Outcome.NULL_HIT)).isEqualTo(1);
  }

  static class Unsaid {
    /** True for a name that nobody has. */
    @BloomGuarded(filter = "products", key = "#name")
    public boolean isFree(String name) {
      return true;
    }
  }

  static class Price {
    @BloomGuarded(filter = "products", key = "#id")
    public double price(long id) {
      return id;
    }
  }

  static class Nothing {
    @BloomGuarded(filter = "products", key = "#id")
    public void run(long id) {}
  }

  static class Futures {
    @BloomGuarded(filter = "products", key = "#id")
    public CompletableFuture<@Nullable String> find(long id) {
      return CompletableFuture.completedFuture("found " + id);
    }
  }

  private static void future(Futures bean, TestGuards guards) {
    assertThat(bean.find(1)).isCompletedWithValue("found 1");
    assertThat(bean.find(9)).isCompletedWithValue(null);
  }

  static class Publishers {
    @BloomGuarded(filter = "products", key = "#id")
    public Mono<String> mono(long id) {
      return Mono.just("found " + id);
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "lists")
    public Flux<String> flux(long id) {
      return Flux.just("found", "" + id);
    }
  }

  private static void publishers(Publishers bean, TestGuards guards) {
    assertThat(bean.mono(1).block()).isEqualTo("found 1");
    assertThat(bean.mono(9).block()).isNull();
    assertThat(bean.flux(1).collectList().block()).containsExactly("found", "1");
    assertThat(bean.flux(9).collectList().block()).isEmpty();
  }

  static class PlainFuture {
    @BloomGuarded(filter = "products", key = "#id")
    public Future<String> find(long id) {
      return CompletableFuture.completedFuture("");
    }
  }

  static class PlainPublisher {
    @BloomGuarded(filter = "products", key = "#id")
    public Publisher<String> find(long id) {
      return Mono.empty();
    }
  }

  static class Callables {
    @BloomGuarded(filter = "products", key = "#id")
    public Callable<String> find(long id) {
      return () -> "";
    }
  }

  static class Deferring {
    @BloomGuarded(filter = "products", key = "#id")
    public DeferredResult<String> find(long id) {
      return new DeferredResult<>();
    }
  }

  static class Streams {
    @BloomGuarded(filter = "products", key = "#id")
    public Stream<String> find(long id) {
      return Stream.empty();
    }
  }

  static class Suspended {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable Object find(long id, Continuation<? super String> continuation) {
      return null;
    }
  }

  static class Composed {
    final List<String> writes = new ArrayList<>();

    @BloomGuarded(filter = "products", key = "#tenant + ':' + #number")
    public @Nullable String find(@Nullable String tenant, @Nullable Long number) {
      return "found";
    }

    @BloomGuarded(
        filter = "products",
        key = "#tenant == null ? #number : #tenant + ':' + #number",
        cache = "chosen")
    public @Nullable String choose(@Nullable String tenant, @Nullable Long number) {
      return "found";
    }

    @BloomGuarded(
        filter = "products",
        key = "(#tenant ?: 'none') + ':' + #number",
        cache = "or-none")
    public @Nullable String orNone(@Nullable String tenant, @Nullable Long number) {
      return "found";
    }

    @BloomPut(filter = "products", key = "#tenant + ':' + #number")
    public void save(@Nullable String tenant, @Nullable Long number) {
      writes.add("saved");
    }

    public List<String> writes() {
      return writes;
    }
  }

  private static void composed(Composed bean, TestGuards guards) {
    guards.keys.addAll(List.of("a:1", "a:null", "null:1", "none:1"));
    assertThat(bean.find("a", 1L)).isEqualTo("found");
    assertThat(bean.find("a", 9L)).isNull();
    assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> bean.find("a", null));
    assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> bean.find(null, 1L));
    assertThat(bean.choose(null, 1L)).isEqualTo("found");
    assertThat(bean.choose("a", 1L)).isEqualTo("found");
    assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> bean.choose("a", null));
    assertThat(bean.orNone(null, 1L)).isEqualTo("found");
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> bean.save("a", null));
    assertThat(bean.writes()).isEmpty();
  }

  record Key(@Nullable String tenant, long number) {}

  static class RecordKey {
    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String find(Key key) {
      return "found";
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public @Nullable String findById(Id id) {
      return "found";
    }
  }

  private static void recordKey(RecordKey bean, TestGuards guards) {
    guards.keys.addAll(List.of("a%3Ab:1", "a:1"));
    assertThat(bean.find(new Key("a:b", 1))).isEqualTo("found");
    assertThat(bean.find(new Key("a", 1))).isEqualTo("found");
    assertThat(bean.find(new Key("b", 1))).isNull();
    assertThat(bean.findById(new Id(1))).isEqualTo("found");
    assertThat(bean.findById(new Id(9))).isNull();
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> bean.find(new Key(null, 1)));
  }

  record Id(long value) {}

  static class Listed {
    @BloomGuarded(filter = "products", key = "{#tenant, #name}")
    public @Nullable String find(@Nullable String tenant, String name) {
      return tenant + "|" + name;
    }

    @BloomGuarded(
        filter = "products",
        key = "{#key.tenant.toLowerCase(), 'n', #key.number}",
        cache = "lower")
    public @Nullable String findLower(Key key) {
      return "found";
    }

    @BloomPut(filter = "products", key = "{#key.tenant, #key.number}")
    public Key save(Key key) {
      return key;
    }
  }

  private static void listed(Listed bean, TestGuards guards) {
    guards.keys.addAll(List.of("a%3Ab:c", "a:b%3Ac", "a:n:1"));
    assertThat(bean.find("a", "b:c")).isEqualTo("a|b:c");
    assertThat(bean.find("a:b", "c")).isEqualTo("a:b|c");
    assertThat(bean.find("a:b:c", "")).isNull();
    assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> bean.find(null, "c"));
    assertThat(bean.findLower(new Key("A", 1))).isEqualTo("found");
    assertThat(bean.findLower(new Key("A", 2))).isNull();
    bean.save(new Key("x:y", 3));
    assertThat(guards.keys).contains("x%3Ay:3");
  }

  interface Numbered {
    String getTenant();

    long getNumber();
  }

  static class ObjectKey {
    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String find(Numbered key) {
      return "found";
    }
  }

  record Deep(Key key, long number) {}

  static class DeepKey {
    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String find(Deep key) {
      return "found";
    }
  }

  static class DateKey {
    @BloomGuarded(filter = "products", key = "#day")
    public @Nullable String find(LocalDate day) {
      return "found";
    }
  }

  static class AnyKey {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(Object id) {
      return "found";
    }
  }

  /** A list there is no key of parts: a write of the same would be of several keys. */
  private static void anyKey(AnyKey bean, TestGuards guards) {
    guards.keys.add("1:2");
    assertThat(bean.find(1L)).isEqualTo("found");
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> bean.find(List.of(1L, 2L)));
  }

  static class OnePart {
    @BloomGuarded(filter = "products", key = "{#tenant}")
    public @Nullable String find(String tenant) {
      return "found";
    }
  }

  static class JoinedTexts {
    @BloomPut(filter = "products", key = "#tenant + ':' + #name")
    public void save(String tenant, String name) {}
  }

  static class JoinedNumbers {
    @BloomGuarded(filter = "products", key = "'p' + #one + #two")
    public @Nullable String find(long one, long two) {
      return "found";
    }
  }

  static class Doubtful {
    @BloomPut(filter = "products", key = "#tenant.strip() + ':' + #name.strip()")
    public void save(String tenant, String name) {}
  }

  static class RecordPart {
    @BloomGuarded(filter = "products", key = "#key.number")
    public @Nullable String find(Key key) {
      return "found";
    }
  }

  private static void recordPart(RecordPart bean, TestGuards guards) {
    assertThat(bean.find(new Key("a", 1))).isEqualTo("found");
    assertThat(bean.find(new Key("a", 9))).isNull();
  }

  static class Collections {
    @BloomGuarded(filter = "products", key = "#ids")
    public Set<Long> find(List<Long> ids) {
      return Set.copyOf(ids);
    }
  }

  private static void collection(Collections bean, TestGuards guards) {
    assertThat(bean.find(List.of(9L, 1L, 8L))).containsExactly(1L);
  }

  static class MapByKey {
    @BloomGuarded(filter = "products", key = "#ids")
    public Map<Long, String> find(List<Long> ids) {
      return Map.of(1L, "found");
    }
  }

  private static void mapByKey(MapByKey bean, TestGuards guards) {
    assertThat(bean.find(List.of(9L, 1L, 8L))).containsExactly(Map.entry(1L, "found"));
  }

  record Row(long id) {}

  static class RowsOfKeys {
    @BloomGuarded(filter = "products", key = "#ids")
    public List<Row> find(Collection<Long> ids) {
      return ids.stream().map(Row::new).toList();
    }
  }

  private static void rows(RowsOfKeys bean, TestGuards guards) {
    assertThat(bean.find(List.of(9L, 1L, 8L))).containsExactly(new Row(1));
  }

  static class Unnamed {
    @BloomGuarded(filter = "products", key = "#ids")
    public List<String> find(Collection<Long> ids) {
      return List.of();
    }
  }

  static class InOrder {
    @BloomGuarded(filter = "products", key = "#ids", positional = true)
    public List<String> find(Collection<Long> ids) {
      return ids.stream().map(id -> "found " + id).toList();
    }
  }

  private static void inOrder(InOrder bean, TestGuards guards) {
    assertThat(bean.find(List.of(9L, 1L, 8L))).containsExactly(null, "found 1", null);
  }

  record Request(List<Long> ids) {}

  static class Nested {
    @BloomGuarded(filter = "products", key = "#req.ids")
    public List<Long> find(Request req) {
      return req.ids();
    }
  }

  static class Projected {
    @BloomGuarded(filter = "products", key = "#keys.![number]")
    public List<Key> find(List<Key> keys) {
      return keys;
    }
  }

  static class ProjectedPut {
    @BloomPut(filter = "products", key = "#keys.![number]")
    public void save(List<Key> keys) {}
  }

  private static void projection(ProjectedPut bean, TestGuards guards) {
    bean.save(List.of(new Key("a", 5), new Key("a", 6)));
    assertThat(guards.keys).contains("5", "6");
  }

  @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
  @Target({ElementType.METHOD, ElementType.TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @interface Product {
    @AliasFor(annotation = BloomGuarded.class, attribute = "key")
    String by() default "#id";
  }

  static class Composition {
    @Product
    public @Nullable String find(long id) {
      return "found";
    }

    @Product(by = "#number")
    public @Nullable String number(long number) {
      return "found";
    }
  }

  private static void composition(Composition bean, TestGuards guards) {
    assertThat(bean.find(1)).isEqualTo("found");
    assertThat(bean.find(9)).isNull();
    assertThat(bean.number(9)).isNull();
  }

  @Product
  static class ComposedClass {
    public @Nullable String find(long id) {
      return "found";
    }
  }

  static class FindOrCreate {
    @BloomGuarded(filter = "products", key = "#id")
    @BloomPut(filter = "products", key = "#id")
    public String findOrCreate(long id) {
      return "created";
    }
  }

  static class FindAndDelete {
    @BloomGuarded(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#id")
    public String remove(long id) {
      return "removed";
    }
  }

  static class Rename {
    @BloomGuarded(filter = "products", key = "#name")
    public @Nullable String find(String name) {
      return "found";
    }

    @BloomPut(filter = "products", key = "#to")
    @BloomEvict(filter = "products", key = "#from")
    public void rename(String from, String to) {}
  }

  private static void rename(Rename bean, TestGuards guards) {
    bean.find("1");
    bean.rename("1", "2");
    assertThat(guards.keys).contains("2");
    bean.find("1");
    assertThat(guards.outcomes.count(Outcome.LOADED)).isEqualTo(2);
  }

  static class Several {
    @BloomPut(filter = "products", key = "#id")
    @BloomPut(filter = "products", key = "#name")
    public void save(long id, String name) {}

    @BloomEvict(filter = "products", key = "#id")
    @BloomEvict(filter = "products", key = "#name")
    public void delete(long id, String name) {}

    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String find(String key) {
      return "found";
    }
  }

  private static void several(Several bean, TestGuards guards) {
    bean.save(5, "five");
    assertThat(guards.keys).contains("5", "five");
    bean.find("5");
    bean.find("five");
    bean.delete(5, "five");
    bean.find("5");
    bean.find("five");
    assertThat(guards.outcomes.count(Outcome.LOADED)).isEqualTo(4);
  }

  abstract static class Finder<T, K> {
    @BloomGuarded(filter = "products", key = "#id", cache = "finders")
    public @Nullable T find(K id) {
      return null;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "overridden")
    public abstract @Nullable T overridden(K id);
  }

  static class Inherited extends Finder<String, Long> {
    int calls;

    @Override
    public @Nullable String overridden(Long id) {
      calls++;
      return "found";
    }

    public int calls() {
      return calls;
    }
  }

  private static void inherited(Inherited bean, TestGuards guards) {
    assertThat(bean.find(9L)).isNull();
    Finder<String, Long> bridge = bean;
    assertThat(bridge.overridden(9L)).isNull();
    assertThat(guards.outcomes.count(Outcome.REJECTED)).isEqualTo(2);
    assertThat(bridge.overridden(1L)).isEqualTo("found");
    assertThat(bean.overridden(1L)).isEqualTo("found");
    assertThat(bean.calls()).isEqualTo(1);
  }

  static class PrivateMethod {
    public @Nullable String call(long id) {
      return find(id);
    }

    @BloomGuarded(filter = "products", key = "#id")
    private @Nullable String find(long id) {
      return id == 0 ? "" : null;
    }
  }

  static class StaticMethod {
    @BloomGuarded(filter = "products", key = "#id")
    public static @Nullable String find(long id) {
      return null;
    }
  }

  static class FinalMethod {
    @BloomGuarded(filter = "products", key = "#id")
    public final @Nullable String find(long id) {
      return null;
    }
  }

  static final class FinalClass {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return null;
    }
  }
}
