package io.bloomguard.autoconfigure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.Settings.Setting;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/**
 * What IDEs are told of each property, against the records. Spring Boot's annotation processor
 * writes the entries; the values are in the additional metadata.
 */
public class SettingsMetadataTest {

  private static final String PLACE = "META-INF/spring-configuration-metadata.json";

  private static final Path KEPT =
      Path.of("src/spring/src/test/resources/io/bloomguard/autoconfigure/settings.tsv");

  private static final Map<String, Object> METADATA = metadata();

  @Test
  void everySettingHasAnEntryWithItsTypeDefaultAndDescriptionAndThereIsNoOther() {
    Map<String, List<@Nullable Object>> expected = new TreeMap<>();
    for (Setting setting : Settings.all()) {
      expected.put(
          setting.name(),
          Arrays.asList(setting.type(), plain(setting.defaultValue()), setting.description()));
    }

    Map<String, List<@Nullable Object>> described = new TreeMap<>();
    for (Map<String, Object> entry : entries("properties")) {
      String name = (String) entry.get("name");
      if (name.startsWith("bloomguard.")) {
        described.put(
            name,
            Arrays.asList(
                entry.get("type"), plain(entry.get("defaultValue")), entry.get("description")));
      }
    }
    assertThat(described).containsExactlyInAnyOrderEntriesOf(expected);
  }

  /** A line a property: name, type, default, description. {@code -Dsettings.renew} writes it. */
  @Test
  void theKeptListHasEveryPropertyAsItIs() throws IOException {
    List<String> now = ours().stream().map(SettingsMetadataTest::line).sorted().toList();
    if (Boolean.getBoolean("settings.renew")) {
      Files.write(KEPT, now);
    }
    assertThat(now).isEqualTo(Files.readAllLines(KEPT));
  }

  private static String line(Map<String, Object> entry) {
    String type = (String) entry.get("type");
    Object value = plain(entry.get("defaultValue"));
    return String.join(
        "\t",
        (String) entry.get("name"),
        type.replaceAll("io\\.bloomguard\\.[a-z.]+\\.([A-Z])", "$1"),
        value == null ? "" : value.toString(),
        (String) entry.get("description"));
  }

  @Test
  void everyDescriptionIsASentence() {
    assertThat(entries("properties"))
        .isNotEmpty()
        .allSatisfy(
            entry ->
                assertThat((String) entry.get("description"))
                    .as("%s", entry.get("name"))
                    .matches("[A-Z].{10,}[^.]\\.")
                    .doesNotContain("{@", "&"));
  }

  /** As the message of a failure has them, they can be put into the additional metadata. */
  @Test
  void everyEnumOfAFilterOrRuleHasItsValues() {
    Map<String, List<Map<String, String>>> hints = hints();
    for (Setting setting : Settings.all()) {
      if (setting.values().isEnum() && setting.name().contains("[")) {
        List<Map<String, String>> values =
            Arrays.stream(setting.values().getEnumConstants())
                .map(constant -> hint((Enum<?>) constant))
                .toList();
        assertThat(hints.get(setting.name()))
            .as("{\"name\": \"%s\", \"values\": %s}", setting.name(), json(values))
            .isEqualTo(values);
      }
    }
  }

  @Test
  void everyHintIsOfAProperty() {
    List<String> names =
        entries("properties").stream().map(entry -> (String) entry.get("name")).toList();
    assertThat(entries("hints"))
        .isNotEmpty()
        .allSatisfy(
            hint ->
                assertThat(names)
                    .contains(((String) hint.get("name")).replaceFirst("\\.(keys|values)$", "")));
  }

  private static Map<String, String> hint(Enum<?> constant) {
    String value = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    String description = Settings.description(constant);
    return description.isEmpty()
        ? Map.of("value", value)
        : new TreeMap<>(Map.of("value", value, "description", description));
  }

  private static String json(List<Map<String, String>> values) {
    return values.stream()
        .map(
            value ->
                value.entrySet().stream()
                    .map(e -> "\"" + e.getKey() + "\": \"" + e.getValue() + "\"")
                    .collect(Collectors.joining(", ", "{", "}")))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  /** The values of each property that has hints. */
  @SuppressWarnings("unchecked")
  public static Map<String, List<Map<String, String>>> hints() {
    return entries("hints").stream()
        .filter(hint -> hint.containsKey("values"))
        .collect(
            Collectors.toMap(
                hint -> (String) hint.get("name"),
                hint -> (List<Map<String, String>>) hint.get("values")));
  }

  /** The text of a value, which metadata may have as a number, a truth or a list. */
  static @Nullable Object plain(@Nullable Object value) {
    String text = value == null ? null : value.toString();
    if (text == null) {
      return null;
    }
    return text.matches("[0-9.]+(E-?[0-9]+)?")
        ? new BigDecimal(text).stripTrailingZeros().toPlainString()
        : text.replaceFirst("^\\[(.*), (.*)]$", "$1,$2");
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> entries(String kind) {
    return (List<Map<String, Object>>) METADATA.get(kind);
  }

  /** Without those of the endpoint, which Spring Boot's processor describes. */
  static List<Map<String, Object>> ours() {
    return entries("properties").stream()
        .filter(entry -> !((String) entry.get("name")).startsWith("management.endpoint."))
        .toList();
  }

  private static URL place() throws IOException {
    Class<?> record = BloomguardProperties.class;
    String path = record.getName().replace('.', '/') + ".class";
    String place = record.getResource("/" + path).toString();
    return URI.create(place.replace(path, PLACE)).toURL();
  }

  /** Other libraries have such a file, too: ours is beside the records. */
  private static Map<String, Object> metadata() {
    try (InputStream in = place().openStream()) {
      return JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
