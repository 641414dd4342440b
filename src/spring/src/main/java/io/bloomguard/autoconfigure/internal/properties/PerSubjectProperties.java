package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.filter.Layout;
import io.bloomguard.guard.internal.Reject;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * A filter of its own for each subject, such as for each user: expected-insertions are the keys of
 * one.
 *
 * @param ttl How long a subject's filter lives after its last add.
 * @param maxSubjects The most subjects that live at once; beyond it a new one is refused with 503.
 * @param maxBytes The most memory of Redis that all subjects take; beyond it a new one is refused
 *     with 503.
 * @param missing The answer for a subject without a filter: unknown, or absent, which denies the
 *     keys of a subject whose time is over.
 */
public record PerSubjectProperties(
    @DefaultValue("7d") Duration ttl,
    @DefaultValue("1000000") long maxSubjects,
    @DefaultValue("1GB") DataSize maxBytes,
    @DefaultValue("unknown") Missing missing) {

  void validate(String filter, FilterProperties settings, Backend where) {
    String prefix = filter + ".per-subject";
    if (where != Backend.REDIS) {
      throw refused(
          prefix + " is set, but the filter's backend is '" + where + "'",
          "Set " + filter + ".backend to 'redis', or leave per-subject out.");
    }
    if (settings.layout() != Layout.BLOCKED) {
      throw refused(
          prefix + " is set, but filters by subject have the layout 'blocked' only",
          "Leave out " + filter + ".layout.");
    }
    validateBounds(prefix);
    refuse(
        prefix,
        "reject: present",
        settings.reject() == Reject.PRESENT,
        "answer membership, and reject nothing themselves");
    refuse(prefix, "source", settings.source().isSet(), "hold only added keys");
    refuse(prefix, "warm-up.snapshot", settings.warmUp().snapshotFile() != null, "live in Redis");
    refuse(prefix, "replica.enabled", settings.replica().required(), "are asked in Redis");
    refuse(prefix, "rebuild.cron", !settings.rebuild().cron().isEmpty(), "are never rebuilt");
    refuse(prefix, "rebuild.at-fill", settings.rebuild().isAtFillSet(), "are never rebuilt");
    refuse(
        prefix,
        "cache",
        !settings.cache().equals(FilterCacheProperties.NONE),
        "decide only and keep no values");
  }

  private static void refuse(String prefix, String property, boolean set, String why) {
    if (set) {
      String filter = prefix.substring(0, prefix.lastIndexOf('.'));
      throw refused(
          filter + "." + property + " is set, but filters by subject " + why,
          "Leave out " + filter + "." + property + ", or " + prefix + ".");
    }
  }

  private void validateBounds(String prefix) {
    DurationRules.requirePositive(
        prefix + ".ttl", ttl, "Set it to how long a subject's keys count, such as 7d.");
    if (maxSubjects < 1) {
      throw refused(
          prefix + ".max-subjects is " + maxSubjects + ", but must be at least 1",
          "Set it to the most subjects that live at once; 1000000 is the default.");
    }
  }

  private static InvalidBloomguardSettingException refused(String what, String remedy) {
    return new InvalidBloomguardSettingException(what, remedy);
  }
}
