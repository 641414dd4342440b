package io.bloomguard.changes.internal.database;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/** The fields of the engine's records, as those of Debezium's JSON. */
final class RecordFields {

  private RecordFields() {}

  /** The fields of a record; null for one that tells of no change. */
  static @Nullable Map<String, @Nullable Object> of(SourceRecord record) {
    return record.value() instanceof Struct value && value.schema().field("op") != null
        ? fields(value)
        : null;
  }

  private static Map<String, @Nullable Object> fields(Struct struct) {
    Map<String, @Nullable Object> fields = new HashMap<>();
    for (Field field : struct.schema().fields()) {
      fields.put(field.name(), value(field, struct.get(field)));
    }
    return fields;
  }

  private static @Nullable Object value(Field field, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof Struct struct) {
      return fields(struct);
    }
    if (value instanceof BigDecimal unsigned && unsigned.scale() == 0) {
      BigInteger number = unsigned.unscaledValue();
      return number.bitLength() < Long.SIZE ? (Object) number.longValue() : number;
    }
    // A number may stand for a date.
    String meaning = field.schema().name();
    if (meaning == null && value instanceof Number number && isIntegral(number)) {
      return number.longValue();
    }
    // No key otherwise: of a form that has no one text.
    return value instanceof String ? value : (Object) Double.NaN;
  }

  private static boolean isIntegral(Number number) {
    return number instanceof Long
        || number instanceof Integer
        || number instanceof Short
        || number instanceof Byte;
  }
}
