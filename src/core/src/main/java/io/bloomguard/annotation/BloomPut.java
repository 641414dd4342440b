package io.bloomguard.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a write: its key enters the filter before its row becomes visible.
 *
 * <p>The key is added before the method runs or, with {@link When#AFTER}, after it and before the
 * commit of the transaction around it. The key's value and null entries are dropped, and no null
 * entry is stored for it until the transaction has completed. If the key cannot be added, the write
 * fails. A rollback costs one false positive.
 *
 * <p>Repeatable, for a row with several keys: all are one write. A key that is null is an {@code
 * IllegalStateException}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(BloomPuts.class)
@Documented
public @interface BloomPut {

  /** {@return the name of a configured filter} */
  String filter();

  /** {@return a SpEL expression over the parameters, or over {@code #result}} */
  String key();

  /** {@return the name of the value cache; the filter's name where it is empty} */
  String cache() default "";

  /**
   * {@return when the key is added; {@link When#AFTER} by itself where it names {@code #result}}
   */
  When when() default When.BEFORE;

  /**
   * {@return the name of the transaction manager by which the guard runs an {@link When#AFTER} in a
   * transaction: joined where one is active, begun and committed where none is, and rolled back if
   * the method throws} It may be empty if the application has one transaction manager, or {@code
   * Transactional} on the method or its class names one.
   */
  String transactionManager() default "";
}
