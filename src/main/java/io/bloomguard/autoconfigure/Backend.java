package io.bloomguard.autoconfigure;

import java.util.Locale;

/** Where filters, values, null entries and leases live. */
public enum Backend {

  /** On this process' heap. */
  LOCAL,

  /** In Redis, shared by all processes that use the same one. */
  REDIS;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
