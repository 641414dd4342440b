package io.bloomguard.redis.internal.build;

import io.bloomguard.filter.FilterShape;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a build notes of its process in the head, for processes with other settings.
 *
 * @param source the hashed identity of the database that its keys came from, empty if not known
 * @param layout the configured layout, as a setting has it
 * @param insertions the configured size; a filter that has grown is larger
 * @param probability the configured false-positive probability
 * @param retention the journal's retention
 */
public record BuildOrigin(
    String source, String layout, long insertions, double probability, Duration retention) {

  private static final int PARTS = 5;

  /** That of a process whose source is not known. */
  public static BuildOrigin of(FilterShape configured, Duration retention) {
    return new BuildOrigin(
        "",
        configured.layout().name().toLowerCase(Locale.ROOT),
        configured.expectedInsertions(),
        configured.falsePositiveProbability(),
        retention);
  }

  /** The same, with a source. */
  public BuildOrigin from(String hashed) {
    return new BuildOrigin(hashed, layout, insertions, probability, retention);
  }

  /** As the head has it, with the image that it is of: an older version leaves it as it was. */
  String text(String image) {
    return String.join(
        "|",
        image,
        source,
        layout,
        Long.toString(insertions),
        Double.toString(probability),
        retention.toString());
  }

  /** The origin of an image, null if the head does not have it, or has what cannot be read. */
  public static @Nullable BuildOrigin parse(@Nullable String text, String image) {
    if (text == null || !text.startsWith(image + "|")) {
      return null;
    }
    String[] parts = text.substring(image.length() + 1).split("\\|", -1);
    if (parts.length < PARTS) {
      return null;
    }
    try {
      return new BuildOrigin(
          parts[0],
          parts[1],
          Long.parseLong(parts[2]),
          Double.parseDouble(parts[3]),
          Duration.parse(parts[4]));
    } catch (NumberFormatException | DateTimeParseException e) {
      return null;
    }
  }

  /** Whether both are known to come from different databases. */
  public boolean isOfAnotherSource(BuildOrigin other) {
    return !source.isEmpty() && !other.source.isEmpty() && !source.equals(other.source);
  }

  /** The settings of this origin that differ from those of a process, which come second. */
  public List<String> differences(BuildOrigin here) {
    List<String> differences = new ArrayList<>();
    add(differences, "layout", layout, here.layout);
    add(differences, "expected-insertions", insertions, here.insertions);
    add(differences, "false-positive-probability", probability, here.probability);
    add(differences, "rebuild.journal-retention", retention, here.retention);
    return differences;
  }

  private static void add(List<String> differences, String setting, Object there, Object here) {
    if (!there.equals(here)) {
      differences.add(setting + " " + there + ", here " + here);
    }
  }
}
