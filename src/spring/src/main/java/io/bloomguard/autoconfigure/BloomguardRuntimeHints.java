package io.bloomguard.autoconfigure;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomEvicts;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomKey;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.BloomPuts;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.FilterRules;
import io.bloomguard.autoconfigure.internal.wiring.BootNames;
import io.bloomguard.data.internal.MyBatisPlugins;
import io.bloomguard.generation.KeySource;
import java.lang.annotation.Annotation;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.sql.ResultSetMetaData;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * What a native image must keep of the library itself: scripts, types that are looked up by name,
 * annotations and the records of the properties.
 *
 * <p>What it must keep of an application's methods is found by {@link
 * io.bloomguard.aop.internal.hints.GuardedMethodHints}.
 */
final class BloomguardRuntimeHints implements RuntimeHintsRegistrar {

  private static final List<Class<? extends Annotation>> ANNOTATIONS =
      List.of(
          BloomGuarded.class,
          BloomPut.class,
          BloomPuts.class,
          BloomEvict.class,
          BloomEvicts.class,
          BloomKey.class,
          BloomKey.List.class);

  /** Answers of Spring's web frameworks. */
  static final String HTTP = "org.springframework.http.HttpEntity";

  static final String PAGE = "org.springframework.web.servlet.ModelAndView";

  /** The types whose presence is asked for while the application runs. */
  private static final List<String> OPTIONAL =
      List.of(
          HTTP,
          PAGE,
          BootNames.JSON_MAPPER,
          BootNames.ENTITY_SCAN,
          "jakarta.servlet.http.HttpServletRequest",
          "org.springframework.web.context.request.ServletRequestAttributes",
          "org.hibernate.SessionFactory",
          "org.springframework.data.jdbc.core.JdbcAggregateTemplate",
          "org.springframework.data.repository.Repository",
          "org.springframework.data.jpa.repository.JpaRepository",
          "reactor.core.publisher.Mono",
          "kotlinx.coroutines.reactor.MonoKt");

  /** Caffeine's class of a cache with a bound and lifetimes of entries, found by name. */
  static final String CAFFEINE_CACHE = "com.github.benmanes.caffeine.cache.SSMSA";

  /** That of its entries. */
  static final String CAFFEINE_ENTRY = "com.github.benmanes.caffeine.cache.PSWMS";

  /** That of a cache with weak keys, and that of its entries. */
  static final String CAFFEINE_WEAK_CACHE = "com.github.benmanes.caffeine.cache.WS";

  static final String CAFFEINE_WEAK_ENTRY = "com.github.benmanes.caffeine.cache.FS";

  /** The interface that a proxy watches the sessions of JPA by. */
  static final String VENDOR_ADAPTER = "org.springframework.orm.jpa.JpaVendorAdapter";

  /** The application's Redis connection factory, which tells its servers by a field alone. */
  static final String LETTUCE_FACTORY =
      "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

  BloomguardRuntimeHints() {}

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints.resources().registerPattern("io/bloomguard/redis/internal/*/*.lua");
    hints.resources().registerPattern("io/bloomguard/autoconfigure/internal/*/*.rules");
    for (Class<? extends Annotation> annotation : ANNOTATIONS) {
      hints.reflection().registerType(annotation, MemberCategory.INVOKE_PUBLIC_METHODS);
      hints.proxies().registerJdkProxy(annotation); // one that is composed is synthesized
    }
    hints.proxies().registerJdkProxy(ResultSetMetaData.class);
    hints.proxies().registerJdkProxy(AopProxyUtils.completeJdkProxyInterfaces(KeySource.class));
    for (String name : OPTIONAL) {
      hints.reflection().registerTypeIfPresent(loader, name);
    }
    hints
        .reflection()
        .registerTypeIfPresent(loader, LETTUCE_FACTORY, type -> type.withField("configuration"))
        .registerTypeIfPresent(loader, CAFFEINE_CACHE, type -> type.withField("FACTORY"))
        .registerTypeIfPresent(loader, CAFFEINE_ENTRY, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)
        .registerTypeIfPresent(loader, MyBatisPlugins.PLUS, MemberCategory.INVOKE_PUBLIC_METHODS)
        .registerTypeIfPresent(
            loader, "org.hibernate.Hibernate", MemberCategory.INVOKE_PUBLIC_METHODS)
        .registerTypeIfPresent(loader, CAFFEINE_WEAK_CACHE, type -> type.withField("FACTORY"))
        .registerTypeIfPresent(
            loader, CAFFEINE_WEAK_ENTRY, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
    if (ClassUtils.isPresent(VENDOR_ADAPTER, loader)) {
      TypeReference adapter = TypeReference.of(VENDOR_ADAPTER);
      hints.proxies().registerJdkProxy(adapter);
      hints.reflection().registerType(adapter, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
    registerRecord(hints.reflection(), BloomguardProperties.class, new HashSet<>());
    registerRecord(hints.reflection(), FilterRules.class, new HashSet<>());
  }

  /** Fields tell the names of properties, and rules of settings read what methods tell. */
  private static void registerRecord(ReflectionHints reflection, Type type, Set<Class<?>> seen) {
    if (type instanceof ParameterizedType generic) {
      for (Type argument : generic.getActualTypeArguments()) {
        registerRecord(reflection, argument, seen);
      }
    }
    if (type instanceof Class<?> record && record.isRecord() && seen.add(record)) {
      reflection.registerType(record, MemberCategory.INVOKE_PUBLIC_METHODS);
      for (RecordComponent component : record.getRecordComponents()) {
        reflection.registerType(record, hint -> hint.withField(component.getName()));
        registerRecord(reflection, component.getGenericType(), seen);
      }
    }
  }
}
