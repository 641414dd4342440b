package io.bloomguard.generation.internal.feed;

import io.bloomguard.generation.Change;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.generation.internal.FeedRecord.OwnWrite;
import io.bloomguard.guard.internal.Doubt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process knows of a filter's feed of changes: how far it has been applied, and whether
 * the filter may lack rows of other programs for that reason.
 *
 * <p>A feed that is not known to be complete up to {@link FeedSettings#maxLag} ago puts the filter
 * in doubt, and so does one that began without a position until a later build has been published.
 * The process that reads tells the others by the {@link FeedRecord}; each ages that by its own
 * clocks.
 */
public final class FilterFeed implements Doubt {

  /** The longest time for which a build waits until the feed has begun. */
  static final Duration WAIT_FOR_BEGIN = Duration.ofSeconds(10);

  /** The most keys of a write that is noted: changes of a larger one are taken in. */
  private static final int MOST_OWN_KEYS = 1_000;

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final Logger log = LoggerFactory.getLogger(FilterFeed.class);

  private final FeedSettings settings;
  private final FeedRecord record;
  private final boolean shared;
  private final LongSupplier monotonic;
  private final LongSupplier wall;

  /** What was read last, with the clocks from before it was read. */
  private final AtomicReference<Known> newest;

  private final AtomicReference<Served> served = new AtomicReference<>(new Served(0, 0));

  /** The last begin that a build of this process has followed. */
  private volatile long built;

  /** The last begin that this process has seen, and when it did first. */
  private final AtomicReference<Begin> begin = new AtomicReference<>(new Begin(0, 0));

  /** Whether a table was truncated after the begin of the last build. */
  private final AtomicBoolean truncated = new AtomicBoolean();

  private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
  private final AtomicLongArray applied = new AtomicLongArray(Change.Kind.values().length);
  private final AtomicLong failures = new AtomicLong();
  private volatile double retained = Double.NaN;

  /**
   * A feed of which nothing is known yet.
   *
   * @param record the record of the feed
   * @param shared whether other processes have the same record
   */
  public FilterFeed(FeedSettings settings, FeedRecord record, boolean shared) {
    this(settings, record, shared, System::nanoTime, System::currentTimeMillis);
  }

  /**
   * @param monotonic nanoseconds that only grow; a suspended machine may stop them
   * @param wall milliseconds since 1970, which may be put forward or back
   */
  FilterFeed(
      FeedSettings settings,
      FeedRecord record,
      boolean shared,
      LongSupplier monotonic,
      LongSupplier wall) {
    this.settings = settings;
    this.record = record;
    this.shared = shared;
    this.monotonic = monotonic;
    this.wall = wall;
    this.newest =
        new AtomicReference<>(
            new Known(FeedRecord.Entry.NONE, monotonic.getAsLong(), wall.getAsLong()));
  }

  FeedSettings settings() {
    return settings;
  }

  FeedRecord record() {
    return record;
  }

  /** {@return whether one process reads for all that share the filter} */
  public boolean isShared() {
    return shared;
  }

  /** {@return whether keys that the filter lacks may have rows} Sends no request. */
  public boolean isInDoubt() {
    return settings.doubts() && isBehind();
  }

  @Override
  public Doubt seen() {
    return newest.get();
  }

  @Override
  public boolean isAbout(Object key) {
    return isInDoubt();
  }

  @Override
  public String reason() {
    String doubt = doubt();
    return doubt == null ? "The feed of changes was behind a moment ago" : doubt;
  }

  private boolean isBehind() {
    return newest.get().isBehind();
  }

  /**
   * {@return the age of the feed in seconds: the time since the moment until which every change is
   * known to have been applied} NaN while there is none.
   */
  public double ageSeconds() {
    Known now = newest.get();
    return now.entry.age() == null ? Double.NaN : now.ageNanos() / 1e9;
  }

  /** {@return the position up to which every change has been applied; null if there is none} */
  public @Nullable String position() {
    return newest.get().entry.position();
  }

  /** {@return the reason for which the filter may lack rows; null for none} */
  public @Nullable String doubt() {
    if (!isBehind()) {
      return null;
    }
    Known now = newest.get();
    Failure last = failure.get();
    String cause = last == null ? "" : ": " + last.why;
    if (now.entry.begun() == 0) {
      return "The feed of changes has not begun" + cause;
    }
    if (!now.entry.isCovered()) {
      return "The feed of changes began without a position, so changes from before may be missing"
          + " until a build that began later is published"
          + cause;
    }
    double age = ageSeconds();
    return "The feed of changes is behind by "
        + (Double.isNaN(age) ? "an unknown time" : Math.round(age) + " s")
        + ", more than source.changes.max-lag ("
        + settings.maxLag()
        + ")"
        + cause;
  }

  /**
   * {@return whether every change that was committed before a moment has been applied}
   *
   * @param moment by {@code System.nanoTime()}
   */
  public boolean isCompleteSince(long moment) {
    Known now = newest.get();
    Duration age = now.entry.age();
    return age != null && now.entry.isCovered() && now.nanos - age.toNanos() - moment > 0;
  }

  /**
   * {@return whether the feed is known to have begun before a moment} Its changes since then are
   * adds of the filter.
   *
   * @param moment by the clock of this machine
   */
  public boolean hasBegunBefore(Instant moment) {
    Begin last = begin.get();
    return last.number > 0 && moment.isAfter(Instant.ofEpochMilli(last.millis));
  }

  /** {@return whether a new generation is needed for what the feed cannot tell} */
  public boolean isBuildDue() {
    FeedRecord.Entry entry = newest.get().entry;
    return truncated.get() || entry.begun() > 0 && !entry.isCovered();
  }

  /** Reads the record, and writes what it lacks. Called every second; never throws. */
  public void refresh() {
    try {
      FeedRecord.Entry entry = look();
      if (entry.begun() == built && entry.built() < built) {
        record.built(built);
        look();
      }
      Failure last = failure.get();
      if (last != null && isCompleteSince(last.at)) {
        failed(null);
      }
    } catch (StoreUnavailableException e) {
      log.debug("Filter '{}': the age of its feed could not be read", settings.filter(), e);
    }
  }

  /**
   * Notes which generation serves. Called every second, in every process.
   *
   * @param stamp that of the generation, 0 for none
   * @return the first moment at which this process knew that it serves
   */
  public long serves(long stamp) {
    long now = now();
    return served.updateAndGet(last -> last.stamp == stamp ? last : new Served(stamp, now)).since;
  }

  /** The present moment, by the clock that only grows. */
  long now() {
    return monotonic.getAsLong();
  }

  /** Reads the record. */
  FeedRecord.Entry look() {
    long nanos = now();
    long millis = wall.getAsLong();
    FeedRecord.Entry entry = record.read();
    saw(entry, nanos, millis);
    return entry;
  }

  /**
   * Changes the record.
   *
   * @param change answers with the entry after it, or null if another process reads by now
   * @return whether this process still reads
   */
  boolean change(Supplier<FeedRecord.@Nullable Entry> change) {
    long nanos = now();
    long millis = wall.getAsLong();
    FeedRecord.Entry entry = change.get();
    if (entry == null) {
      return false;
    }
    saw(entry, nanos, millis);
    return true;
  }

  /** The clocks were read before the record, so that the age is never too low. */
  private void saw(FeedRecord.Entry entry, long nanos, long millis) {
    Known read = new Known(entry, nanos, millis);
    long after = wall.getAsLong();
    begin.updateAndGet(
        last -> last.number == entry.begun() ? last : new Begin(entry.begun(), after));
    // Another thread may have read later, and sooner been answered.
    newest.accumulateAndGet(read, (one, other) -> one.nanos - other.nanos > 0 ? one : other);
  }

  /**
   * Notes the feed's position before a build reads the source: every later change reaches the
   * generation that is built, as an add during the build. Waits for a feed that has not begun.
   *
   * @return the number of the feed's begin, 0 if it has not begun in time
   * @throws InterruptedException if the build was cancelled
   * @throws StoreUnavailableException if the record is out of reach
   */
  public long noteBegin() throws InterruptedException {
    truncated.set(false);
    long deadline = System.nanoTime() + WAIT_FOR_BEGIN.toNanos();
    FeedRecord.Entry entry = look();
    while (entry.begun() == 0 && System.nanoTime() - deadline < 0) {
      TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
      entry = look();
    }
    return entry.begun();
  }

  /**
   * Notes that a build was published.
   *
   * @param begun the begin of the feed before the build read the source, 0 for none
   */
  public void built(long begun) {
    built = begun;
    refresh();
  }

  /**
   * {@return the changes of a kind that this process has applied}
   *
   * @param kind the kind
   */
  public long applied(Change.Kind kind) {
    return applied.get(kind.ordinal());
  }

  /** {@return how often this process could not read or apply changes} */
  public long failures() {
    return failures.get();
  }

  /**
   * Notes that a transaction of this application has committed, and has taken effect on keys.
   *
   * @param transaction its id, as changes name it
   * @param added keys that have entered the filter, canonical and folded
   * @param changed other keys, whose entries alone were dropped
   */
  public void wrote(String transaction, List<String> added, List<String> changed) {
    if (added.size() + changed.size() <= MOST_OWN_KEYS) {
      record.noteOwn(
          Stream.concat(
                  added.stream().map(key -> new OwnWrite(transaction, key, true)),
                  changed.stream().map(key -> new OwnWrite(transaction, key, false)))
              .collect(Collectors.toSet()));
    }
  }

  void applied(List<Change> changes) {
    changes.forEach(change -> applied.incrementAndGet(change.kind().ordinal()));
  }

  /** {@return the bytes of log that a database keeps for this feed} NaN if that is not known. */
  public double retainedBytes() {
    return retained;
  }

  void retains(long bytes) {
    retained = bytes;
  }

  void truncated() {
    truncated.set(true);
  }

  /**
   * @param why null once changes arrive
   */
  void failed(@Nullable String why) {
    Failure before = failure.getAndSet(why == null ? null : new Failure(why, now()));
    if (why != null) {
      failures.incrementAndGet();
    }
    if (why != null && (before == null || !isLike(why, before.why))) {
      log.warn("Filter '{}': changes do not arrive: {}", settings.filter(), why);
    } else if (why == null && before != null) {
      log.info("Filter '{}': changes arrive again", settings.filter());
    }
  }

  /** Reasons may differ in a number, such as that of a connection or the time of a wait. */
  private static boolean isLike(String why, String other) {
    return NUMBER.matcher(why).replaceAll("").equals(NUMBER.matcher(other).replaceAll(""));
  }

  /** A begin of the feed, and the time at which this process had seen it. */
  private record Begin(long number, long millis) {}

  /** Why changes did not arrive at a moment. */
  private record Failure(String why, long at) {}

  /** A generation, and the first moment at which it was known to serve. */
  private record Served(long stamp, long since) {}

  /** What was read at one moment, which ages by the clocks of this process. */
  private final class Known implements Doubt {

    private final FeedRecord.Entry entry;
    private final long nanos;
    private final long millis;

    Known(FeedRecord.Entry entry, long nanos, long millis) {
      this.entry = entry;
      this.nanos = nanos;
      this.millis = millis;
    }

    boolean isBehind() {
      return !entry.isCovered() || ageNanos() > settings.maxLag().toNanos();
    }

    /** By the clock that has gone further: one of them may have stopped, or been put back. */
    long ageNanos() {
      Duration age = entry.age();
      if (age == null) {
        return Long.MAX_VALUE;
      }
      long since =
          Math.max(now() - nanos, TimeUnit.MILLISECONDS.toNanos(wall.getAsLong() - millis));
      return age.toNanos() + since;
    }

    @Override
    public boolean isAbout(Object key) {
      return settings.doubts() && isBehind();
    }

    @Override
    public String reason() {
      return FilterFeed.this.reason();
    }
  }
}
