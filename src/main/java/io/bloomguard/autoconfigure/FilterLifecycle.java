package io.bloomguard.autoconfigure;

import io.bloomguard.generation.ManagedFilter;
import io.bloomguard.generation.RebuildRefusedException;
import io.bloomguard.generation.RebuildTrigger;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.CronTrigger;

/**
 * Starts the warm-ups before the web server takes requests, and rebuilds by schedule, fill and
 * need.
 */
final class FilterLifecycle implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(FilterLifecycle.class);
  private static final Duration TICK = Duration.ofSeconds(1);

  private final ConfiguredFilters filters;
  private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
  private volatile boolean running;

  FilterLifecycle(ConfiguredFilters filters) {
    this.filters = filters;
    scheduler.setThreadNamePrefix("bloomguard-schedule-");
    scheduler.setDaemon(true);
  }

  @Override
  public void start() {
    scheduler.initialize();
    for (ConfiguredFilter filter : filters) {
      ManagedFilter managed = filter.managed();
      managed.start();
      scheduler.scheduleWithFixedDelay(() -> maintain(managed), TICK);
      String cron = filter.properties().rebuild().cron();
      if (!cron.isEmpty()) {
        scheduler.schedule(() -> rebuild(managed), new CronTrigger(cron));
      }
    }
    running = true;
  }

  private static void maintain(ManagedFilter filter) {
    try {
      filter.maintain();
    } catch (RuntimeException e) {
      log.warn("Maintenance of filter '{}' failed and is tried again", filter.name(), e);
    }
  }

  private static void rebuild(ManagedFilter filter) {
    try {
      filter.requestRebuild(RebuildTrigger.SCHEDULE);
    } catch (RebuildRefusedException e) {
      log.info("Filter '{}' is not rebuilt by schedule: {}", filter.name(), e.getMessage());
    }
  }

  @Override
  public void stop() {
    running = false;
    scheduler.shutdown();
    filters.close();
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
