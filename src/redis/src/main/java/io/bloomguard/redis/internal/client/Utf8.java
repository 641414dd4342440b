package io.bloomguard.redis.internal.client;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The encoding of every name and text in Redis: in a narrower one, different names collide. */
public final class Utf8 {

  private Utf8() {}

  public static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  public static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
