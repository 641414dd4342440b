package io.bloomguard.actuate.internal;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * The caller that requests a change.
 *
 * @param user the authenticated user, null without a login
 * @param from the address that the call came from, or the way it came
 */
public record Caller(@Nullable String user, String from) {

  /** Over JMX, whose authentication does not name its user here. */
  public static final Caller JMX = new Caller(null, "JMX");

  public static Caller of(SecurityContext security) {
    return of(security.getPrincipal());
  }

  /**
   * {@return the caller of the servlet request under way}
   *
   * @param principal the login of the call, null for none
   */
  public static Caller of(@Nullable Principal principal) {
    return new Caller(
        principal == null ? null : OneLine.of(principal.getName()), ServletCall.remoteAddress());
  }

  @Override
  public String toString() {
    return (user == null ? "anonymous" : "'" + user + "'") + " from " + from;
  }
}
