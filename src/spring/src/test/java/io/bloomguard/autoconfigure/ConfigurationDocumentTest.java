package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The tables of {@code docs/configuration.md} are those of the metadata and of the rules; {@code
 * -Dconfiguration.renew} writes them. A mark in the page has the beginnings of the names of a
 * table; a property is in that of its longest.
 */
class ConfigurationDocumentTest {

  private static final Path PAGE = Path.of("docs/configuration.md");
  private static final String FILTER = "bloomguard.filters[*].";
  private static final Pattern TABLE =
      Pattern.compile("<!-- properties: ([^>]+) -->\n(?:\n(?:\\|.*\n)+)?");
  private static final Pattern BOUND =
      Pattern.compile("^([a-z.-]+)((?:\\|[a-z.-]+)*) must (?:be )?(.*)$", Pattern.MULTILINE);

  @Test
  void theTablesHaveEveryPropertyAsItIs() throws IOException {
    String page = Files.readString(PAGE);
    List<String> marks =
        TABLE.matcher(page).results().flatMap(m -> Arrays.stream(m.group(1).split(" "))).toList();
    Map<String, List<String>> rows = new TreeMap<>();
    Map<String, String> bounds = bounds();
    for (Map<String, Object> entry : SettingsMetadataTest.ours()) {
      String name = shown((String) entry.get("name"));
      if (!name.equals("bloomguard.filters") && !name.endsWith(".rules")) {
        String mark =
            marks.stream()
                .filter(name::startsWith)
                .max(Comparator.comparing(String::length))
                .orElseThrow(() -> new AssertionError(name + " is in no table"));
        rows.computeIfAbsent(mark, none -> new ArrayList<>())
            .add(row(name, entry, bounds.getOrDefault(name, "")));
      }
    }

    String renewed =
        TABLE.matcher(page).replaceAll(mark -> Matcher.quoteReplacement(table(mark, rows)));
    if (Boolean.getBoolean("configuration.renew")) {
      Files.writeString(PAGE, renewed);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(renewed);
    assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(marks);
  }

  private static String table(MatchResult mark, Map<String, List<String>> rows) {
    return Arrays.stream(mark.group(1).split(" "))
        .flatMap(name -> rows.getOrDefault(name, List.of()).stream().sorted())
        .collect(
            Collectors.joining(
                "\n",
                "<!-- properties: "
                    + mark.group(1)
                    + " -->\n\n| property | default | values | meaning |\n|---|---|---|---|\n",
                "\n"));
  }

  private static String row(String name, Map<String, Object> entry, String bounds) {
    Object value = SettingsMetadataTest.plain(entry.get("defaultValue"));
    String usual = value == null || value.toString().isEmpty() ? "none" : "`" + value + "`";
    return String.join(
        " | ",
        "| `" + name + "`",
        usual,
        bounds.isEmpty() ? values((String) entry.get("type")) : bounds,
        entry.get("description") + " |");
  }

  /** The choices of an enum and of a truth; of other types their simple name. */
  private static String values(String type) {
    try {
      Object[] choices = Class.forName(type).getEnumConstants();
      if (choices != null) {
        return Arrays.stream(choices)
            .map(
                choice ->
                    "`"
                        + ((Enum<?>) choice).name().toLowerCase(Locale.ROOT).replace('_', '-')
                        + "`")
            .collect(Collectors.joining(", "));
      }
    } catch (ClassNotFoundException e) {
      return "list";
    }
    return switch (type.substring(type.lastIndexOf('.') + 1)) {
      case "Boolean" -> "`true`, `false`";
      case "String" -> "text";
      case "Duration" -> "duration";
      case "DataSize" -> "size";
      default -> "number";
    };
  }

  private static Map<String, String> bounds() throws IOException {
    Map<String, String> bounds = new TreeMap<>();
    for (String table : List.of("application", "filter")) {
      String prefix = table.equals("filter") ? "…." : "bloomguard.";
      for (MatchResult rule : BOUND.matcher(rules(table)).results().toList()) {
        String group = prefix + rule.group(1).replaceAll("[^.]*$", "");
        bounds.put(prefix + rule.group(1), rule.group(3));
        Arrays.stream(rule.group(2).split("\\|"))
            .filter(other -> !other.isEmpty())
            .forEach(other -> bounds.put(group + other, rule.group(3)));
      }
    }
    return bounds;
  }

  private static String rules(String table) throws IOException {
    try (var in =
        ConfigurationDocumentTest.class.getResourceAsStream(
            "internal/properties/" + table + ".rules")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String shown(String name) {
    return name.replace(FILTER, "….").replace("[#]", "[]");
  }
}
