package io.bloomguard.aop.internal.hints;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import java.util.List;
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
    List<AnnotatedMethod<?>> found = AnnotatedMethod.all(type);
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

  private static void contribute(
      Class<?> type, List<AnnotatedMethod<?>> found, GenerationContext generation) {
    MethodHints hints = new MethodHints(generation.getRuntimeHints());
    hints.bean(type);
    for (AnnotatedMethod<?> one : found) {
      one.keys().forEach(key -> hints.key(one, key.key()));
      hints.keyArrays(one);
      if (one.type() == BloomGuarded.class) {
        hints.values(one);
      }
    }
  }
}
