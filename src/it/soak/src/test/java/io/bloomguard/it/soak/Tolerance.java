package io.bloomguard.it.soak;

import java.util.ArrayList;
import java.util.List;

/** How much more there may be at the end than at the beginning. */
final class Tolerance {

  private Tolerance() {}

  /** The most of a measure, or the least where it is of what is free. */
  static String bound(String what, long begin) {
    return isOfWhatIsFree(what) ? ">= " + begin : "<= " + (begin + growth(what));
  }

  /** What is not back where it began, with what it grew by. */
  static List<String> exceeded(Measures begin, Measures end) {
    List<String> exceeded = new ArrayList<>();
    begin
        .values()
        .forEach(
            (what, before) -> {
              long after = end.values().get(what);
              if (isOfWhatIsFree(what) ? after < before : after > before + growth(what)) {
                exceeded.add(
                    what + ": " + before + " -> " + after + "; " + end.growth(begin, what));
              }
            });
    return exceeded;
  }

  private static boolean isOfWhatIsFree(String what) {
    return what.endsWith(" places for loads") || what.endsWith(" batches at once");
  }

  private static long growth(String what) {
    if (what.endsWith(" threads")) {
      // Idle threads of the common pool, and of pools that make theirs on demand.
      return 4;
    }
    if (what.endsWith(" heap MB")) {
      // Buffers that the container keeps for connections, and the counts of answers by status.
      return 12;
    }
    if (what.endsWith(" files")) {
      // Connections that callers have not closed yet, and jar files that are read late.
      return 10;
    }
    // Of keys in Redis.
    return 0;
  }
}
