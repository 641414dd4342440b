package io.bloomguard.web;

import java.util.UUID;

/** The type to which a handler converts a path variable before it looks the key up. */
public enum KeyType {
  /** Text, as it stands in the path. */
  STRING(String.class),
  /** A {@code long}, in each spelling that the handler's conversion takes. */
  LONG(Long.class),
  /** A UUID. */
  UUID(UUID.class);

  private final Class<?> type;

  KeyType(Class<?> type) {
    this.type = type;
  }

  /** The type of the handler's argument. */
  Class<?> type() {
    return type;
  }
}
