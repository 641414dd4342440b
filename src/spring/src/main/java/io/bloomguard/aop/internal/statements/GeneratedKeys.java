package io.bloomguard.aop.internal.statements;

import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.When;
import io.bloomguard.aop.MappedStatements;
import io.bloomguard.aop.MappedStatements.Kind;
import io.bloomguard.aop.MappedStatements.Statement;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check of puts that take their key from an argument after an insert for which the mapper sets
 * no key.
 *
 * <p>They lead to a warning, not to a refusal: the application, or a plug-in of the mapper, may set
 * the key.
 */
public record GeneratedKeys(MappedStatements statements) {

  private static final Logger LOG = LoggerFactory.getLogger(GeneratedKeys.class);

  public void check(AnnotatedMethod<BloomPut> method) {
    for (BloomPut put : method.annotations()) {
      if (put.when() == When.AFTER && !put.key().contains("#result")) {
        Statement statement = statements.of(method.target(), method.specific());
        if (statement != null && statement.kind() == Kind.INSERTS && !statement.setsKey()) {
          LOG.warn(
              "{} takes the key \"{}\" after an insert for which MyBatis generates no key. If the"
                  + " database draws it, add useGeneratedKeys=\"true\" keyProperty=\"{}\" to the"
                  + " statement: an insert whose key is null is refused",
              method.describe(),
              put.key(),
              property(method, put.key()));
        }
      }
    }
  }

  /** The name of the property in MyBatis: a single argument is its own root. */
  private static String property(AnnotatedMethod<?> method, String key) {
    String path = key.trim().replaceFirst("^#", "");
    int dot = path.indexOf('.');
    return method.specific().getParameterCount() == 1 && dot >= 0 ? path.substring(dot + 1) : path;
  }
}
