package io.bloomguard.aop.internal.statements;

import io.bloomguard.aop.internal.method.AnnotatedMethod;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;
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

  private static void read(ClassReader file, Map<String, String> found) {
    file.accept(
        new Calls(file.getClassName().replace('/', '.'), found),
        ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
  }

  /** The calls and method references in one class. */
  private static final class Calls extends ClassVisitor {

    private final String caller;
    private final Map<String, String> found;

    Calls(String caller, Map<String, String> found) {
      super(SpringAsmInfo.ASM_VERSION);
      this.caller = caller;
      this.found = found;
    }

    @Override
    public MethodVisitor visitMethod(
        int access,
        String method,
        String type,
        @Nullable String signature,
        String @Nullable [] exceptions) {
      return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String name, String descriptor, boolean ofInterface) {
          note(owner, name, descriptor);
        }

        @Override
        public void visitInvokeDynamicInsn(
            String name, String descriptor, Handle bootstrap, Object... arguments) {
          for (Object argument : arguments) {
            if (argument instanceof Handle handle) {
              note(receiver(descriptor, arguments, handle), handle.getName(), handle.getDesc());
            }
          }
        }
      };
    }

    /** The type of which a reference calls a method; its handle has the declaring one. */
    private static String receiver(String descriptor, Object[] arguments, Handle handle) {
      Type[] captured = Type.getArgumentTypes(descriptor);
      if (captured.length == 0 && arguments.length > 2 && arguments[2] instanceof Type unbound) {
        captured = unbound.getArgumentTypes();
      }
      return captured.length > 0 && captured[0].getSort() == Type.OBJECT
          ? captured[0].getInternalName()
          : handle.getOwner();
    }

    private void note(String owner, String name, String descriptor) {
      if (UnguardedWrites.isWriting(name)) {
        found.putIfAbsent(owner + "." + name + descriptor, caller);
      }
    }
  }
}
