package io.bloomguard.it.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README's table and the schema against the values themselves. */
class ReadmeTest {

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\| `([^`]*)` \\|");

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final Map<String, Object> values = Chart.yaml(Chart.DIRECTORY.resolve("values.yaml"));

  @Test
  void theTableHasEveryValueWithItsDefault() throws IOException {
    Map<String, String> rows = new LinkedHashMap<>();
    Matcher row = ROW.matcher(Files.readString(Chart.DIRECTORY.resolve("README.md")));
    while (row.find()) {
      rows.put(row.group(1), row.group(2));
    }

    Map<String, String> defaults = new LinkedHashMap<>();
    leaves("", values, defaults);
    assertThat(rows).containsExactlyEntriesOf(defaults);
  }

  @Test
  void theSchemaKnowsTheValuesAndNoOthers() throws IOException {
    JsonObject schema =
        JsonParser.parseString(Files.readString(Chart.DIRECTORY.resolve("values.schema.json")))
            .getAsJsonObject();

    Set<String> known = new TreeSet<>(schema.getAsJsonObject("properties").keySet());
    // Helm's own.
    assertThat(known.remove("global")).isTrue();
    assertThat(known).containsExactlyElementsOf(new TreeSet<>(values.keySet()));
    assertThat(schema.get("additionalProperties").getAsBoolean()).isFalse();
  }

  @SuppressWarnings("unchecked")
  private static void leaves(String prefix, Map<String, Object> from, Map<String, String> to) {
    from.forEach(
        (key, value) -> {
          if (value instanceof Map<?, ?> map && !map.isEmpty()) {
            leaves(prefix + key + ".", (Map<String, Object>) map, to);
          } else {
            boolean plain = value instanceof String text && !text.isEmpty();
            to.put(prefix + key, plain ? (String) value : GSON.toJson(value));
          }
        });
  }
}
