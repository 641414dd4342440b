package io.bloomguard.redis.internal.image;

import io.bloomguard.redis.internal.client.LuaScript;

/**
 * The stored form of a partition: its version, the sizes of header and trailer of an image, and the
 * indexes of the header's words that are read or changed apart from the others. {@link RedisImage}
 * has the others.
 */
public final class ImageFormat {

  /**
   * The version of heads and images, in both of them. A process of another version finds a foreign
   * head.
   */
  static final int VERSION = 2;

  /** The header's first word, equal to the trailer's last. */
  public static final int SEAL = 0;

  /** The header's word that counts added keys. The words before it identify the image. */
  public static final int ADDED_KEYS = 6;

  /** The header's word that counts set bits. */
  public static final int SET_BITS = 7;

  /** The header's word with the epoch under which the content is complete. */
  static final int EPOCH = 8;

  /** The header's word that advances with every add and every heartbeat. */
  static final int BEAT = 9;

  /** Words of the header, and of the trailer. */
  public static final int FRAME_WORDS = 10;

  public static final int FRAME_BYTES = FRAME_WORDS * Long.BYTES;

  /** The beginning of scripts, which gives them the same by the same names. */
  public static final LuaScript SCRIPT = LuaScript.of(ImageFormat.class, "format");

  private ImageFormat() {}

  /** A script followed by functions over the positions of keys. */
  public static LuaScript withPositions(LuaScript script) {
    return script.then(ImageFormat.class, "positions");
  }
}
