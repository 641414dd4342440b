package io.bloomguard.autoconfigure.wiring;

import io.bloomguard.autoconfigure.properties.Backend;
import io.bloomguard.autoconfigure.properties.BitmapProperties;
import io.bloomguard.autoconfigure.properties.Missing;
import io.bloomguard.classic.bitmap.SharedBitmap;
import io.bloomguard.classic.bitmap.SharedBitmapStore;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.cache.CachePlan;
import io.bloomguard.redis.client.RedisConnections;
import io.bloomguard.redis.client.RedisEnforcement;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Bit strings of other programs, in the application's Redis or on servers of their own. */
final class RedisBitmapBackend implements FilterBackend {

  private final RedisBackend redis;
  private final String keyPrefix;

  /**
   * @param keyPrefix what every key of ours begins with
   */
  RedisBitmapBackend(RedisBackend redis, String keyPrefix) {
    this.redis = redis;
    this.keyPrefix = keyPrefix;
  }

  @Override
  public Backend backend() {
    return Backend.REDIS_BITMAP;
  }

  @Override
  public FilterStore store(StoreOrder order) {
    BitmapProperties bitmap = Objects.requireNonNull(order.properties().bitmap());
    return new SharedBitmapStore(
        new SharedBitmap(
            order.filter(),
            bitmap.shape(order.properties().expectedInsertionsIn(Backend.REDIS_BITMAP)),
            bitmap.key(),
            bitmap.partitioned(),
            bitmap.offsets(),
            bitmap.choice(),
            servers(bitmap),
            bitmap.missing() == Missing.ABSENT,
            bitmap.create(),
            bitmap.allowClear(),
            order.folding()),
        RedisEnforcement.beside(order.filter(), redis.connections(), keyPrefix),
        order.properties().rotateAtFill());
  }

  private List<RedisConnections> servers(BitmapProperties bitmap) {
    RedisConnections application = redis.connections();
    List<RedisConnections> named =
        bitmap.serverList().stream()
            .map(server -> application.to(server.host(), server.port()))
            .toList();
    named.forEach(RedisConnections::tryToConnect);
    return named.isEmpty() ? List.of(application) : named;
  }

  @Override
  public ValueCache cache(String name, CachePlan plan, @Nullable ValueCodec codec) {
    return redis.cache(name, plan, codec);
  }
}
