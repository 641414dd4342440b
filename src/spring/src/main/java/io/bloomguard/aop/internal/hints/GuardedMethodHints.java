package io.bloomguard.aop.internal.hints;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/**
 * The processor of beans with annotated methods, ahead of time: it finds what a native image must
 * keep for their proxies, keys and values.
 *
 * <p>The beans themselves are compiled and verified when the application starts, as without it.
 */
public final class GuardedMethodHints implements BeanRegistrationAotProcessor {

  GuardedMethodHints() {}

  @Override
  public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
    Class<?> type = type(bean);
    if (type == null || AnnotatedMethod.isFramework(type)) {
      return null;
    }
    List<Found> found = new ArrayList<>();
    find(found, BloomGuarded.class, BloomGuarded::key, type);
    find(found, BloomPut.class, BloomPut::key, type);
    find(found, BloomEvict.class, BloomEvict::key, type);
    return found.isEmpty() ? null : (generation, code) -> contribute(type, found, generation);
  }

  /** The class behind proxies; for a factory bean that of its product, such as a repository. */
  private static @Nullable Class<?> type(RegisteredBean bean) {
    Class<?> type =
        bean.isInnerBean()
            ? bean.getBeanClass()
            : bean.getBeanFactory().getType(bean.getBeanName(), false);
    return type == null ? null : ClassUtils.getUserClass(type);
  }

  private static <A extends Annotation> void find(
      List<Found> found, Class<A> annotation, Function<A, String> key, Class<?> type) {
    AnnotatedMethod.forEach(
        annotation,
        type,
        (method, one) -> found.add(new Found(one, one.annotations().stream().map(key).toList())));
  }

  private static void contribute(Class<?> type, List<Found> found, GenerationContext generation) {
    MethodHints hints = new MethodHints(generation.getRuntimeHints());
    hints.bean(type);
    for (Found one : found) {
      one.keys().forEach(key -> hints.key(one.method(), key));
      hints.keyArrays(one.method());
      if (one.method().type() == BloomGuarded.class) {
        hints.values(one.method());
      }
    }
  }

  /** An annotated method and its key expressions. */
  private record Found(AnnotatedMethod<?> method, List<String> keys) {}
}
