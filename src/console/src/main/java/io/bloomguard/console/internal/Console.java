package io.bloomguard.console.internal;

import io.bloomguard.console.ConsolePanel;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The content of the console, and the address at which its page finds the rest. */
public final class Console {

  /** The path of the console. */
  public static final String PATH = "/bloomguard";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");

  private final Map<String, WatchedFilter> filters = new LinkedHashMap<>();
  private final Map<String, ConsolePanel> panels = new LinkedHashMap<>();
  private final @Nullable String endpoint;
  private final InstantSource clock;

  /**
   * @param filters in the order in which they are shown
   * @param endpoint the endpoint {@code bloomfilters}, relative to the console's page; null if HTTP
   *     does not reach it
   * @param panels the application's panels, in the order in which they are shown
   * @throws IllegalArgumentException if a panel's name is invalid or taken
   */
  public Console(
      List<WatchedFilter> filters,
      @Nullable String endpoint,
      List<ConsolePanel> panels,
      InstantSource clock) {
    filters.forEach(watched -> this.filters.put(watched.filter().name(), watched));
    this.endpoint = endpoint;
    this.clock = clock;
    panels.forEach(this::add);
  }

  private void add(ConsolePanel panel) {
    String name = panel.name();
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "The name of the console's panel '" + name + "' does not match " + NAME);
    }
    // The call for the sizes has the path that the panel's data would have.
    if (name.equals(ConsoleData.SIZING) || panels.putIfAbsent(name, panel) != null) {
      throw new IllegalArgumentException(
          "The name of the console's panel '" + name + "' is taken: rename it");
    }
  }

  /** The filter of that name, null for none. */
  @Nullable WatchedFilter find(String name) {
    return filters.get(name);
  }

  Set<String> names() {
    return filters.keySet();
  }

  @Nullable String endpoint() {
    return endpoint;
  }

  /** The panels of the application by name. */
  Map<String, ConsolePanel> panels() {
    return panels;
  }

  long now() {
    return clock.millis();
  }
}
