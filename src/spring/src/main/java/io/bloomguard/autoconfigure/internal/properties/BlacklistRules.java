package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.guard.internal.Reject;

/** The rules for the settings of a blacklist. */
final class BlacklistRules {

  private BlacklistRules() {}

  /**
   * @param prefix of the filter's settings
   * @throws InvalidBloomguardSettingException for the first that makes no sense
   */
  static void require(String prefix, FilterProperties filter) {
    if (filter.reject() == Reject.ABSENT) {
      if (filter.confirm() != null) {
        throw new InvalidBloomguardSettingException(
            prefix
                + ".confirm is set, but "
                + prefix
                + ".reject is 'absent': only a key that the filter holds is confirmed",
            "Set " + prefix + ".reject to 'present' for a blacklist, or leave confirm out.");
      }
      return;
    }
    if (filter.onUnknown() == null) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".reject is 'present', but "
              + prefix
              + ".on-unknown is not set: a blacklist has no default for the time in which it cannot"
              + " tell",
          "Set "
              + prefix
              + ".on-unknown to 'open' (requests pass, those with listed keys too) or 'closed'"
              + " (all are answered 503).");
    }
    if (filter.verify() != null) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".verify is set, but "
              + prefix
              + ".reject is 'present': the result of a load proves nothing about a blacklist",
          "Leave verify out; " + prefix + ".confirm asks an exact source before each rejection.");
    }
    if (!filter.cache().equals(FilterCacheProperties.NONE)) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".cache is set, but "
              + prefix
              + ".reject is 'present': a blacklist keeps no values and no null entries",
          "Leave cache out, and cache answers with @Cacheable.");
    }
    if (filter.confirm() != null) {
      filter.confirm().validate(prefix + ".confirm");
    }
  }
}
