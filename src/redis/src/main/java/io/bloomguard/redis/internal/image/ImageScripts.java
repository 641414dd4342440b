package io.bloomguard.redis.internal.image;

import io.bloomguard.redis.internal.client.LuaScript;

/** The beginnings of scripts that read or change the bits of an image. */
public final class ImageScripts {

  /** Functions over the filter of the RedisBloom module that an image may have beside it. */
  public static final LuaScript MODULE = ImageFormat.SCRIPT.then(ImageScripts.class, "module");

  private ImageScripts() {}

  /** A script followed by functions over the positions of keys. */
  public static LuaScript withPositions(LuaScript script) {
    return script.then(ImageScripts.class, "positions");
  }
}
