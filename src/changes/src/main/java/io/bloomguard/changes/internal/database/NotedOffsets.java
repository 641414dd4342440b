package io.bloomguard.changes.internal.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.connect.runtime.WorkerConfig;
import org.apache.kafka.connect.storage.OffsetBackingStore;
import org.apache.kafka.connect.util.Callback;

/**
 * The position at which an engine begins, from its settings. It keeps no other: the filter does.
 */
public final class NotedOffsets implements OffsetBackingStore {

  static final String SETTING = "bloomguard.offset";

  private byte[] offset = new byte[0];

  /** Made by the engine. */
  public NotedOffsets() {}

  @Override
  public void configure(WorkerConfig config) {
    offset = config.originalsStrings().getOrDefault(SETTING, "").getBytes(UTF_8);
  }

  @Override
  public void start() {}

  @Override
  public void stop() {}

  @Override
  public Future<Map<ByteBuffer, ByteBuffer>> get(Collection<ByteBuffer> keys) {
    Map<ByteBuffer, ByteBuffer> found = new HashMap<>();
    keys.forEach(key -> found.put(key, ByteBuffer.wrap(offset)));
    return CompletableFuture.completedFuture(found);
  }

  @Override
  public Future<Void> set(Map<ByteBuffer, ByteBuffer> values, Callback<Void> callback) {
    callback.onCompletion(null, null);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public Set<Map<String, Object>> connectorPartitions(String connector) {
    return Set.of();
  }
}
