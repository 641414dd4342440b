package io.bloomguard.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds environment variables that make a filter that nobody meant. An underscore separates names
 * there, so the variable of {@code order-items} is {@code …_ORDERITEMS_…}; {@code …_ORDER_ITEMS_…}
 * would make a filter {@code order} with default settings, and Boot reports no unknown property in
 * the environment.
 */
final class EnvironmentVariables {

  private static final String PREFIX = "BLOOMGUARD_FILTERS_";

  private static final List<String> PROPERTIES =
      Arrays.stream(FilterProperties.class.getRecordComponents())
          .map(RecordComponent::getName)
          .map(name -> name.toUpperCase(Locale.ROOT))
          .toList();

  private EnvironmentVariables() {}

  /**
   * @param filters the names of the filters that were bound
   * @throws InvalidBloomguardSettingException for the first such variable
   */
  static void requireMeant(ConfigurableEnvironment environment, Collection<String> filters) {
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof SystemEnvironmentPropertySource variables) {
        for (String variable : variables.getPropertyNames()) {
          String name = variable.toUpperCase(Locale.ROOT);
          if (name.startsWith(PREFIX)) {
            requireMeant(variable, name.substring(PREFIX.length()), filters);
          }
        }
      }
    }
  }

  private static void requireMeant(String variable, String rest, Collection<String> filters) {
    int end = rest.indexOf('_');
    String filter = end < 0 ? rest : rest.substring(0, end);
    String property = end < 0 ? "" : rest.substring(end).replace("_", "");
    boolean made = filters.contains(filter.toLowerCase(Locale.ROOT));
    if (made && PROPERTIES.stream().noneMatch(property::startsWith)) {
      throw new InvalidBloomguardSettingException(
          "The environment variable "
              + variable
              + " names no property of a filter '"
              + filter.toLowerCase(Locale.ROOT)
              + "', which it makes",
          "Write names without their dashes: the variable for bloomguard.filters.order-items"
              + ".expected-insertions is BLOOMGUARD_FILTERS_ORDERITEMS_EXPECTEDINSERTIONS.");
    }
  }
}
