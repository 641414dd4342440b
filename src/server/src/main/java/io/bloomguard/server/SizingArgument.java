package io.bloomguard.server;

import io.bloomguard.filter.Sizing;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A number as it was asked for, in a request or on the command line.
 *
 * @param name under which the caller knows it
 * @param value null if it was left out
 */
record SizingArgument(String name, @Nullable String value) {

  /**
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  long wholeNumber() {
    return parsed("an integral number of at least 1", Sizing::wholeNumber);
  }

  /**
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  double probability() {
    return parsed("a number greater than 0 and less than 1", Double::parseDouble);
  }

  private <T> T parsed(String rule, Function<String, T> parse) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing, but must be " + rule);
    }
    try {
      return parse.apply(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is '" + value + "', but must be " + rule, e);
    }
  }
}
