package io.bloomguard.autoconfigure.internal.properties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.bloomguard.guard.StartRefusedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/** The form of the tables of rules: bounds, conditions, texts and rows that make no sense. */
public class SettingRulesTest {

  private static final Shelf EMPTY = new Shelf("", null, null, null, 2, null);

  /**
   * Settings.
   *
   * @param name a text
   * @param age a time
   * @param room a size
   * @param share a share
   * @param rows a number with a default
   * @param box a group
   */
  public record Shelf(
      @DefaultValue("") String name,
      @Nullable Duration age,
      @Nullable DataSize room,
      @Nullable Double share,
      @DefaultValue("2") int rows,
      @Nullable Box box) {}

  /**
   * A group.
   *
   * @param size a number with a default
   */
  public record Box(@DefaultValue("3") int size) {}

  private static @Nullable StartRefusedException refusal(String table, Shelf shelf) {
    SettingRules<Shelf> rules =
        new SettingRules<>(
            table, name -> SettingRules.setting(Shelf.class, name, (Shelf of) -> of));
    return catchThrowableOfType(
        StartRefusedException.class, () -> rules.require("house.shelf", shelf));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "must be positive            | PT0S        | PT0.001S",
        "must not be negative        | PT-1S       | PT0S",
        "must be positive            | PT87624H    | PT87600H",
        "must be at least 2s         | PT1.999S    | PT2S",
        "must be at most 2s          | PT2.001S    | PT2S",
        "must be from 100ms to 2s    | PT0.099S    | PT0.1S",
        "must be from 100ms to 2s    | PT2.001S    | PT2S",
      })
  void aTimeIsWithinItsBounds(String rule, Duration refused, Duration kept) {
    String table = "age " + rule + "\n> Correct it.\n";
    assertThat(refusal(table, new Shelf("", refused, null, null, 2, null)))
        .hasMessageStartingWith("house.shelf.age is " + refused + ", but must");
    assertThat(refusal(table, new Shelf("", kept, null, null, 2, null))).isNull();
    assertThat(refusal(table, EMPTY)).as("a setting without a value").isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "must be within [0, 1] | -0.1 | 0",
        "must be within [0, 1] | 1.1  | 1",
        "must be within [0, 1] | NaN  | 0.5",
        "must be within (0, 1] | 0    | 0.1",
        "must be within 0 and 1 | 2   | 1",
        "must be 2 to 48 boxes | 49   | 48",
      })
  void aNumberIsWithinItsBounds(String rule, double refused, double kept) {
    String table = "share " + rule + "\n> Correct it.\n";
    assertThat(refusal(table, new Shelf("", null, null, refused, 2, null)))
        .extracting("description")
        .isEqualTo("house.shelf.share is " + refused + ", but " + rule);
    assertThat(refusal(table, new Shelf("", null, null, kept, 2, null))).isNull();
  }

  @Test
  void aSizeIsWithinItsBounds() {
    String table = "room must be at least 1MB\n> Correct it.\n";
    assertThat(refusal(table, new Shelf("", null, DataSize.ofBytes(9), null, 2, null))).isNotNull();
    assertThat(refusal(table, new Shelf("", null, DataSize.ofMegabytes(1), null, 2, null)))
        .isNull();
  }

  @Test
  void aSettingIsSetIfItIsNotItsDefault() {
    assertThat(refusal("rows set: why\n> Correct it.\n", EMPTY)).isNull();
    assertThat(refusal("rows set: why\n> Correct it.\n", new Shelf("", null, null, null, 3, null)))
        .extracting("description")
        .isEqualTo("house.shelf.rows is set, but why");
    assertThat(refusal("box set: why\n> .\n", new Shelf("", null, null, null, 2, new Box(3))))
        .extracting("description")
        .isEqualTo("house.shelf.box is set, but why");
    assertThat(refusal("box.size set: why\n> .\n", new Shelf("", null, null, null, 2, new Box(3))))
        .isNull();
    assertThat(refusal("name unset: why\n> .\n", EMPTY))
        .extracting("description")
        .isEqualTo("house.shelf.name is not set, but why");
  }

  @Test
  void allConditionsOfARowHold() {
    String table =
        """
        name given & rows > 2 & box unset: {rows} rows have
          no room at $.name
        > Leave $.name out.
        """;
    assertThat(refusal(table, new Shelf("a", null, null, null, 2, null))).isNull();
    assertThat(refusal(table, new Shelf("a", null, null, null, 3, new Box(1)))).isNull();
    StartRefusedException refusal =
        refusal(table, new Shelf("a{rows}$.", null, null, null, 3, null));
    assertThat(refusal)
        .extracting("description")
        .isEqualTo("house.shelf.name is 'a{rows}$.', but 3 rows have no room at house.shelf.name");
    assertThat(refusal.action()).isEqualTo("Leave house.shelf.name out.");
  }

  @Test
  void aRowOfSeveralSettingsNamesTheOneThatIsRefused() {
    String table = "name|rows set: why\n> .\n";
    assertThat(refusal(table, new Shelf("", null, null, null, 3, null)))
        .extracting("description")
        .isEqualTo("house.shelf.rows is set, but why");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "colour must be positive\n> .\n",
        "rows must be nice\n> .\n",
        "rows near 2: why\n> .\n",
        "rows set: why {colour}\n> .\n"
      })
  void aRowThatMakesNoSenseIsRefused(String table) {
    assertThatThrownBy(() -> refusal(table, EMPTY)).isInstanceOf(IllegalArgumentException.class);
  }
}
