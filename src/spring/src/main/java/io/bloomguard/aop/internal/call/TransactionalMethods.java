package io.bloomguard.aop.internal.call;

import io.bloomguard.aop.internal.method.AnnotatedMethod;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** The transaction managers that {@code @Transactional} names on methods and their classes. */
final class TransactionalMethods {

  // By name, since spring-tx may be absent.
  private static final String TRANSACTIONAL =
      "org.springframework.transaction.annotation.Transactional";

  private TransactionalMethods() {}

  /** The name on the method or else on its class; empty if neither names one. */
  static List<String> manager(AnnotatedMethod<?> method) {
    for (AnnotatedElement element : List.of(method.specific(), method.target())) {
      MergedAnnotation<?> found =
          MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).get(TRANSACTIONAL);
      if (found.isPresent()) {
        String name = found.getString("transactionManager");
        return name.isEmpty() ? List.of() : List.of(name);
      }
    }
    return List.of();
  }
}
