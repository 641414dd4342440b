package io.bloomguard.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Guards a test slice, or a whole application, by the filters of its configuration, which are in
 * memory, have no source and reject every key that the test has not put.
 *
 * <p>Neither Redis nor a database is needed, whatever the configuration says, unless {@link
 * #readSources} is set. A key is put by {@code guards.guard("products").put(42)} or by a call of a
 * method with {@code @BloomPut}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureBloomguard {

  /**
   * Whether each filter reads its source as the context starts: the rows of {@code data.sql} are in
   * it then. Feeds of changes stay off.
   *
   * @return true to read the sources; by default filters begin empty
   */
  boolean readSources() default false;
}
