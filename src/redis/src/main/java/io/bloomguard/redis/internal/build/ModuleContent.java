package io.bloomguard.redis.internal.build;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.redis.internal.client.LuaScript;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Keys that are sent to filters of the RedisBloom module while the source is read: only the module
 * knows their bits.
 */
final class ModuleContent implements BuildContent {

  /** The most hashes in one command, so that none blocks Redis for long. */
  private static final int CHUNK = 1000;

  /** The most commands under way; the reading of the source waits for the oldest. */
  private static final int WINDOW = 3;

  private final KeyHasher hasher;
  private final ImageLoad[] loads;
  private final List<List<Long>> gathered = new ArrayList<>();
  private final Deque<Sent> sent = new ArrayDeque<>();

  ModuleContent(KeyHasher hasher, ImageLoad[] loads) {
    this.hasher = hasher;
    this.loads = loads;
    for (int i = 0; i < loads.length; i++) {
      gathered.add(new ArrayList<>(CHUNK));
    }
  }

  @Override
  public void addAll(String[] keys, int count) {
    for (int i = 0; i < count; i++) {
      take(hasher.hash(keys[i]));
    }
  }

  @Override
  public void addAll(long[] keys, int count) {
    for (int i = 0; i < count; i++) {
      take(hasher.hash(keys[i]));
    }
  }

  private void take(long hash) {
    take(loads.length == 1 ? 0 : BlockGeometry.partition(hash, loads.length), hash);
  }

  private void take(int partition, long hash) {
    gathered.get(partition).add(hash);
    if (gathered.get(partition).size() == CHUNK) {
      send(partition);
    }
  }

  private void send(int partition) {
    if (sent.size() == WINDOW) {
      sent.remove().finish();
    }
    List<Long> hashes = gathered.get(partition);
    sent.add(new Sent(loads[partition], loads[partition].add(hashes)));
    hashes.clear();
  }

  @Override
  public void finish() {
    for (int i = 0; i < loads.length; i++) {
      if (!gathered.get(i).isEmpty()) {
        send(i);
      }
    }
    while (!sent.isEmpty()) {
      sent.remove().finish();
    }
  }

  /** No command undoes another: the image keeps the adds sent to it meanwhile. */
  @Override
  public void load(int partition) {
    loads[partition].forEachJournalled(hashes -> hashes.forEach(hash -> take(partition, hash)));
    finish();
  }

  @Override
  public void close() {}

  private record Sent(ImageLoad load, LuaScript.Call call) {

    void finish() {
      load.finish(call);
    }
  }
}
