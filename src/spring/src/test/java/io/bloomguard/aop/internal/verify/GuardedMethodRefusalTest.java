package io.bloomguard.aop.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.Transactions;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Date;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ReflectionUtils;

/** What cannot be guarded stops the start and says which method and why. */
class GuardedMethodRefusalTest {

  interface Named {
    String named(long id);
  }

  static class UnknownFilter {
    @BloomGuarded(filter = "prodcts", key = "#id")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class Several {
    @BloomGuarded(filter = "prodcts", key = "#id")
    public @Nullable String first(long id) {
      return null;
    }

    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String second(long id) {
      return null;
    }
  }

  @Test
  void aStartNamesAllProblemsAtOnce() {
    Throwable thrown =
        catchThrowable(
            () -> Guarding.context(new TestGuards(), Several.class, Unparsable.class).close());
    assertThat(((StartRefusedException) thrown).description())
        .startsWith("3 methods or beans are refused")
        .contains("Several.first(long)")
        .contains("Several.second(long)")
        .contains("Unparsable.find(long)");
  }

  static class Unparsable {
    @BloomGuarded(filter = "products", key = "#id +")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class UnknownParameter {
    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class UnknownParameterInSpel {
    @BloomGuarded(filter = "products", key = "'a' + #key")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class ConstantKey {
    @BloomGuarded(filter = "products", key = "'a'")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class TypeInKey {
    @BloomGuarded(filter = "products", key = "T(java.lang.Math).abs(#id)")
    public @Nullable String find(long id) {
      return null;
    }
  }

  record Order(long id) {}

  static class UnknownProperty {
    @BloomPut(filter = "products", key = "#order.number")
    public void save(Order order) {}
  }

  static class WrongKeyType {
    @BloomGuarded(filter = "products", key = "#at")
    public @Nullable String find(Instant at) {
      return null;
    }
  }

  static class ResultOfGuarded {
    @BloomGuarded(filter = "products", key = "#result")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class FutureResult {
    @BloomPut(filter = "products", key = "#result")
    public CompletableFuture<Long> save(String name) {
      return CompletableFuture.completedFuture(1L);
    }
  }

  static class Primitive {
    @BloomGuarded(filter = "products", key = "#id")
    public int size(long id) {
      return 0;
    }
  }

  static class Nothing {
    @BloomGuarded(filter = "products", key = "#id")
    public void run(long id) {}
  }

  static class PrimitiveOptional {
    @BloomGuarded(filter = "products", key = "#id")
    public OptionalLong find(long id) {
      return OptionalLong.empty();
    }
  }

  static class OneShotStream {
    @BloomGuarded(filter = "products", key = "#id")
    public Stream<String> find(long id) {
      return Stream.empty();
    }
  }

  static class OneShotIterator {
    @BloomGuarded(filter = "products", key = "#id")
    public Iterator<String> find(long id) {
      return List.<String>of().iterator();
    }
  }

  static class BlockingFuture {
    @BloomGuarded(filter = "products", key = "#id")
    public Future<String> find(long id) {
      return CompletableFuture.completedFuture("");
    }
  }

  static class OpenType {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.VALUES)
    public <T> @Nullable T find(long id) {
      return null;
    }
  }

  static class SortedKeys {
    @BloomGuarded(filter = "products", key = "#ids")
    public List<String> find(SortedSet<Long> ids) {
      return List.of();
    }
  }

  static class OtherMapKeys {
    @BloomGuarded(filter = "products", key = "#ids")
    public Map<String, String> find(List<Long> ids) {
      return Map.of();
    }
  }

  static class TwoTypes {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String name(long id) {
      return null;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable Order order(long id) {
      return null;
    }
  }

  static class NoDuration {
    @BloomGuarded(filter = "products", key = "#id", ttl = "soon")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class NegativeDuration {
    @BloomGuarded(filter = "products", key = "#id", nullTtl = "-1s")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class MoreThanALifetime {
    @BloomGuarded(filter = "products", key = "#id", nullTtl = "200000d")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class TooMuchJitter {
    @BloomGuarded(filter = "products", key = "#id", jitter = 1.1)
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class NegativeSoftLimit {
    @BloomGuarded(filter = "products", key = "#id", softTtl = "-1s")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class SoftLimitPastTheEnd {
    @BloomGuarded(filter = "products", key = "#id", cache = "products", softTtl = "1d")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class RefreshOfNoValue {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS, softTtl = "1m")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class SoftLimitOfNothing {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE, softTtl = "1m")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class LifetimeOfNoValue {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS, ttl = "1m")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class LifetimeOfNothing {
    @BloomGuarded(filter = "products", key = "#ids", nullTtl = "1m")
    public Set<String> find(List<Long> ids) {
      return Set.of();
    }
  }

  static class TwoLifetimes {
    @BloomGuarded(filter = "products", key = "#id", cache = "products", jitter = 0.5)
    public @Nullable String find(long id) {
      return null;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public @Nullable String name(long id) {
      return null;
    }
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

  static class NotInInterface implements Named {
    @Override
    public String named(long id) {
      return "";
    }

    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return null;
    }
  }

  static class OptionalKey {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(Optional<Long> id) {
      return null;
    }
  }

  static class DateKey {
    @BloomGuarded(filter = "products", key = "#day")
    public @Nullable String find(LocalDate day) {
      return null;
    }
  }

  record Day(String tenant, LocalDate day, Order order) {}

  record Chained(long number, Optional<Long> other, @Nullable Chained next) {}

  static class ChainedKey {
    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String find(Chained key) {
      return null;
    }
  }

  record OneDay(LocalDate day) {}

  interface Opaque {}

  static class RecordOfDay {
    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String find(Day key) {
      return null;
    }
  }

  static class RecordOfOneDay {
    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String find(OneDay key) {
      return null;
    }
  }

  static class PartOfDay {
    @BloomGuarded(filter = "products", key = "{#tenant, #day}")
    public @Nullable String find(String tenant, Date day) {
      return null;
    }
  }

  static class PartOfRecord {
    @BloomGuarded(filter = "products", key = "{#tenant, #key}")
    public @Nullable String find(String tenant, Day key) {
      return null;
    }
  }

  static class OpaqueKey {
    @BloomGuarded(filter = "products", key = "#key")
    public @Nullable String find(Opaque key) {
      return null;
    }
  }

  static class Ratio {
    @BloomGuarded(filter = "products", key = "#ratio")
    public @Nullable String find(double ratio) {
      return null;
    }
  }

  static class RecordsAsKeys {
    @BloomGuarded(filter = "products", key = "#keys")
    public Map<Day, String> find(List<Day> keys) {
      return Map.of();
    }
  }

  static class RecordsPut {
    @BloomPut(filter = "products", key = "#keys")
    public void save(List<Day> keys) {}
  }

  static class DaysPut {
    @BloomPut(filter = "products", key = "#days")
    public void save(LocalDate... days) {}
  }

  static List<Arguments> refusals() {
    return List.of(
        Arguments.of(
            RecordOfDay.class,
            "yields a io.bloomguard.aop.internal.verify.GuardedMethodRefusalTest$Day",
            "{#key.tenant, #key.day.toString(), #key.order.id}"),
        Arguments.of(
            ChainedKey.class,
            "$Chained",
            "{#key.number, #key.other.orElse(null), #key.next.number"),
        Arguments.of(RecordOfOneDay.class, "java.time.LocalDate", ": #key.day.toString()"),
        Arguments.of(PartOfDay.class, "yields a java.util.Date", ": #day.time"),
        Arguments.of(
            PartOfRecord.class,
            "the part #key of several values",
            ": #key.tenant, #key.day.toString(), #key.order.id"),
        Arguments.of(OpaqueKey.class, "$Opaque", ": #key.toString()"),
        Arguments.of(Ratio.class, "yields a double", "an integral number, a UUID"),
        Arguments.of(RecordsAsKeys.class, "$Day", "Take one key: {#key.tenant, #key.day"),
        Arguments.of(RecordsPut.class, "$Day", "#keys.![{tenant, day.toString(), order.id}]"),
        Arguments.of(DaysPut.class, "java.time.LocalDate", "#days.![toString()]"),
        Arguments.of(OptionalKey.class, "yields a java.util.Optional", "#id.orElse(null)"),
        Arguments.of(DateKey.class, "yields a java.time.LocalDate", ": #day.toString()"),
        Arguments.of(
            UnknownFilter.class, "'prodcts', which is not configured", "[orders, products]"),
        Arguments.of(Unparsable.class, "\"#id +\", which cannot be parsed", "#order.id"),
        Arguments.of(UnknownParameter.class, "#key, which is no parameter", "[#a0, #id, #p0]"),
        Arguments.of(
            UnknownParameterInSpel.class, "#key, which is no parameter", "[#a0, #id, #p0]"),
        Arguments.of(ConstantKey.class, "names no parameter", "[#a0, #id, #p0]"),
        Arguments.of(TypeInKey.class, "T(java.lang.Math)", "parameters alone"),
        Arguments.of(UnknownProperty.class, "names 'number'", "Name one of these"),
        Arguments.of(WrongKeyType.class, "yields a java.time.Instant", "UUID"),
        Arguments.of(ResultOfGuarded.class, "needed before the method runs", "#id"),
        Arguments.of(FutureResult.class, "needed before the method runs", "#name"),
        Arguments.of(Primitive.class, "returns int", "Optional"),
        Arguments.of(Nothing.class, "returns void", "Optional"),
        Arguments.of(PrimitiveOptional.class, "returns java.util.OptionalLong", "Optional"),
        Arguments.of(OneShotStream.class, "read only once", "collection"),
        Arguments.of(OneShotIterator.class, "read only once", "collection"),
        Arguments.of(BlockingFuture.class, "without blocking", "CompletableFuture"),
        Arguments.of(OpenType.class, "leaves open", "caching = NULLS or NONE"),
        Arguments.of(SortedKeys.class, "several keys", "List, Set, Collection"),
        Arguments.of(OtherMapKeys.class, "no entry would be found", "caching = NONE"),
        Arguments.of(TwoTypes.class, "in the cache 'products', where", "cache of its own"),
        Arguments.of(NoDuration.class, "ttl = \"soon\"", "10m"),
        Arguments.of(NegativeDuration.class, "nullTtl = \"-1s\"", "10m"),
        Arguments.of(MoreThanALifetime.class, "more than 3650 days", "10m"),
        Arguments.of(TooMuchJitter.class, "jitter = 1.1", "0.2"),
        Arguments.of(NegativeSoftLimit.class, "softTtl = \"-1s\"", "10m"),
        Arguments.of(SoftLimitPastTheEnd.class, "soft-ttl=PT24H, which is not shorter", "part"),
        Arguments.of(RefreshOfNoValue.class, "keeps no values", "softTtl"),
        Arguments.of(SoftLimitOfNothing.class, "keeps no values", "softTtl"),
        Arguments.of(LifetimeOfNoValue.class, "keeps no values", "ttl"),
        Arguments.of(LifetimeOfNothing.class, "keeps none", "nullTtl"),
        Arguments.of(TwoLifetimes.class, "entries of the cache 'products'", "cache of its own"),
        Arguments.of(PrivateMethod.class, "private method", "proxy"),
        Arguments.of(StaticMethod.class, "static method", "proxy"),
        Arguments.of(FinalMethod.class, "final method", "proxy"),
        Arguments.of(FinalClass.class, "final class", "proxy"),
        Arguments.of(NotInInterface.class, "no interface", "proxyTargetClass"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void contextDoesNotStart(Class<?> bean, String description, String action) {
    Throwable thrown = catchThrowable(() -> Guarding.context(new TestGuards(), bean).close());

    assertThat(thrown).isNotNull();
    Throwable cause = NestedExceptionUtils.getMostSpecificCause(thrown);
    assertThat(cause).isInstanceOf(StartRefusedException.class);
    StartRefusedException refusal = (StartRefusedException) cause;
    assertThat(refusal.description()).contains(bean.getName()).contains(description);
    assertThat(refusal.action()).contains(action);
  }

  /** A repository of Spring Data JPA, whose interface is made here: its library is not a test's. */
  @ParameterizedTest
  @ValueSource(strings = {"getReferenceById", "getById", "getOne"})
  void aReferenceOfARepositoryNeedsAnException(String name) {
    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(() -> compile(repository(name, OnAbsent.RETURN_EMPTY), name))
        .withMessageContaining(name + "(Long)")
        .withMessageContaining("onAbsent = OnAbsent.THROW");
    assertThat(compile(repository(name, OnAbsent.THROW), name)).isNotNull();
    assertThat(compile(Lookups.class, name)).as("of another class").isNotNull();
  }

  static class Lookups {
    @BloomGuarded(filter = "products", key = "#p0")
    public @Nullable Named getReferenceById(Long id) {
      return null;
    }

    @BloomGuarded(filter = "products", key = "#p0")
    public @Nullable Named getById(Long id) {
      return null;
    }

    @BloomGuarded(filter = "products", key = "#p0")
    public @Nullable Named getOne(Long id) {
      return null;
    }
  }

  private static Class<?> repository(String method, OnAbsent onAbsent) {
    DynamicType.Unloaded<?> library =
        new ByteBuddy()
            .makeInterface()
            .name("org.springframework.data.jpa.repository.JpaRepository")
            .make();
    return new ByteBuddy()
        .makeInterface(library.getTypeDescription())
        .name("example.Things")
        .defineMethod(method, StringBuilder.class, Visibility.PUBLIC)
        .withParameters(Long.class)
        .withoutCode()
        .annotateMethod(
            AnnotationDescription.Builder.ofType(BloomGuarded.class)
                .define("filter", "products")
                .define("key", "#p0")
                .define("onAbsent", onAbsent)
                .build())
        .make()
        .include(library)
        .load(GuardedMethodRefusalTest.class.getClassLoader())
        .getLoaded();
  }

  private static MethodInterceptor compile(Class<?> type, String method) {
    return new GuardedMethods(TestGuards::new, Transactions.NONE, TestGuards.OWNED, Findings.PLAIN)
        .guardedCalls()
        .compile(ReflectionUtils.findMethod(type, method, Long.class), type);
  }

  /** Keys as the refusals above propose them. */
  static class Remedied {
    @BloomGuarded(
        filter = "products",
        key = "{#key.tenant, #key.day.toString(), #key.order.id}",
        caching = Caching.NONE)
    public @Nullable String find(Day key) {
      return "found";
    }

    @BloomPut(filter = "products", key = "#keys.![{tenant, day.toString(), order.id}]")
    public void saveAll(List<Day> keys) {}

    @BloomPut(filter = "products", key = "#days.![toString()]")
    public void saveDays(LocalDate... days) {}

    @BloomPut(filter = "products", key = "{#tenant, #day.time}")
    public void save(String tenant, Date day) {}

    @BloomPut(filter = "products", key = "#day.toString()")
    public void saveDay(LocalDate day) {}
  }

  @Test
  void theRemediesOfRecordsAndDatesWork() {
    TestGuards guards = new TestGuards();
    try (var context = Guarding.context(guards, Remedied.class)) {
      Remedied bean = context.getBean(Remedied.class);
      LocalDate day = LocalDate.of(2026, 11, 28);
      bean.saveAll(List.of(new Day("a", day, new Order(7))));
      bean.saveDays(day);
      bean.save("a", new Date(5));
      bean.saveDay(day.plusDays(1));
      assertThat(guards.keys)
          .containsExactlyInAnyOrder("a:2026-11-28:7", "2026-11-28", "a:5", "2026-11-29");
      assertThat(bean.find(new Day("a", day, new Order(7)))).isEqualTo("found");
      assertThat(bean.find(new Day("a", day, new Order(8)))).isNull();
    }
  }

  @Lazy
  static class LazyPrimitive {
    @BloomGuarded(filter = "products", key = "#id")
    public int size(long id) {
      return 0;
    }
  }

  @Test
  void lazyBeanIsRefusedAtTheStart() {
    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(() -> Guarding.context(new TestGuards(), LazyPrimitive.class).close())
        .withMessageContaining("LazyPrimitive.size(long)");
  }

  @Test
  void beanThatIsRegisteredPastTheProxiesIsRefused() {
    TestGuards guards = new TestGuards();
    try (var context = new AnnotationConfigApplicationContext()) {
      context.registerBean(
          GuardedMethods.class,
          () ->
              new GuardedMethods(
                  () -> guards, Transactions.NONE, TestGuards.OWNED, Findings.PLAIN));
      context.register(Guarding.Advisors.class);
      context.getBeanFactory().registerSingleton("early", new Unproxied());
      assertThatExceptionOfType(StartRefusedException.class)
          .isThrownBy(context::refresh)
          .withMessageContaining("without a proxy");
    }
  }

  @Test
  void beanThatIsCreatedBeforeTheProxiesIsRefused() {
    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(
            () -> Guarding.context(new TestGuards(), Unproxied.class, NeedsUnproxied.class).close())
        .withMessageContaining("without a proxy");
  }

  static class NeedsUnproxied implements BeanPostProcessor, BeanFactoryAware, PriorityOrdered {

    @Override
    public void setBeanFactory(BeanFactory beans) {
      var unusedBean = beans.getBean(Unproxied.class);
    }

    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }
  }

  static class Unproxied {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return null;
    }
  }
}
