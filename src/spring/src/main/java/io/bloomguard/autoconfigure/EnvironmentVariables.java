package io.bloomguard.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.SettingNames;
import io.bloomguard.guard.StartRefusedException;
import java.util.Collection;
import java.util.Locale;
import java.util.TreeSet;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds environment variables that look like a property of a filter and are none. An underscore
 * separates names there, so {@code …_ORDER_ITEMS_EXPECTEDINSERTIONS} does not reach the filter
 * {@code order-items}, and Boot reports no unknown property in the environment.
 */
final class EnvironmentVariables {

  private static final String PREFIX = "BLOOMGUARD_FILTERS_";

  private EnvironmentVariables() {}

  /**
   * @param filters the names of the filters that were bound
   * @throws StartRefusedException for the first such variable
   */
  static void requireMeant(ConfigurableEnvironment environment, Collection<String> filters) {
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof SystemEnvironmentPropertySource variables) {
        for (String variable : variables.getPropertyNames()) {
          requireMeant(variable, filters);
        }
      }
    }
  }

  private static void requireMeant(String variable, Collection<String> filters) {
    String name = variable.toUpperCase(Locale.ROOT);
    if (name.startsWith(PREFIX) && filters.stream().noneMatch(filter -> isOf(filter, name))) {
      throw new StartRefusedException(
          "The environment variable " + variable + " names no property of a filter",
          ("Write names without their dashes: bloomguard.filters.order-items.expected-insertions"
                  + " is BLOOMGUARD_FILTERS_ORDERITEMS_EXPECTEDINSERTIONS; the filters are %s.")
              .formatted(new TreeSet<>(filters)));
    }
  }

  /**
   * Boot takes names with all dashes left out or, as it once did, with all turned into underscores.
   */
  private static boolean isOf(String filter, String variable) {
    return SettingNames.of(FilterProperties.class).keySet().stream()
        .map(name -> filter + "." + name)
        .map(property -> property.replace('.', '_').toUpperCase(Locale.ROOT))
        .anyMatch(
            property ->
                variable.startsWith(PREFIX + property.replace("-", ""))
                    || variable.startsWith(PREFIX + property.replace("-", "_")));
  }
}
