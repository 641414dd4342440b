package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.BitmapProperties;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.Missing;
import io.bloomguard.autoconfigure.internal.properties.SettingRules;
import io.bloomguard.autoconfigure.internal.wiring.ApplicationRedis;
import io.bloomguard.autoconfigure.internal.wiring.OwnSettings;
import io.bloomguard.classic.internal.bitmap.SharedBitmap;
import io.bloomguard.classic.internal.bitmap.SharedBitmapStore;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import java.util.List;
import java.util.Objects;

/** Bit strings of other programs, in the application's Redis or on servers of their own. */
record BitmapBackend(ApplicationRedis redis, OwnSettings settings) implements FilterBackend {

  @Override
  public String name() {
    return Backend.REDIS_BITMAP + ", backend: redis-bitmap";
  }

  @Override
  public String rules() {
    return SettingRules.table(BitmapBackend.class, "bitmap.rules");
  }

  /** Of the given bits; by default for the keys that set half of them. */
  @Override
  public FilterShape shape(String filter, FilterShape sized) {
    FilterProperties properties = settings.of(filter);
    SharedBits bits = SharedBits.of(filter, bitmap(properties));
    Long expected = properties.expectedInsertions();
    return FilterProperties.withinBounds(
        filter, () -> bits.shape(expected == null ? bits.halfFull() : expected));
  }

  @Override
  public FilterStore store(StoreOrder order) {
    BitmapProperties bitmap = bitmap(settings.of(order.filter()));
    SharedBits bits = SharedBits.of(order.filter(), bitmap);
    return new SharedBitmapStore(
        new SharedBitmap(
            order.filter(),
            order.shape(),
            bitmap.key(),
            bitmap.partitioned(),
            bits.offsets(),
            bits.choice(),
            servers(bitmap),
            bitmap.missing() == Missing.ABSENT,
            bitmap.create(),
            bitmap.allowClear(),
            order.folding()),
        RedisEnforcement.beside(order.filter(), redis.connections(), redis.keyPrefix()),
        settings.of(order.filter()).rotateAtFill());
  }

  private static BitmapProperties bitmap(FilterProperties properties) {
    return Objects.requireNonNull(properties.bitmap());
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
}
