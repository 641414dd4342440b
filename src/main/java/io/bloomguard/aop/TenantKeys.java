package io.bloomguard.aop;

import java.util.Locale;

/** The check for keys that carry the tenant: a name in them contains it. */
final class TenantKeys {

  private static final String WORD = "tenant";

  private TenantKeys() {}

  /** Whether a key expression names the tenant. */
  static boolean namesTenant(String expression) {
    // A quoted part is text, not a name.
    return expression.replaceAll("'[^']*'|\"[^\"]*\"", "").toLowerCase(Locale.ROOT).contains(WORD);
  }
}
