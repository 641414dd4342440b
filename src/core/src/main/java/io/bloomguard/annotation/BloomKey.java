package io.bloomguard.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the filter that holds a key of each row of an entity: its id, or one of its attributes.
 *
 * <p>Every insert through Hibernate, Spring Data JDBC, Spring Data R2DBC or MyBatis adds the key
 * before its row becomes visible, and every insert, change and delete drops the value and null
 * entries under the old and the new key; but Spring Data R2DBC reports no delete. If the key cannot
 * be added, the write fails. A rollback costs one false positive.
 *
 * <p>The key is what the column holds: after an {@code AttributeConverter}, and the number of an
 * ordinal enum. Lookups ask for that form.
 *
 * <p>It stands on an entity, on a class that an entity extends, or on a persistent attribute (its
 * field or getter), and may be repeated. An attribute that is null has no key. One that cannot be a
 * key (an association, a collection, a date), or whose column has a value that the mapping does not
 * tell, stops the application from starting.
 */
@Target({ElementType.TYPE, ElementType.FIELD, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(BloomKey.List.class)
@Documented
public @interface BloomKey {

  /** {@return the name of a configured filter} */
  String filter();

  /**
   * {@return the attribute whose value is the key, on a class; the id where it is empty} A dot
   * leads into an embedded one, {@code "id.number"}, or with JPA to the id of a to-one association,
   * {@code "pet.id"}. Commas divide the parts of a key of several, in the order of the lookup's
   * list: {@code "tenant, number"}; a record as the id has its components as parts. On an attribute
   * it stays empty.
   */
  String attribute() default "";

  /** Several keys of one entity. */
  @Target({ElementType.TYPE, ElementType.FIELD, ElementType.METHOD})
  @Retention(RetentionPolicy.RUNTIME)
  @Documented
  @interface List {

    /** {@return the annotations of the class or attribute, each for a key of its own} */
    BloomKey[] value();
  }
}
