package io.bloomguard.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a deletion: the key's value and null entries are dropped once the method, or the
 * transaction around it, has completed, and the key leaves the filter once it has committed, where
 * its layout is {@code counting}: there each call must delete a row whose key was added, or return
 * 0, false, null or something empty. Where the deletions of an entity remove its keys, it only
 * drops entries.
 *
 * <p>Repeatable, for a row with several keys. A key that is null is an {@code
 * IllegalStateException}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(BloomEvicts.class)
@Documented
public @interface BloomEvict {

  /** {@return the name of a configured filter} */
  String filter();

  /** {@return a SpEL expression over the parameters, or over {@code #result}} */
  String key();

  /** {@return the name of the value cache; the filter's name where it is empty} */
  String cache() default "";

  /** {@return when the key is read; {@link When#AFTER} by itself where it names {@code #result}} */
  When when() default When.BEFORE;
}
