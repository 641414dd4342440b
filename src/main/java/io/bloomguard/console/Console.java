package io.bloomguard.console;

import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the console shows and where its page finds the rest. */
public final class Console {

  /** Where the console is served. */
  public static final String PATH = "/bloomguard";

  private final Map<String, WatchedFilter> filters = new LinkedHashMap<>();
  private final @Nullable String endpoint;
  private final @Nullable DemoAttack attack;
  private final InstantSource clock;

  /**
   * @param filters in the order in which they are shown
   * @param endpoint the endpoint {@code bloomfilters}, relative to the console's page, null where
   *     HTTP does not reach it
   * @param attack what the demo panel starts, null for no such panel
   */
  public Console(
      List<WatchedFilter> filters,
      @Nullable String endpoint,
      @Nullable DemoAttack attack,
      InstantSource clock) {
    filters.forEach(watched -> this.filters.put(watched.filter().name(), watched));
    this.endpoint = endpoint;
    this.attack = attack;
    this.clock = clock;
  }

  /** The filter of that name, null where none is. */
  @Nullable WatchedFilter find(String name) {
    return filters.get(name);
  }

  Set<String> names() {
    return filters.keySet();
  }

  @Nullable String endpoint() {
    return endpoint;
  }

  @Nullable DemoAttack attack() {
    return attack;
  }

  long now() {
    return clock.millis();
  }
}
