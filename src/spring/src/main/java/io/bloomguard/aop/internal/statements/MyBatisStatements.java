package io.bloomguard.aop.internal.statements;

import io.bloomguard.aop.MappedStatements;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.function.Supplier;
import org.apache.ibatis.executor.keygen.Jdbc3KeyGenerator;
import org.apache.ibatis.executor.keygen.KeyGenerator;
import org.apache.ibatis.executor.keygen.NoKeyGenerator;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.session.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * The statements of MyBatis' mappers, from annotations and from XML.
 *
 * @param configurations called for each lookup, since mappers join the configurations while they
 *     are made
 */
public record MyBatisStatements(Supplier<List<Configuration>> configurations)
    implements MappedStatements {

  @Override
  public @Nullable Statement of(Class<?> type, Method method) {
    for (Configuration configuration : configurations.get()) {
      MappedStatement found = find(configuration, type, method.getName());
      if (found != null) {
        String sql = sql(found);
        return new Statement(
            kind(found),
            setsKey(found),
            WrittenTable.of(sql),
            WrittenColumns.set(sql),
            WrittenColumns.areSelected(sql));
      }
    }
    return null;
  }

  @Override
  public boolean write(String table) {
    return configurations.get().stream()
        .flatMap(configuration -> List.<Object>copyOf(configuration.getMappedStatements()).stream())
        // A name that two statements share has another object.
        .filter(MappedStatement.class::isInstance)
        .anyMatch(statement -> table.equals(WrittenTable.of(sql((MappedStatement) statement))));
  }

  /**
   * Finds the statement of the mapper, of a proxy's interface, or of a mapper that it extends, as
   * MyBatis does.
   */
  private static @Nullable MappedStatement find(
      Configuration configuration, Class<?> type, String method) {
    String id = type.getName() + "." + method;
    if (configuration.hasStatement(id, false)) {
      return configuration.getMappedStatement(id, false);
    }
    for (Class<?> extended : type.getInterfaces()) {
      MappedStatement found = find(configuration, extended, method);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static Kind kind(MappedStatement statement) {
    return switch (statement.getSqlCommandType()) {
      case INSERT -> Kind.INSERTS;
      case UPDATE, DELETE -> Kind.CHANGES;
      // A select that writes, such as "insert ... returning", declares affectData.
      default -> statement.isDirtySelect() ? Kind.INSERTS : Kind.READS;
    };
  }

  /** A statement as it is without values, which may leave out conditional parts. */
  private static String sql(MappedStatement statement) {
    try {
      return statement.getBoundSql(new Anything()).getSql();
    } catch (RuntimeException e) {
      return ""; // an expression that cannot do without values
    }
  }

  /** A parameter that has every property: an empty list. */
  private static final class Anything extends HashMap<String, Object> {

    private static final long serialVersionUID = 1L;

    @Override
    public boolean containsKey(Object name) {
      return true;
    }

    @Override
    public Object get(Object name) {
      return List.of();
    }
  }

  private static boolean setsKey(MappedStatement statement) {
    KeyGenerator generator = statement.getKeyGenerator();
    return generator instanceof Jdbc3KeyGenerator
        ? statement.getKeyProperties() != null
        : !(generator instanceof NoKeyGenerator);
  }
}
