package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.Utf8;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** One bit string on one server, and the scripts that read and write it with its type. */
final class BitString {

  /** Strings up to this length are read whole to count their bits. */
  private static final int WHOLE_BYTES = 1 << 15;

  private static final int PIECES = 64;
  private static final int PIECE_BYTES = WHOLE_BYTES / PIECES;

  private static final LuaScript READ = LuaScript.of(BitString.class, "string", "read");
  private static final LuaScript ADD = LuaScript.of(BitString.class, "string", "add");
  private static final LuaScript SAMPLE = LuaScript.of(BitString.class, "string", "sample");
  private static final LuaScript CLEAR = LuaScript.of(BitString.class, "string", "clear");

  private final String name;
  private final boolean used;
  private final List<byte[]> key;
  private final RedisLink requests;
  private final RedisLink builds;

  /**
   * @param used whether it can hold any key
   */
  BitString(RedisConnections connections, String name, boolean used) {
    byte[] bytes = Utf8.bytes(name);
    this.name = name;
    this.used = used;
    this.key = List.of(bytes);
    this.requests = connections.requests(bytes);
    this.builds = connections.builds(bytes);
  }

  String name() {
    return name;
  }

  /** Whether it can hold any key. */
  boolean isUsed() {
    return used;
  }

  /** The connection of checks and adds. */
  RedisLink requests() {
    return requests;
  }

  /** Reads the bits at some offsets. */
  LuaScript.Call read(long[] offsets) {
    return READ.start(requests, key, boxed(offsets));
  }

  /**
   * Sets the bits of some keys.
   *
   * @param create whether a missing string is created
   * @param bits the bits of one key
   */
  LuaScript.Call add(boolean create, int bits, long[] offsets) {
    return ADD.start(requests, key, boxed(offsets, create ? 1L : 0L, (long) bits));
  }

  /** Reads enough of the string to estimate its fill ratio. */
  LuaScript.Call sample() {
    double place = ThreadLocalRandom.current().nextDouble();
    return SAMPLE.start(requests, key, WHOLE_BYTES, PIECES, PIECE_BYTES, place);
  }

  /** Clears every bit of the string; creates it if it can hold keys. */
  LuaScript.Call clear() {
    builds.awaitConnected(RedisConnections.CONNECT);
    return CLEAR.start(builds, key, used ? 1 : 0);
  }

  private static Object[] boxed(long[] offsets, Long... before) {
    List<Object> all = new ArrayList<>(before.length + offsets.length);
    all.addAll(List.of(before));
    for (long offset : offsets) {
      all.add(offset);
    }
    return all.toArray();
  }
}
