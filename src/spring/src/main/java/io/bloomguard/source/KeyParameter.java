package io.bloomguard.source;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * How a key becomes the one parameter of a query: as the type that the database compares it with.
 *
 * <p>PostgreSQL refuses to compare a bigint with text, and a number with a varchar. So the driver
 * is asked once for the parameter's type. A driver that does not know it, as MySQL's does not, gets
 * text, which such databases convert.
 */
enum KeyParameter {

  /** An integer that fits a long. A key that is none, as canonical keys are, is not listed. */
  INTEGER {
    @Override
    boolean bind(PreparedStatement statement, String key) throws SQLException {
      if (!isInteger(key) || new BigInteger(key).bitLength() >= Long.SIZE) {
        return false;
      }
      statement.setLong(1, Long.parseLong(key));
      return true;
    }
  },

  /** Any other number. */
  NUMBER {
    @Override
    boolean bind(PreparedStatement statement, String key) throws SQLException {
      if (!isInteger(key)) {
        return false;
      }
      statement.setBigDecimal(1, new BigDecimal(key));
      return true;
    }
  },

  /** A UUID. */
  UNIQUE {
    @Override
    boolean bind(PreparedStatement statement, String key) throws SQLException {
      try {
        statement.setObject(1, UUID.fromString(key));
        return true;
      } catch (IllegalArgumentException e) {
        return false;
      }
    }
  },

  /** Text whose type the server infers from what it is compared with: PostgreSQL's unknown. */
  INFERRED {
    @Override
    boolean bind(PreparedStatement statement, String key) throws SQLException {
      statement.setObject(1, key, Types.OTHER);
      return true;
    }
  },

  TEXT {
    @Override
    boolean bind(PreparedStatement statement, String key) throws SQLException {
      statement.setString(1, key);
      return true;
    }
  };

  private static final Pattern CANONICAL = Pattern.compile("0|-?[1-9][0-9]*");

  private static boolean isInteger(String key) {
    return CANONICAL.matcher(key).matches();
  }

  /**
   * Sets the parameter as text that the database converts to the type of the column, whatever it
   * makes of it.
   */
  static void bindText(PreparedStatement statement, String key) throws SQLException {
    (isPostgres(statement) ? INFERRED : TEXT).bind(statement, key);
  }

  private static boolean isPostgres(PreparedStatement statement) throws SQLException {
    return statement.getConnection().getMetaData().getDatabaseProductName().equals("PostgreSQL");
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
  abstract boolean bind(PreparedStatement statement, String key) throws SQLException;
}
