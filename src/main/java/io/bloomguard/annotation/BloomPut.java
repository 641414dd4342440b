package io.bloomguard.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a write: its key enters the filter before its row becomes visible.
 *
 * <p>The key is added before the method runs, or, where the expression names {@code #result}, after
 * it and inside the surrounding transaction, before its commit. The key's value and null entries
 * are dropped, and no null entry is stored for it until the transaction has completed. If the key
 * cannot be added, the write fails. A rollback costs one false positive.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface BloomPut {

  /** The name of a configured filter. */
  String filter();

  /** A SpEL expression over the parameters, or over {@code #result} within a transaction. */
  String key();

  /** The name of the value cache; the filter's name where it is empty. */
  String cache() default "";
}
