package io.bloomguard.actuate;

import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The unit and the meaning of a meter, with which {@code docs/metrics.md} begins its row.
 *
 * @param unit null where the type of the meter says it
 */
record MeterTable(String name, @Nullable String unit, String text) {

  private static final Map<String, MeterTable> ROWS =
      """
      bloomguard.requests||Keys: one outcome for each key and entry point
      bloomguard.verified||Rejections of this process that were let through to the load, or reported
      bloomguard.false.positives||Null entries that this process has stored for keys that passed
      bloomguard.filter.fill|ratio|Bits set over all bits
      bloomguard.filter.fpp|ratio|False-positive probability: configured, and at the present fill
      bloomguard.filter.elements||Distinct keys in the filter, estimated from its fill
      bloomguard.filter.capacity||Distinct keys that the serving generation is made for
      bloomguard.filter.size|bytes|Size of the bits of one copy
      bloomguard.filter.subjects||For filters by subject: subjects with a filter, and their limit
      bloomguard.filter.subjects.fill|ratio|For filters by subject: the highest fill ratio of 64
      bloomguard.filter.journal|bytes|Size of the journal of the last journal-retention
      bloomguard.filter.journal.limit|bytes|The bound on each of the two, past which adds are refused
      bloomguard.filter.blacklist||1 for a blacklist, 0 for the others
      bloomguard.filter.rotates||1 for a filter that forgets added keys by itself
      bloomguard.filter.generations||For windows: generations that hold keys, and window.count
      bloomguard.filter.state||1 for the filter's state, 0 for the others
      bloomguard.rebuild.progress|ratio|Keys read over all keys while a build runs in any process
      bloomguard.rebuild.last.success.timestamp|seconds|The end of the last build that succeeded
      bloomguard.rebuild||Builds of this process that have ended, whatever their outcome
      bloomguard.rebuild.active||Builds under way in this process
      bloomguard.load||Loads of a value that neither the filter nor the value cache could answer
      bloomguard.refresh||Loads of a value that was due before its end
      bloomguard.mutex.wait||Waits for the permit to load a key
      bloomguard.replica.lag|seconds|Time since this process' copy was last known to be complete
      bloomguard.copies.wait||Waits of this process' writers for copies that may lack an add
      bloomguard.copies.expired||Copies that let such a wait pass, until their lease had run out
      bloomguard.copies||Copies in all processes that hold a lease, as this process saw them last
      bloomguard.changes.lag|seconds|Time since every committed change was known to be applied
      bloomguard.changes.applied||Changes of rows that this process has applied
      bloomguard.changes.retained|bytes|Log that the server keeps for the slot of a feed
      bloomguard.changes.failures||Failures of this process to read or apply changes
      """
          .lines()
          .map(line -> line.split("\\|"))
          .map(cells -> new MeterTable(cells[0], cells[1].isEmpty() ? null : cells[1], cells[2]))
          .collect(Collectors.toMap(MeterTable::name, Function.identity()));

  static MeterTable of(String name) {
    return Objects.requireNonNull(ROWS.get(name), name);
  }
}
