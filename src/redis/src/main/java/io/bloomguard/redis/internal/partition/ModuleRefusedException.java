package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.StoreUnavailableException;

/** The RedisBloom module is missing, or does not make the filter that it should. */
public final class ModuleRefusedException extends StoreUnavailableException {

  /**
   * @param answer the answer of Redis
   */
  public ModuleRefusedException(String answer) {
    super(reason(answer), null);
  }

  /** Explains an answer of Redis. */
  static String reason(String answer) {
    return answer.contains("nknown")
        ? "the server has no BF.* commands: RedisBloom or valkey-bloom must be loaded, or the server"
            + " be Redis 8"
        : "the module says '" + answer + "'";
  }
}
