package io.bloomguard.redis;

import io.bloomguard.redis.client.LuaScript;

/** What scripts that reach into an image begin with. */
final class ImageScripts {

  /** Functions over the filter of the RedisBloom module that an image may have beside it. */
  static final LuaScript MODULE = LuaScript.of(ImageScripts.class, "module");

  private ImageScripts() {}

  /** A script followed by functions over the positions of keys. */
  static LuaScript withPositions(LuaScript script) {
    return script.then(ImageScripts.class, "positions");
  }
}
