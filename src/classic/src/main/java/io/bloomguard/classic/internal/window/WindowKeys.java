package io.bloomguard.classic.internal.window;

import io.bloomguard.redis.internal.client.Utf8;
import java.util.ArrayList;
import java.util.List;

/** The keys of a window in Redis, all in one slot: its head, then an image for each generation. */
final class WindowKeys {

  private final List<byte[]> all = new ArrayList<>();

  WindowKeys(WindowFilter filter) {
    String prefix = filter.keyPrefix() + ":{" + filter.name() + ":window}:";
    all.add(Utf8.bytes(prefix + "head"));
    for (int i = 0; i < filter.window().count(); i++) {
      all.add(Utf8.bytes(prefix + "image:" + i));
    }
  }

  byte[] head() {
    return all.get(0);
  }

  /** All keys, in the order of the scripts' arguments. */
  List<byte[]> all() {
    return all;
  }
}
