package io.bloomguard.redis.internal.image;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a head's content over time: an id that is drawn when the head is made, and the
 * number of swaps since.
 *
 * @param id empty for a head of a version that draws none, or that was never read
 * @param swaps the publishings and rollbacks so far
 * @param met the lineages whose processes have met this one, as {@code meet.lua} has them: each
 *     with its swaps then, and the swaps here from which on such a process believes this lineage
 */
public record Lineage(String id, long swaps, String met) {

  /** That of no head. */
  public static final Lineage NONE = new Lineage("", 0, "");

  private static final Pattern MEETING = Pattern.compile("(\\S+)/(\\d+)@(\\d+)");

  static Lineage parse(Map<String, String> fields) {
    // The generations are counted by every version, other swaps by those that draw a lineage.
    long generations = Long.parseLong(fields.getOrDefault("last", "0"));
    long others = Long.parseLong(fields.getOrDefault("swaps", "0"));
    return new Lineage(
        fields.getOrDefault("lineage", ""), generations + others, fields.getOrDefault("met", ""));
  }

  /** Whether a head of this lineage is one of {@code before} at the same time or later. */
  public boolean continues(Lineage before) {
    return before.id.isEmpty() || id.equals(before.id) && swaps >= before.swaps;
  }

  /** Whether a head was made in place of a lost one, and nothing was built or believed since. */
  public boolean isBereft() {
    return swaps == 0 && !met.isEmpty();
  }

  /**
   * The least of this lineage that a process of another one believes, because some process of that
   * has met this one; null if none has.
   */
  public @Nullable Lineage successorOf(Lineage before) {
    Matcher meeting = MEETING.matcher(met);
    while (meeting.find()) {
      if (meeting.group(1).equals(before.id)
          && Long.parseLong(meeting.group(2)) >= before.swaps
          && !id.equals(before.id)) {
        return new Lineage(id, Long.parseLong(meeting.group(3)), met);
      }
    }
    return null;
  }
}
