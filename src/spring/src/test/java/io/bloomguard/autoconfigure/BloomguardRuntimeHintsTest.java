package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.proxies;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomEvicts;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomKey;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.BloomPuts;
import io.bloomguard.aop.internal.hints.GuardedMethodHints;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.VerifyProperties;
import io.bloomguard.autoconfigure.internal.wiring.BootNames;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.jpa.internal.EntityWrites;
import io.bloomguard.jpa.internal.ThreadSessions;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.orm.jpa.JpaVendorAdapter;

public class BloomguardRuntimeHintsTest {

  private static final RuntimeHints HINTS = hints();

  private static RuntimeHints hints() {
    RuntimeHints hints = new RuntimeHints();
    AotServices.factories().load(RuntimeHintsRegistrar.class).stream()
        .filter(registrar -> registrar.getClass().getName().startsWith("io.bloomguard."))
        .forEach(
            registrar ->
                registrar.registerHints(hints, BloomguardRuntimeHintsTest.class.getClassLoader()));
    return hints;
  }

  @Test
  void springFindsTheProcessorOfGuardedMethods() {
    assertThat(AotServices.factories().load(BeanRegistrationAotProcessor.class))
        .hasAtLeastOneElementOfType(GuardedMethodHints.class);
  }

  @Test
  void everyScriptIsKept() throws IOException {
    assertEveryFileIsKept("redis/**/*.lua");
  }

  /** Of the files below the root of our packages, those that match have hints. */
  public static void assertEveryFileIsKept(String pattern) throws IOException {
    List<String> files = files(pattern);
    assertThat(files).hasSizeGreaterThan(10);
    assertThat(files).allMatch(file -> resource().forResource(file).test(HINTS));
  }

  /** The names of the files below the root of the library's class path. */
  private static List<String> files(String pattern) throws IOException {
    Resource[] found =
        new PathMatchingResourcePatternResolver()
            .getResources("classpath*:io/bloomguard/" + pattern);
    return Stream.of(found)
        .filter(Resource::isReadable)
        .map(BloomguardRuntimeHintsTest::path)
        .map(path -> path.substring(path.lastIndexOf("io/bloomguard/")))
        .toList();
  }

  private static String path(Resource resource) {
    try {
      return resource.getURL().getPath();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        BloomGuarded.class,
        BloomPut.class,
        BloomPuts.class,
        BloomEvict.class,
        BloomEvicts.class,
        BloomKey.class,
        BloomKey.List.class
      })
  void annotationsAreReadAndSynthesized(Class<?> annotation) {
    for (Method attribute : annotation.getDeclaredMethods()) {
      assertThat(reflection().onMethodInvocation(attribute)).accepts(HINTS);
    }
    assertThat(proxies().forInterfaces(annotation)).accepts(HINTS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        BootNames.JSON_MAPPER,
        "jakarta.servlet.http.HttpServletRequest",
        "org.springframework.web.context.request.ServletRequestAttributes",
        "org.hibernate.SessionFactory",
        "org.springframework.data.jdbc.core.JdbcAggregateTemplate",
        "org.springframework.data.repository.Repository"
      })
  void typesThatAreFoundByNameAreKept(String type) {
    assertThat(reflection().onType(TypeReference.of(type))).accepts(HINTS);
  }

  @Test
  void typesThatAreAbsentHaveNoHint() {
    assertThat(reflection().onType(TypeReference.of("kotlinx.coroutines.reactor.MonoKt")))
        .rejects(HINTS);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {BloomguardProperties.class, FilterProperties.class, VerifyProperties.class})
  void namesOfPropertiesAreRead(Class<?> record) throws NoSuchFieldException {
    for (RecordComponent component : record.getRecordComponents()) {
      assertThat(reflection().onFieldAccess(record.getDeclaredField(component.getName())))
          .accepts(HINTS);
      assertThat(reflection().onMethodInvocation(component.getAccessor())).accepts(HINTS);
    }
  }

  /** They are of its own making: another bound or lifetime of the cache is another class. */
  @Test
  void theClassesOfCaffeineAreThoseOfTheValueCache() throws ReflectiveOperationException {
    assertAccepted(
        field(new LocalValueCache(TestSettings.CACHE, null), "values"),
        BloomguardRuntimeHints.CAFFEINE_CACHE,
        BloomguardRuntimeHints.CAFFEINE_ENTRY);
  }

  @Test
  void soAreThoseOfTheAgesOfSessions() throws ReflectiveOperationException {
    RowGuards guards = new RowGuards(() -> null, () -> Transactions.NONE, 1, filter -> null);
    assertAccepted(
        field(new ThreadSessions(new EntityWrites(guards, List::of)), "opened"),
        BloomguardRuntimeHints.CAFFEINE_WEAK_CACHE,
        BloomguardRuntimeHints.CAFFEINE_WEAK_ENTRY);
  }

  @Test
  void theProxyThatWatchesSessionsIsAccepted() {
    assertThat(proxies().forInterfaces(JpaVendorAdapter.class)).accepts(HINTS);
    for (Method method : JpaVendorAdapter.class.getMethods()) {
      assertThat(reflection().onMethodInvocation(method)).accepts(HINTS);
    }
  }

  private static void assertAccepted(Object made, String cacheType, String entryType)
      throws ReflectiveOperationException {
    Object cache = field(made, "cache");
    assertThat(cache.getClass().getName()).isEqualTo(cacheType);
    assertThat(field(cache, "nodeFactory").getClass().getName()).isEqualTo(entryType);
    assertThat(reflection().onFieldAccess(cache.getClass(), "FACTORY")).accepts(HINTS);
    assertThat(
            reflection()
                .onConstructorInvocation(
                    field(cache, "nodeFactory").getClass().getDeclaredConstructor()))
        .accepts(HINTS);
  }

  private static Object field(Object owner, String name) throws ReflectiveOperationException {
    for (Class<?> type = owner.getClass(); ; type = type.getSuperclass()) {
      try {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
      } catch (NoSuchFieldException e) {
        if (type == Object.class) {
          throw e;
        }
      }
    }
  }
}
