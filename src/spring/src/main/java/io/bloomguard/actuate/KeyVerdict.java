package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.UnknownPolicy;

/** The guard's verdict on its filter's answer, in a sentence for an operator. */
final class KeyVerdict {

  private KeyVerdict() {}

  static String of(OperatedFilter operated, Membership membership) {
    if (membership == Membership.UNKNOWN) {
      return unknown(operated);
    }
    boolean blacklist = operated.guarded().rejection().reject() == Reject.PRESENT;
    boolean held = membership == Membership.POSSIBLY_PRESENT;
    if (held != blacklist) {
      return blacklist ? "the blacklist does not hold it, so it passes" : "the filter lets it pass";
    }
    if (!operated.guarded().verification().enforces()) {
      return "the filter would reject it, but rejects nothing now";
    }
    return operated.guarded().rejection().confirm() == null
        ? "the filter rejects it"
        : "it is rejected if the exact source of confirm lists it";
  }

  private static String unknown(OperatedFilter operated) {
    return operated.guarded().onUnknown() == UnknownPolicy.CLOSED
            && operated.guarded().verification().enforces()
        ? "the filter cannot tell, so it is answered 503"
        : "the filter cannot tell, so it passes unchecked";
  }
}
