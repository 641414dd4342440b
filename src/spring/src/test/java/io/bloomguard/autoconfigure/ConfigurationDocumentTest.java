package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables of {@code docs/configuration.md} against the properties that there are. */
class ConfigurationDocumentTest {

  private static final Path PAGE = Path.of("docs/configuration.md");
  private static final String FILTER = "bloomguard.filters.<name>.";

  /** Names, then as many defaults; a default without backticks is told in words. */
  private static final Pattern ROW =
      Pattern.compile("^\\| (`(?:bloomguard\\.|…\\.)[^|]*) \\| ([^|]*) \\|", Pattern.MULTILINE);

  private static final Pattern QUOTED = Pattern.compile("`([^`]*)`");

  /** The default of a property whose record declares none. */
  private static final String NONE = "none";

  @Test
  void theTablesHaveEveryPropertyWithItsDefaultAndNoOther() throws IOException {
    TreeMap<String, String> properties = properties();

    TreeMap<String, String> documented = documented();
    assertThat(documented.keySet()).isEqualTo(properties.keySet());
    documented.forEach(
        (name, value) -> {
          Matcher quoted = QUOTED.matcher(value);
          if (quoted.matches()) {
            assertThat(quoted.group(1)).as("default of %s", name).isEqualTo(properties.get(name));
          } else {
            assertThat(properties.get(name))
                .as("default of %s, said to be %s", name, value)
                .isEqualTo(NONE);
          }
        });
  }

  private static TreeMap<String, String> documented() throws IOException {
    TreeMap<String, String> defaults = new TreeMap<>();
    for (MatchResult row : ROW.matcher(Files.readString(PAGE)).results().toList()) {
      List<MatchResult> names = QUOTED.matcher(row.group(1)).results().toList();
      String[] values = row.group(2).split(", ");
      String group = "";
      for (int i = 0; i < names.size(); i++) {
        String name = names.get(i).group(1).replaceFirst("^…\\.", FILTER);
        if (name.startsWith(".")) {
          name = group + name;
        } else {
          group = name.substring(0, name.lastIndexOf('.'));
        }
        String value = values.length == 1 ? row.group(2) : values[i];
        assertThat(defaults.put(name, value)).as("%s stands in one row", name).isNull();
      }
    }
    return defaults;
  }

  /** Every property by its name, with its default. */
  private static TreeMap<String, String> properties() {
    TreeMap<String, String> properties = new TreeMap<>();
    for (Settings.Setting setting : Settings.all()) {
      if (!setting.values().isRecord()) {
        String name = setting.name().replace("[*]", ".<name>").replace("[#]", "[]");
        String value = setting.defaultValue();
        properties.put(name, value == null || value.isEmpty() ? NONE : value);
      }
    }
    return properties;
  }
}
