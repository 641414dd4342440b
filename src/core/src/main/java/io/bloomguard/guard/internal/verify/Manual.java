package io.bloomguard.guard.internal.verify;

/** The pages of the documentation as they were at this version, for log lines and messages. */
public final class Manual {

  private static final String VERSION = "0.9.0";

  private Manual() {}

  /**
   * The address of a page.
   *
   * @param name its path below {@code docs}
   */
  public static String page(String name) {
    return "https://github.com/bloomguard/bloomguard/blob/v" + VERSION + "/docs/" + name;
  }
}
