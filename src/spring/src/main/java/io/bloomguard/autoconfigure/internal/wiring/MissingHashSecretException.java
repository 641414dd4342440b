package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.filter.HashSecret;

/** A filter in Redis without a hash secret. The remedy has a fresh one to paste. */
final class MissingHashSecretException extends InvalidBloomguardSettingException {

  private static final long serialVersionUID = 1L;

  MissingHashSecretException(String filter) {
    super(
        "bloomguard.hash-secret is not set, but '"
            + filter
            + "' is in Redis, where keys are hashed under a secret that all processes have in common",
        "Set it in every process, and keep it like a password:\n\n    bloomguard.hash-secret="
            + HashSecret.random().toHex()
            + "\n");
  }
}
