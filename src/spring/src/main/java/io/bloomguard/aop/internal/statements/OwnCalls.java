package io.bloomguard.aop.internal.statements;

import io.bloomguard.aop.internal.method.AnnotatedMethod;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.asm.ClassReader;
import org.springframework.asm.Type;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.ResourcePatternResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The calls of writing methods in the class files of an application, which are read at the first
 * question: a method that its repositories inherit writes only if it is called.
 */
public final class OwnCalls {

  private static final Logger LOG = LoggerFactory.getLogger(OwnCalls.class);

  /** The tags of the constants for methods of classes and of interfaces. */
  private static final Set<Integer> METHODS = Set.of(10, 11);

  private final Supplier<? extends Collection<String>> packages;
  private final ClassLoader loader;

  /** The calling classes, by owner, name and descriptor of the called method. */
  private final SingletonSupplier<Map<String, String>> callers = SingletonSupplier.of(this::read);

  /**
   * @param packages the packages of the application, with those below
   */
  public OwnCalls(Supplier<? extends Collection<String>> packages, ClassLoader loader) {
    this.packages = packages;
    this.loader = loader;
  }

  /** Whether the application has written a method that a bean of {@code type} has. */
  boolean isOwn(Class<?> type, Method method) {
    Class<?> declaring = method.getDeclaringClass();
    Collection<String> own = packages.get();
    return declaring.equals(type)
        || (Proxy.isProxyClass(type) && Stream.of(type.getInterfaces()).anyMatch(declaring::equals))
        || (own.isEmpty()
            ? !AnnotatedMethod.isFramework(declaring)
            : own.stream().anyMatch(each -> declaring.getName().startsWith(each + ".")));
  }

  /** The class that calls an inherited method on a bean of {@code type}; null for none. */
  @Nullable String caller(Class<?> type, Method method) {
    String called = "." + method.getName() + Type.getMethodDescriptor(method);
    return owners(type)
        .filter(owner -> method.getDeclaringClass().isAssignableFrom(owner))
        .map(owner -> callers.obtain().get(Type.getInternalName(owner) + called))
        .filter(caller -> caller != null)
        .findFirst()
        .orElse(null);
  }

  /** A type and its supertypes, as which a caller may have it. */
  private static Stream<Class<?>> owners(@Nullable Class<?> type) {
    return type == null
        ? Stream.empty()
        : Stream.concat(
            Stream.concat(Stream.of(type), owners(type.getSuperclass())),
            Stream.of(type.getInterfaces()).flatMap(OwnCalls::owners));
  }

  private Map<String, String> read() {
    Map<String, String> found = new HashMap<>();
    ResourcePatternResolver resources = new PathMatchingResourcePatternResolver(loader);
    for (String each : packages.get()) {
      String files = ClassUtils.convertClassNameToResourcePath(each) + "/**/*.class";
      try {
        for (Resource file :
            resources.getResources(ResourcePatternResolver.CLASSPATH_ALL_URL_PREFIX + files)) {
          read(new ClassReader(file.getContentAsByteArray()), found);
        }
      } catch (IOException | RuntimeException e) {
        LOG.warn(
            "The class files in {} cannot be read ({}), so calls of inherited writes are not found."
                + " Say by caching = VALUES or NULLS what lookups keep",
            each,
            e.getMessage());
      }
    }
    return found;
  }

  /** Notes the methods in the constants of a class: those that it calls, or has references to. */
  private static void read(ClassReader file, Map<String, String> found) {
    char[] buffer = new char[file.getMaxStringLength()];
    String caller = file.getClassName().replace('/', '.');
    for (int i = 1; i < file.getItemCount(); i++) {
      int constant = file.getItem(i);
      if (constant > 0 && METHODS.contains(file.readByte(constant - 1))) {
        int called = file.getItem(file.readUnsignedShort(constant + 2));
        String name = file.readUTF8(called, buffer);
        if (UnguardedWrites.isWriting(name)) {
          String owner = file.readClass(constant, buffer);
          found.putIfAbsent(owner + "." + name + file.readUTF8(called + 2, buffer), caller);
        }
      }
    }
  }
}
