package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.autoconfigure.internal.properties.StoreKind;
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
import io.bloomguard.redis.internal.client.RedisConnections;
import java.util.Objects;

/** Windows, in the application's Redis. */
final class WindowBackend implements FilterBackend {

  private final ApplicationRedis redis;
  private final OwnSettings settings;

  WindowBackend(ApplicationRedis redis, OwnSettings settings) {
    this.redis = redis;
    this.settings = settings;
  }

  @Override
  public String name() {
    return StoreKind.WINDOW.maker();
  }

  @Override
  public FilterShape shape(String filter, FilterShape sized) {
    FilterShape generation = window(settings.of(filter)).generation(sized);
    if (!SmallImage.fits(generation)) {
      throw new InvalidBloomguardSettingException(
          "bloomguard.filters."
              + filter
              + ".window: one generation takes "
              + generation.sizeBytes()
              + " bytes, more than the 512 MiB of a Redis string",
          "Shorten .window.length and lower .expected-insertions, which are those of one"
              + " generation.");
    }
    return sized;
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
            properties.rotateAtFill()));
  }

  private static WindowProperties window(FilterProperties properties) {
    return Objects.requireNonNull(properties.window());
  }
}
