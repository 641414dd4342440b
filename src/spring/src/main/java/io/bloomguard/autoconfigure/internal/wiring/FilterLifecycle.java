package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.generation.FeedBackend;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.CronTrigger;

/**
 * Starts the filters before the web server takes requests, and calls their upkeep and schedules
 * from then on.
 *
 * <p>A context may be stopped and started again. Its filters keep what they serve meanwhile, so
 * they are started only the first time: an empty generation, served again where the first was lost,
 * would deny the keys that were added to it.
 */
public final class FilterLifecycle implements SmartLifecycle, DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(FilterLifecycle.class);
  private static final int SCHEDULERS = 4;
  private static final int ALIVE = 2;
  private static final Duration TICK = Duration.ofSeconds(1);

  /** The longest time for which a way to a store is used before requests use it. */
  private static final Duration FIRST_USE = Duration.ofMillis(500);

  private static final int FIRST_USES = 10;

  /** A batch in more than one command; whether a filter has them does not matter. */
  private static final List<String> FIRST_KEYS =
      IntStream.range(0, 256).mapToObj(Integer::toString).toList();

  private final ConfiguredFilters filters;
  private final FilterWatch watch;
  private final FeedLifecycle feeds;
  private final ThreadPoolTaskScheduler scheduler = scheduler("schedule", SCHEDULERS);
  // A few brief commands a filter, and nothing else: others take a silent process for gone.
  private final ThreadPoolTaskScheduler alive = scheduler("alive", ALIVE);
  private final Set<String> rejecting = ConcurrentHashMap.newKeySet();
  private final Set<String> used = ConcurrentHashMap.newKeySet();
  private boolean started;
  private volatile boolean running;

  /**
   * @throws StartRefusedException if the application lacks what the feed of a filter reads
   */
  public FilterLifecycle(
      ConfiguredFilters filters, FilterWatch watch, EntryGuards guards, List<FeedBackend> feeds) {
    this.filters = filters;
    this.watch = watch;
    this.feeds = new FeedLifecycle(filters, guards, feeds);
  }

  private static ThreadPoolTaskScheduler scheduler(String work, int threads) {
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.setPoolSize(threads);
    scheduler.setThreadNamePrefix("bloomguard-" + work + "-");
    scheduler.setDaemon(true);
    return scheduler;
  }

  @Override
  public void start() {
    // First, so that a first build follows their begin.
    feeds.start();
    scheduler.initialize();
    alive.initialize();
    // For all, before one is built: a start that waits for builds waits for each in turn.
    for (ConfiguredFilter filter : filters.all()) {
      var unused = scheduler.scheduleWithFixedDelay(filter.managed()::prepare, TICK);
    }
    for (ConfiguredFilter filter : filters.all()) {
      ManagedFilter managed = filter.managed();
      if (!started) {
        start(filter);
      }
      var unusedSigns = alive.scheduleWithFixedDelay(managed::heartbeat, TICK);
      var unusedTicks = scheduler.scheduleWithFixedDelay(() -> tick(filter), TICK);
      String cron = filter.properties().rebuild().cron();
      if (!cron.isEmpty()) {
        var unusedRuns = scheduler.schedule(managed::rebuildOnSchedule, new CronTrigger(cron));
      }
    }
    started = true;
    running = true;
  }

  /** By now it is known who asks. */
  private void start(ConfiguredFilter filter) {
    MissingSourceException missing = filter.missing();
    if (missing == null) {
      filters.requireRecent(filter);
      start(filter.managed());
      useAhead(filter.managed());
    } else if (filters.keyTypes().isAsked(filter.name())) {
      throw missing;
    } else {
      log.warn(
          "{}. No method and no path rule asks it here, so the application starts, and every key is"
              + " UNKNOWN",
          missing.description());
    }
  }

  private static void start(ManagedFilter filter) {
    try {
      filter.start();
    } catch (IllegalStateException e) {
      String remedy =
          e.getCause() instanceof StoreUnavailableException
              ? "See that Redis is up and that spring.data.redis.* leads to it"
              : "Correct the source of bloomguard.filters." + filter.name();
      throw new StartRefusedException(
          e.getMessage() + "",
          ("%s, or set bloomguard.filters.%s.warm-up.mode to 'background' to start before it is"
                  + " built.")
              .formatted(remedy, filter.name()),
          e);
    }
  }

  private void tick(ConfiguredFilter filter) {
    // First, and at once: maintenance may wait for a store.
    watch.tick(filter.guarded());
    filter.managed().maintain();
    filter.guarded().verification().maintain();
    useAhead(filter.managed());
    sayFirstRejection(filter.guarded());
  }

  /**
   * Checks some keys as soon as a filter is ready, once: connection, commands and classes of the
   * way to another system are new then, and the first requests would find it slow, and so every key
   * UNKNOWN.
   */
  private void useAhead(ManagedFilter filter) {
    FilterStore store = filter.store();
    if (store.answersInMemory()
        || store instanceof SubjectFilters
        || store.status().state() != FilterState.READY
        || !used.add(filter.name())) {
      return;
    }
    long end = System.nanoTime() + FIRST_USE.toNanos();
    boolean answered = false;
    for (int i = 0; i < FIRST_USES && !answered && System.nanoTime() - end < 0; i++) {
      answered =
          store.check(FIRST_KEYS.get(0)) != Membership.UNKNOWN
              && !List.of(store.checkAll(FIRST_KEYS)).contains(Membership.UNKNOWN);
    }
  }

  /** Here, and not where a key is rejected, which is to cost nothing more. */
  private void sayFirstRejection(GuardedFilter filter) {
    long rejected = filter.counters().count(Outcome.REJECTED);
    if (rejected > 0 && rejecting.add(filter.name())) {
      log.info(
          "Filter '{}' has rejected its first keys in this process, {} so far (mode: {}). Its"
              + " outcomes are at the endpoint and in bloomguard.requests",
          filter.name(),
          rejected,
          filter.verification().mode().name().toLowerCase(Locale.ROOT));
    }
  }

  @Override
  public void stop() {
    running = false;
    scheduler.shutdown();
    alive.shutdown();
    filters.cancelRebuilds();
    filters.all().forEach(filter -> filter.managed().save());
    feeds.stop();
  }

  /** Also after a start that failed half way, which is never stopped. */
  @Override
  public void destroy() {
    scheduler.shutdown();
    alive.shutdown();
    feeds.stop();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Before the web server, whose phase is close to the highest. */
  @Override
  public int getPhase() {
    return 0;
  }
}
