package io.bloomguard.classic.internal.window;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;

/** The keys of a window in Redis, all in one slot: its head, then an image for each generation. */
final class WindowKeys {

  private final List<byte[]> all = new ArrayList<>();

  WindowKeys(WindowFilter filter) {
    String prefix = filter.keyPrefix() + ":{" + filter.name() + ":window}:";
    all.add((prefix + "head").getBytes(UTF_8));
    for (int i = 0; i < filter.window().count(); i++) {
      all.add((prefix + "image:" + i).getBytes(UTF_8));
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
