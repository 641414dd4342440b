package io.bloomguard.redis.partition;

import io.bloomguard.redis.image.ImageScripts;

import io.bloomguard.redis.client.LuaScript;

/** What every script begins with that changes a partition: it looks at the head. */
public final class PartitionScript {

  /** Ends with {@code headless} or {@code reread} where the caller knows too little. */
  public static final LuaScript PREAMBLE =
      ImageScripts.MODULE.then(PartitionScript.class, "partition");

  private PartitionScript() {}
}
