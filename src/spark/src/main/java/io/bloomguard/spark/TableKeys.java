package io.bloomguard.spark;

import io.bloomguard.filter.internal.CanonicalKey;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The one column of a table that has the keys: of a type with a canonical text, or a struct of two
 * or more such parts.
 */
final class TableKeys implements Serializable {

  private static final long serialVersionUID = 1;

  private final DataType type;

  private TableKeys(DataType type) {
    this.type = type;
  }

  /**
   * The key column of a table.
   *
   * @throws IllegalArgumentException naming the column, its type and the cast that helps
   */
  static TableKeys of(StructType table) {
    if (table.length() != 1) {
      throw new IllegalArgumentException(
          "The keys are one column, but the query has "
              + table.length()
              + " ("
              + String.join(", ", table.fieldNames())
              + "): select one, or a key of parts as struct(a, b)");
    }
    StructField column = table.fields()[0];
    if (column.dataType() instanceof StructType parts) {
      if (parts.length() < 2) {
        throw new IllegalArgumentException(
            "The struct '" + column.name() + "' has one part, but a key of parts two or more");
      }
      for (StructField part : parts.fields()) {
        require(column.name() + "." + part.name(), part.dataType());
      }
    } else {
      require(column.name(), column.dataType());
    }
    return new TableKeys(column.dataType());
  }

  private static void require(String name, DataType type) {
    boolean exact =
        type instanceof LongType
            || type instanceof IntegerType
            || type instanceof ShortType
            || type instanceof ByteType
            || type instanceof StringType
            || (type instanceof DecimalType decimal && decimal.scale() == 0);
    if (exact) {
      return;
    }
    throw new IllegalArgumentException(
        "The column '"
            + name
            + "' is of type "
            + type.simpleString()
            + ", whose values have more than one spelling: use "
            + cast(name, type));
  }

  private static String cast(String name, DataType type) {
    return switch (type.typeName().replaceAll("\\(.*", "")) {
      case "double", "float" -> "cast(" + name + " as bigint)";
      case "decimal" -> "cast(" + name + " as decimal(38, 0))";
      case "binary" -> "lower(hex(" + name + "))";
      case "struct", "array", "map" -> "struct(a, b) of the parts that make the key";
      default -> "cast(" + name + " as string), if that is how callers spell it";
    };
  }

  /** The canonical key of a row of Spark's own; null if it or a part of it is null. */
  @Nullable String key(InternalRow row) {
    if (!(type instanceof StructType struct)) {
      Object value = value(row, 0, type);
      return value == null ? null : CanonicalKey.of(value);
    }
    if (row.isNullAt(0)) {
      return null;
    }
    InternalRow inner = row.getStruct(0, struct.length());
    List<Object> parts = new ArrayList<>();
    for (int i = 0; i < struct.length(); i++) {
      Object part = value(inner, i, struct.fields()[i].dataType());
      if (part == null) {
        return null;
      }
      parts.add(part);
    }
    return CanonicalKey.of(parts);
  }

  /** By its own getter: the one for all types looks at the session's settings each time. */
  private static @Nullable Object value(InternalRow row, int at, DataType type) {
    if (row.isNullAt(at)) {
      return null;
    }
    if (type instanceof StringType) {
      return row.getUTF8String(at).toString();
    }
    if (type instanceof LongType) {
      return row.getLong(at);
    }
    if (type instanceof DecimalType decimal) {
      return row.getDecimal(at, decimal.precision(), decimal.scale()).toJavaBigDecimal();
    }
    if (type instanceof IntegerType) {
      return row.getInt(at);
    }
    return type instanceof ShortType ? row.getShort(at) : row.getByte(at);
  }
}
