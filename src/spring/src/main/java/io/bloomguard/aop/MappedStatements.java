package io.bloomguard.aop;

import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements that an SQL mapper runs for the methods of its interfaces. */
public interface MappedStatements {

  /** The statements of an application without mappers. */
  MappedStatements NONE = (type, method) -> null;

  /**
   * {@return the statement of a method as called on objects of {@code type}; null if none is known}
   *
   * @param type the interface of a mapper, or the class of its proxy
   * @param method the method, which {@code type} may inherit
   */
  @Nullable Statement of(Class<?> type, Method method);

  /**
   * {@return whether some statement writes a table, so that it is no view of others}
   *
   * @param table its name in lower case, without its schema
   */
  default boolean write(String table) {
    return false;
  }

  /**
   * One statement.
   *
   * @param kind its effect on rows
   * @param setsKey whether it sets a generated key on its argument
   * @param table the table that it writes, in lower case and without its schema; null if unknown
   * @param sets the columns that an update sets, in lower case, each with the literal that it gets,
   *     empty for any other value
   * @param ofSelect whether it inserts what a query finds
   */
  record Statement(
      Kind kind,
      boolean setsKey,
      @Nullable String table,
      Map<String, String> sets,
      boolean ofSelect) {

    /**
     * A statement of which no more is known.
     *
     * @param kind its effect on rows
     * @param setsKey whether it sets a generated key on its argument
     * @param table the table that it writes, in lower case and without its schema; null if unknown
     */
    public Statement(Kind kind, boolean setsKey, @Nullable String table) {
      this(kind, setsKey, table, Map.of(), false);
    }
  }

  /** The effect of a statement on rows. */
  enum Kind {
    /** It changes no rows. */
    READS,
    /** It inserts rows, or may. */
    INSERTS,
    /** It changes or deletes rows. */
    CHANGES
  }
}
