package io.bloomguard.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Guards a lookup by key: a key that the filter knows to be absent never reaches the method.
 *
 * <p>Where the filter answers "possibly present", the value cache is asked next, and a miss calls
 * the method once per key, however many callers wait for it. Where a parameter is a {@code
 * Collection} of keys and the key expression names it, only the possible keys are handed to the
 * method.
 *
 * <p>A filter with {@code reject: present} is a blacklist: a key that it holds never reaches the
 * method, of a {@code Collection} the keys that it does not hold do, nothing is kept, and what the
 * method answers is passed on as it is.
 *
 * <p>Null, an empty {@code Optional}, and an empty collection, map or array are no value, and so
 * are false of a method {@code exists...} and 0 of one {@code count...}: the key is kept as a null
 * entry. A {@code Map} of the keys of such a collection is cached by entry; every other answer to
 * several keys is passed on as it is and not cached.
 *
 * <p>A method that this annotation cannot be applied to (final, private, static, returning another
 * primitive, writing as well) stops the application from starting.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface BloomGuarded {

  /** The name of a configured filter. */
  String filter();

  /** A SpEL expression over the parameters ({@code #id}, {@code #p0}, {@code #order.id}). */
  String key();

  /**
   * The name of the value cache; the filter's name where it is empty. Methods that name the same
   * one answer the same for a key: each is answered with what another has loaded.
   */
  String cache() default "";

  /** What is kept of the method's answers. */
  Caching caching() default Caching.AUTO;

  /** The lifetime of its values, such as {@code 10m}; the filter's where it is empty. */
  String ttl() default "";

  /**
   * How long a value is served before one caller loads it again while the others are served with
   * it, until the end of its lifetime, such as {@code 8m}; {@code 0s} for never; the filter's where
   * it is empty.
   */
  String softTtl() default "";

  /** How early a value falls due by chance before that, such as 1; the filter's where negative. */
  double refreshBeta() default -1;

  /** The lifetime of its null entries, such as {@code 30s}; the filter's where it is empty. */
  String nullTtl() default "";

  /** Stretches lifetimes by a random factor of 1 to 1 + jitter; the filter's where negative. */
  double jitter() default -1;

  /** The bound on null entries of its cache; the filter's where negative. */
  long maxNullEntries() default -1;

  /** What is answered for an absent key. */
  OnAbsent onAbsent() default OnAbsent.RETURN_EMPTY;
}
