package io.bloomguard.actuate;

/** The names of all meters and of their tags. */
public final class BloomMetricNames {

  /** Counter: how the ways of keys ended. */
  public static final String REQUESTS = "bloomguard.requests";

  /** Counter: the verdicts on rejections that were let through. */
  public static final String VERIFIED = "bloomguard.verified";

  /** Counter: null entries stored for keys that a filter had passed. */
  public static final String FALSE_POSITIVES = "bloomguard.false.positives";

  /** Gauge: bits set over all bits, 0 to 1. */
  public static final String FILL = "bloomguard.filter.fill";

  /** Gauge: false-positive probability, 0 to 1. */
  public static final String FPP = "bloomguard.filter.fpp";

  /** Gauge: distinct keys, estimated. */
  public static final String ELEMENTS = "bloomguard.filter.elements";

  /** Gauge: distinct keys that the serving generation is made for. */
  public static final String CAPACITY = "bloomguard.filter.capacity";

  /** Gauge: bytes of the bits. */
  public static final String SIZE = "bloomguard.filter.size";

  /** Gauge: subjects that have a filter of their own, and the most that may. */
  public static final String SUBJECTS = "bloomguard.filter.subjects";

  /** Gauge: the highest fill ratio among a few of them, 0 to 1. */
  public static final String SUBJECT_FILL = "bloomguard.filter.subjects.fill";

  /** Gauge: generations of a window that hold keys, and the most that it has. */
  public static final String GENERATIONS = "bloomguard.filter.generations";

  /** Gauge: 1 for a filter that forgets by itself what was added, 0 for the others. */
  public static final String ROTATES = "bloomguard.filter.rotates";

  /** Gauge: bytes of the journals. */
  public static final String JOURNAL = "bloomguard.filter.journal";

  /** Gauge: the most bytes of each journal. */
  public static final String JOURNAL_LIMIT = "bloomguard.filter.journal.limit";

  /** Gauge: 1 for a filter that rejects what it holds, 0 for the others. */
  public static final String BLACKLIST = "bloomguard.filter.blacklist";

  /** Gauge: 1 for the state the filter is in, 0 for the others. */
  public static final String STATE = "bloomguard.filter.state";

  /** Gauge: seconds since a process' copy was last known to lack nothing, NaN for no copy. */
  public static final String REPLICA_LAG = "bloomguard.replica.lag";

  /** Timer: waits of writers for copies in all processes that may lack an add. */
  public static final String COPIES_WAIT = "bloomguard.copies.wait";

  /** Counter: leases of copies that a writer has waited for until they had run out. */
  public static final String COPIES_EXPIRED = "bloomguard.copies.expired";

  /** Gauge: copies of all processes that hold a lease, as this process saw them last. */
  public static final String COPIES = "bloomguard.copies";

  /** The age of the feed of changes. */
  public static final String CHANGES_LAG = "bloomguard.changes.lag";

  /** Changes that were applied. */
  public static final String CHANGES_APPLIED = "bloomguard.changes.applied";

  /** Failures to read or apply changes. */
  public static final String CHANGES_FAILURES = "bloomguard.changes.failures";

  /** The log that a database keeps for a feed. */
  public static final String CHANGES_RETAINED = "bloomguard.changes.retained";

  /** Gauge: keys read over all keys, 0 to 1; 0 while none runs, NaN where the total is unknown. */
  public static final String REBUILD_PROGRESS = "bloomguard.rebuild.progress";

  /** Gauge: seconds since the epoch, 0 for never. */
  public static final String REBUILD_LAST_SUCCESS = "bloomguard.rebuild.last.success.timestamp";

  /** Timer: waits for the permit to load, or for another caller's load. */
  public static final String MUTEX_WAIT = "bloomguard.mutex.wait";

  /** Timer: loads of missing values. */
  public static final String LOAD = "bloomguard.load";

  /** Timer: loads of values that were due before their end. */
  public static final String REFRESH = "bloomguard.refresh";

  /** Timer: builds that have ended. */
  public static final String REBUILD = "bloomguard.rebuild";

  /** Long task timer: builds under way. */
  public static final String REBUILD_ACTIVE = "bloomguard.rebuild.active";

  /** The filter's name; a tag of every meter. */
  public static final String TAG_FILTER = "filter";

  /** Where a key entered. */
  public static final String TAG_ENTRY = "entry";

  /** How something ended. */
  public static final String TAG_OUTCOME = "outcome";

  /** A verdict: {@code confirmed}, {@code late}, {@code spelling} or {@code wrong}. */
  public static final String TAG_RESULT = "result";

  /**
   * {@code configured} or {@code expected}; of a journal, {@code heap} or {@code redis}; of
   * subjects, {@code live} or {@code limit}.
   */
  public static final String TAG_KIND = "kind";

  /** A state of a filter. */
  public static final String TAG_STATE = "state";

  private BloomMetricNames() {}
}
