package io.bloomguard.source.internal;

import java.math.BigDecimal;
import java.math.BigInteger;
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

  private static boolean isInteger(String key) {
    return CANONICAL.matcher(key).matches();
  }

  /**
   * Sets the parameter as text that the database converts to the type of the column, whatever it
   * makes of it.
   */
  static void bindText(PreparedStatement statement, String key) throws SQLException {
    (JdbcKeySource.isPostgres(statement.getConnection()) ? INFERRED : TEXT).bind(statement, key);
  }

  /** The form for the one parameter of {@code statement}. */
  static KeyParameter of(PreparedStatement statement) throws SQLException {
    boolean postgres = JdbcKeySource.isPostgres(statement.getConnection());
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
      case INTEGER -> isInteger(key) && fitsLong(key) ? Long.valueOf(key) : null;
      case NUMBER -> isInteger(key) ? new BigDecimal(key) : null;
      case UNIQUE -> uuid(key);
      case INFERRED, TEXT -> key;
    };
  }

  private static boolean fitsLong(String key) {
    return new BigInteger(key).bitLength() < Long.SIZE;
  }

  private static @Nullable Object uuid(String key) {
    try {
      return UUID.fromString(key);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
