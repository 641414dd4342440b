package io.bloomguard.source.internal;

import java.math.BigDecimal;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a key becomes the one parameter of a query: as the type that the database compares it with.
 *
 * <p>PostgreSQL refuses to compare a bigint with text, and a number with a varchar. So the driver
 * is asked once for the parameter's type. A driver that does not know it, as MySQL's does not, gets
 * text, which such databases convert.
 */
enum KeyParameter {

  /** An integer that fits a long. A key that is none, as canonical keys are, is not listed. */
  INTEGER,

  /** Any other number. */
  NUMBER,

  /** A UUID. */
  UNIQUE,

  /** Text whose type the server infers from what it is compared with: PostgreSQL's unknown. */
  INFERRED,

  TEXT;

  private static final Pattern CANONICAL = Pattern.compile("0|-?[1-9][0-9]*");

  private static boolean isPostgres(PreparedStatement statement) throws SQLException {
    String product = statement.getConnection().getMetaData().getDatabaseProductName();
    return product.equals(KeyQuery.POSTGRES);
  }

  /**
   * Sets the parameter as text that the database converts to the type of the column, whatever it
   * makes of it.
   */
  static void bindText(PreparedStatement statement, String key) throws SQLException {
    (isPostgres(statement) ? INFERRED : TEXT).bind(statement, key);
  }

  /** The form for the one parameter of {@code statement}. */
  static KeyParameter of(PreparedStatement statement) throws SQLException {
    boolean postgres = isPostgres(statement);
    try {
      ParameterMetaData types = statement.getParameterMetaData();
      if ("uuid".equalsIgnoreCase(types.getParameterTypeName(1))) {
        return UNIQUE;
      }
      return switch (types.getParameterType(1)) {
        case Types.TINYINT, Types.SMALLINT, Types.INTEGER -> INTEGER;
        case Types.BIGINT -> types.isSigned(1) ? INTEGER : NUMBER;
        case Types.NUMERIC, Types.DECIMAL, Types.REAL, Types.FLOAT, Types.DOUBLE -> NUMBER;
        default -> postgres ? INFERRED : TEXT;
      };
    } catch (SQLException e) {
      if (postgres) {
        throw e;
      }
      return TEXT;
    }
  }

  /** Sets the parameter; false for a key that cannot be a value of its type. */
  boolean bind(PreparedStatement statement, String key) throws SQLException {
    Object value = value(key);
    if (value == null) {
      return false;
    }
    if (this == INFERRED) {
      statement.setObject(1, value, Types.OTHER);
    } else {
      statement.setObject(1, value);
    }
    return true;
  }

  private @Nullable Object value(String key) {
    return switch (this) {
      case INTEGER, NUMBER -> {
        BigDecimal number = CANONICAL.matcher(key).matches() ? new BigDecimal(key) : null;
        boolean fits = number != null && number.toBigInteger().bitLength() < Long.SIZE;
        yield this == NUMBER ? number : fits ? Long.valueOf(key) : null;
      }
      case UNIQUE -> {
        try {
          yield UUID.fromString(key);
        } catch (IllegalArgumentException e) {
          yield null;
        }
      }
      case INFERRED, TEXT -> key;
    };
  }
}
