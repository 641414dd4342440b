package io.bloomguard.data.internal;

import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import org.apache.ibatis.type.JdbcType;
import org.apache.ibatis.type.TypeHandler;
import org.apache.ibatis.type.UnknownTypeHandler;
import org.jspecify.annotations.Nullable;

/**
 * The form in which a column holds the values of a property: as the {@code TypeHandler} of MyBatis
 * passes them to the driver, and as a key source reads them.
 */
record BoundForm(TypeHandler<?> handler, @Nullable JdbcType jdbcType) {

  /** Whether MyBatis finds the handler by the class of each value. */
  boolean isOfEachValue() {
    return handler instanceof UnknownTypeHandler;
  }

  /** What tells two forms apart: each statement may have an instance of the handler. */
  Object kind() {
    return jdbcType == null ? handler.getClass() : handler.getClass() + " " + jdbcType;
  }

  /**
   * The stored form of a value; null if it is stored as null. A UUID in a binary column keeps its
   * own form: such a column is no key, so the source's query converts it to text.
   */
  @Nullable Object of(Object value) {
    @Nullable Object[] bound = {null};
    PreparedStatement recorder =
        (PreparedStatement)
            Proxy.newProxyInstance(
                BoundForm.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> {
                  String name = method.getName();
                  if (name.startsWith("set") && !name.equals("setNull") && arguments.length > 1) {
                    bound[0] = arguments[1];
                  }
                  return null;
                });
    try {
      bind(handler, recorder, value);
    } catch (ClassCastException e) {
      return value; // an id of another class than the property
    } catch (SQLException e) {
      throw new IllegalStateException(handler.getClass().getName() + " refuses a key", e);
    }
    return bound[0] instanceof byte[] && value instanceof UUID ? value : bound[0];
  }

  @SuppressWarnings("unchecked") // as MyBatis does
  private <T> void bind(TypeHandler<T> to, PreparedStatement statement, Object value)
      throws SQLException {
    to.setParameter(statement, 1, (T) value, jdbcType);
  }
}
