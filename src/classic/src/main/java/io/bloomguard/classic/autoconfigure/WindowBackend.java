package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.SettingRules;
import io.bloomguard.autoconfigure.internal.properties.WindowProperties;
import io.bloomguard.autoconfigure.internal.wiring.ApplicationRedis;
import io.bloomguard.autoconfigure.internal.wiring.OwnSettings;
import io.bloomguard.classic.internal.small.SmallImage;
import io.bloomguard.classic.internal.window.WindowFilter;
import io.bloomguard.classic.internal.window.WindowGenerations;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.util.Objects;

/** Windows, in the application's Redis. */
record WindowBackend(ApplicationRedis redis, OwnSettings settings) implements FilterBackend {

  @Override
  public String name() {
    return Backend.REDIS + ", window";
  }

  @Override
  public String rules() {
    return SettingRules.table(WindowBackend.class, "window.rules");
  }

  @Override
  public FilterShape shape(String filter, FilterShape sized) {
    requireRetention(filter, settings.of(filter));
    FilterShape window = ApplicationRedis.sized(sized);
    FilterShape generation = generation(filter, window);
    if (!SmallImage.fits(generation)) {
      throw new StartRefusedException(
          ("bloomguard.filters.%s.window: one generation takes %s bytes, more than the 512 MiB of"
                  + " a Redis string")
              .formatted(filter, generation.sizeBytes()),
          "Shorten .window.length and lower .expected-insertions, which are those of one"
              + " generation.");
    }
    return window;
  }

  private static void requireRetention(String filter, FilterProperties properties) {
    Duration retention = properties.rebuild().journalRetention();
    Duration least = window(properties).window().least();
    if (least.compareTo(retention) < 0) {
      throw new StartRefusedException(
          ("bloomguard.filters.%s.window remembers a key for as little as %s (length x (count -"
                  + " 1)), which is shorter than rebuild.journal-retention, %s")
              .formatted(filter, least, retention),
          "Raise .window.length or .count, or set .rebuild.journal-retention to the time for which"
              + " an added key must be remembered.");
    }
  }

  private FilterShape generation(String filter, FilterShape sized) {
    try {
      return window(settings.of(filter)).generation(sized);
    } catch (IllegalArgumentException e) {
      throw new StartRefusedException(
          "bloomguard.filters." + filter + ".window: of one generation, " + e.getMessage(),
          "Raise .false-positive-probability, which is that of the whole window.");
    }
  }

  @Override
  public FilterStore store(StoreOrder order) {
    RedisConnections to = redis.connections();
    HashSecret secret = redis.secret(order.filter());
    FilterProperties properties = settings.of(order.filter());
    WindowProperties window = window(properties);
    return new WindowGenerations(
            new WindowFilter(
                order.filter(),
                window.generation(order.shape()),
                window.window(),
                order.folding().over(order.hash().hasher(secret)),
                to,
                redis.keyPrefix(),
                order.journalRetention(),
                properties.rotateAtFill()))
        .with(settings.claims(order.filter()));
  }

  private static WindowProperties window(FilterProperties properties) {
    return Objects.requireNonNull(properties.window());
  }
}
