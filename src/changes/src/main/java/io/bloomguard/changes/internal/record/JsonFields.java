package io.bloomguard.changes.internal.record;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The few fields of a record that tell of a change; everything else is passed over. A field that is
 * null is there, without a value.
 *
 * @param values scalars, nested fields, and lists of these
 */
record JsonFields(Map<String, @Nullable Object> values) {

  /** The objects that hold rows, or what is said of them. */
  private static final Set<String> NESTED =
      Set.of("payload", "before", "after", "source", "data", "old");

  private static final Set<String> SCALARS =
      Set.of(
          "op",
          "type",
          "isDdl",
          "database",
          "db",
          "schema",
          "table",
          "ts",
          "es",
          "ts_ms",
          "txId",
          "gtid",
          "__op",
          "__deleted");

  private static final JsonFactory JSON = new JsonFactory();

  /** Reads records with these columns. */
  static final class Reader {

    private final Set<String> scalars = new HashSet<>(SCALARS);

    Reader(List<String> columns) {
      scalars.addAll(columns);
    }

    /** The fields of an object; null for any other text. */
    @Nullable JsonFields read(byte[] json) {
      try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
        return parser.nextToken() == JsonToken.START_OBJECT ? object(parser) : null;
      } catch (JacksonException e) {
        return null;
      }
    }

    private JsonFields object(JsonParser parser) {
      Map<String, @Nullable Object> values = new HashMap<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        JsonToken token = parser.nextToken();
        boolean nested = NESTED.contains(name);
        if (token == JsonToken.START_OBJECT && nested) {
          values.put(name, object(parser));
        } else if (token == JsonToken.START_ARRAY && nested) {
          values.put(name, rows(parser));
        } else if (token.isStructStart()) {
          parser.skipChildren();
        } else if (nested || scalars.contains(name)) {
          values.put(name, scalar(parser, token));
        }
      }
      return new JsonFields(values);
    }

    private List<JsonFields> rows(JsonParser parser) {
      List<JsonFields> rows = new ArrayList<>();
      for (JsonToken token; (token = parser.nextToken()) != JsonToken.END_ARRAY; ) {
        if (token == JsonToken.START_OBJECT) {
          rows.add(object(parser));
        } else {
          parser.skipChildren();
        }
      }
      return rows;
    }

    private static @Nullable Object scalar(JsonParser parser, JsonToken token) {
      return switch (token) {
        case VALUE_STRING -> parser.getString();
        case VALUE_NUMBER_INT -> number(parser);
        case VALUE_TRUE -> Boolean.TRUE;
        case VALUE_FALSE -> Boolean.FALSE;
        case VALUE_NULL -> null;
        // No key: of a form that has no one text.
        default -> Double.NaN;
      };
    }

    private static Object number(JsonParser parser) {
      return switch (parser.getNumberType()) {
        case INT, LONG -> parser.getLongValue();
        default -> parser.getBigIntegerValue();
      };
    }
  }

  /** The fields of a record that was read in another way, and those of the maps in it. */
  static JsonFields of(Map<String, @Nullable Object> fields) {
    Map<String, @Nullable Object> values = new HashMap<>();
    fields.forEach((name, value) -> values.put(name, nested(value)));
    return new JsonFields(values);
  }

  @SuppressWarnings("unchecked") // by the contract of ChangeRecords
  private static @Nullable Object nested(@Nullable Object value) {
    return value instanceof Map<?, ?> fields ? of((Map<String, @Nullable Object>) fields) : value;
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  @Nullable Object get(String name) {
    return values.get(name);
  }

  /** A field's text; empty if it has none. */
  String text(String name) {
    return values.get(name) instanceof String text ? text : "";
  }

  /** A field's number; 0 if it has none. */
  long number(String name) {
    return values.get(name) instanceof Long number ? number : 0;
  }

  /** A field's own fields; null if it has none. */
  @Nullable JsonFields fields(String name) {
    return values.get(name) instanceof JsonFields nested ? nested : null;
  }

  /** The rows of a list; none for anything else. */
  List<JsonFields> rows(String name) {
    List<JsonFields> rows = new ArrayList<>();
    if (values.get(name) instanceof List<?> list) {
      for (Object row : list) {
        rows.add((JsonFields) row);
      }
    }
    return rows;
  }
}
