package io.bloomguard.redis.internal.client;

/** The operators' message for a key in Redis that is not of the type that a filter keeps there. */
public final class ForeignData {

  private ForeignData() {}

  /**
   * Returns the message.
   *
   * @param role the filter's use of the key, such as {@code the window's head}
   * @param name the end of the key's name, or a placeholder for it
   */
  public static String reason(String role, String name) {
    return "the key in Redis for "
        + role
        + " ("
        + name
        + ") holds data of another program, which is never changed or deleted, so what"
        + " depends on it is UNKNOWN and no add is taken: move that data or delete it yourself, give"
        + " the filter another name, or set another bloomguard.redis.key-prefix";
  }
}
