package io.bloomguard.guard.internal.decision;

import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.internal.Doubt;

/**
 * The doubt about all keys but those of ASCII: the source's column holds letters equal that the
 * filter distinguishes, so a key with any other letter may find a row under a key of ASCII letters.
 *
 * <p>A row of ASCII letters is written under these, so nothing is kept under a key with others. An
 * absence costs one look at each character of its key, that of a number nothing.
 */
public enum AsciiTrust implements Doubt {
  /** The only one. */
  TRUSTED;

  @Override
  public boolean isAbout(Object key) {
    return key instanceof String text && !CanonicalKey.isAscii(text);
  }

  @Override
  public String reason() {
    return "The key has letters beyond ASCII, which trust-collation does not cover";
  }

  @Override
  public boolean keepsEntries(String key) {
    return CanonicalKey.isAscii(key);
  }
}
