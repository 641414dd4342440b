package io.bloomguard.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Guards a lookup by key: a key that the filter knows to be absent never reaches the method.
 *
 * <p>Where the filter answers "possibly present", the guard looks into the value cache next, and a
 * miss calls the method once per key for all waiting callers. If a parameter is a {@code
 * Collection} of keys and the key expression names it, the method gets only the possible keys.
 *
 * <p>A filter with {@code reject: present} is a blacklist: a key that it holds never reaches the
 * method. Of a {@code Collection} the method gets the keys that the filter lacks. Nothing is kept,
 * and the method's answer is passed on as it is.
 *
 * <p>Null, an empty {@code Optional}, and an empty collection, map or array are no value, and so
 * are false of a method {@code exists...} and 0 of one {@code count...}: the key is kept as a null
 * entry. A {@code ResponseEntity} is read by its status. A {@code Map} of the keys of such a
 * collection is cached by entry. A list or array is not cached: its elements must name their key by
 * a property, as rows do, or stand at the {@link #positional() position} of their key. Every other
 * answer to several keys is passed on as it is.
 *
 * <p>A method that cannot take this annotation (final, private, static, returning another
 * primitive, writing as well) stops the application from starting.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface BloomGuarded {

  /** {@return the name of a configured filter} */
  String filter();

  /**
   * {@return a SpEL expression over the parameters ({@code #id}, {@code #p0}, {@code #order.id})}
   */
  String key();

  /**
   * {@return the name of the value cache; the filter's name where it is empty} Methods that name
   * the same cache return the same for a key: each may get the value that another has loaded.
   */
  String cache() default "";

  /** {@return the part of the method's answers that is kept} */
  Caching caching() default Caching.AUTO;

  /** {@return the lifetime of its values, such as {@code 10m}; the filter's where it is empty} */
  String ttl() default "";

  /**
   * {@return the age past which one caller loads a value again, while the others still get it until
   * the end of its lifetime, such as {@code 8m}; {@code 0s} for never; the filter's where it is
   * empty}
   */
  String softTtl() default "";

  /**
   * {@return the lifetime of its null entries, such as {@code 30s}; the filter's where it is empty}
   */
  String nullTtl() default "";

  /**
   * {@return the jitter, 0 to 1: lifetimes are stretched by a random factor of 1 to 1 + jitter; the
   * filter's where negative}
   */
  double jitter() default -1;

  /** {@return the bound on null entries of its cache; the filter's where negative} */
  long maxNullEntries() default -1;

  /**
   * {@return whether the answer to a {@code Collection} of keys has an element for each key, in the
   * order of the keys, and an empty one for a key without a value} The method gets fewer keys than
   * its caller has passed, so each key that it did not get is given an empty element. An answer of
   * another size than the keys that the method got is an {@link IllegalStateException}.
   */
  boolean positional() default false;

  /** {@return the effect of the filter's answers on this method} */
  Mode mode() default Mode.FILTER;

  /** {@return the answer for an absent key} */
  OnAbsent onAbsent() default OnAbsent.RETURN_EMPTY;
}
