package io.bloomguard.autoconfigure;

import io.bloomguard.annotation.BloomKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.ResourcePatternResolver;
import org.springframework.util.ClassUtils;

/**
 * The classes of an application that declare a {@code @BloomKey}, on themselves, a field or a
 * method.
 *
 * <p>Every class file is read and searched for the annotation's name, which is in its constant pool
 * if it is used; only those that have it are loaded. Nothing is parsed, so a package of some
 * thousand classes costs little more than reading it.
 */
final class AnnotatedClasses {

  /** Also the beginning of that of the container of several. */
  private static final String DESCRIPTOR = "L" + BloomKey.class.getName().replace('.', '/');

  private AnnotatedClasses() {}

  /** Those in {@code packages} and below, by name. */
  static List<Class<?>> in(Collection<String> packages, ResourcePatternResolver resources) {
    TreeSet<Class<?>> found = new TreeSet<>(Comparator.comparing(Class::getName));
    for (String each : packages) {
      if (packages.stream().noneMatch(other -> each.startsWith(other + "."))) {
        for (Resource file : files(each, resources)) {
          Class<?> type = annotated(file, resources.getClassLoader());
          if (type != null) {
            found.add(type);
          }
        }
      }
    }
    return List.copyOf(found);
  }

  private static Resource[] files(String name, ResourcePatternResolver resources) {
    try {
      return resources.getResources(
          ResourcePatternResolver.CLASSPATH_ALL_URL_PREFIX
              + ClassUtils.convertClassNameToResourcePath(name)
              + "/**/*"
              + ClassUtils.CLASS_FILE_SUFFIX);
    } catch (IOException e) {
      throw new UncheckedIOException("The classes in " + name + " cannot be listed", e);
    }
  }

  private static @Nullable Class<?> annotated(Resource file, @Nullable ClassLoader loader) {
    try {
      byte[] bytes = file.getContentAsByteArray();
      if (!new String(bytes, StandardCharsets.ISO_8859_1).contains(DESCRIPTOR)) {
        return null;
      }
      Class<?> type =
          Class.forName(new ClassReader(bytes).getClassName().replace('/', '.'), false, loader);
      return declaresKey(type) ? type : null;
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read", e);
    } catch (ClassNotFoundException | LinkageError e) {
      return null; // what cannot be loaded here is not written here
    }
  }

  private static boolean declaresKey(Class<?> type) {
    return Stream.<AnnotatedElement[]>of(
            new Class<?>[] {type}, type.getDeclaredFields(), type.getDeclaredMethods())
        .flatMap(Stream::of)
        .anyMatch(element -> element.getDeclaredAnnotationsByType(BloomKey.class).length > 0);
  }
}
