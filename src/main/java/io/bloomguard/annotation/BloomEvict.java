package io.bloomguard.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a deletion: the key's value and null entries are dropped once the method, or the
 * transaction around it, has completed, and the key leaves the filter where its layout can remove.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface BloomEvict {

  /** The name of a configured filter. */
  String filter();

  /** A SpEL expression over the parameters. */
  String key();

  /** The name of the value cache; the filter's name where it is empty. */
  String cache() default "";
}
