package io.bloomguard.redis.internal.model;

import java.util.List;
import java.util.Set;

/**
 * What the protocol is explored under. Each is one loss at most, one crash at most, one rebuild or
 * two.
 */
final class Scenarios {

  static final Scenario CALM =
      Scenario.of("rebuild, crash, lock that ends early")
          .adding(0b11)
          .rebuilds(1)
          .crashes(1)
          .expiries(1);
  static final Scenario TWO_BUILDERS =
      Scenario.of("two rebuilds, lock that ends early").rebuilds(2).expiries(1);
  static final Scenario TRIMMED =
      Scenario.of("rebuild, trimmed journal").adding(0b11).rebuilds(1).trimming();
  static final Scenario FOREIGN_ROW = Scenario.of("rebuild, foreign row").foreign(0b10).rebuilds(1);
  static final Scenario FAILOVER =
      Scenario.of("failover, rebuild", Event.BACKUP, Event.FAILOVER).rebuilds(1);
  static final Scenario FAILOVER_OF_TWO_ADDS =
      Scenario.of("failover, two adds", Event.BACKUP, Event.FAILOVER).adding(0b11);
  static final Scenario FAILOVER_AND_CRASH =
      Scenario.of("failover, crash", Event.BACKUP, Event.FAILOVER).crashes(1);
  static final Scenario FAILOVER_AND_STOP =
      Scenario.of("failover, process stopped", Event.BACKUP, Event.FAILOVER).stops(1);
  static final Scenario FAILOVER_AND_FOREIGN_ROW =
      Scenario.of("failover, rebuild, foreign row", Event.BACKUP, Event.FAILOVER)
          .adding(0)
          .foreign(0b10)
          .rebuilds(1);
  static final Scenario OLD_DUMP =
      Scenario.of("restart with an old dump, crash", Event.BACKUP, Event.AGE, Event.FAILOVER)
          .crashes(1);
  static final Scenario RESTORED =
      Scenario.of("all put back, rebuild", Event.BACKUP, Event.RESTORE).rebuilds(1);
  static final Scenario KEYS_RESTORED =
      Scenario.of("all keys of a dump put back, rebuild", Event.BACKUP, Event.RESTORE_KEYS)
          .rebuilds(1);
  static final Scenario RESTORED_AND_CRASH =
      Scenario.of("all put back, crash", Event.BACKUP, Event.RESTORE).crashes(1);
  static final Scenario RESTORED_OLD =
      Scenario.of("all put back, old", Event.BACKUP, Event.AGE, Event.RESTORE);
  static final Scenario IMAGE_RESTORED =
      Scenario.of("image put back, rebuild", Event.BACKUP, Event.RESTORE_IMAGE).rebuilds(1);
  static final Scenario IMAGE_RESTORED_OLD =
      Scenario.of("image put back, old", Event.BACKUP, Event.AGE, Event.RESTORE_IMAGE);
  static final Scenario HEAD_RESTORED =
      Scenario.of("head put back, rebuild", Event.BACKUP, Event.RESTORE_HEAD).rebuilds(1);
  static final Scenario JOURNAL_RESTORED =
      Scenario.of("journal put back, rebuild", Event.BACKUP, Event.RESTORE_JOURNAL).rebuilds(1);
  static final Scenario JOURNAL_LOST =
      Scenario.of("journal lost, rebuild", Event.DROP_JOURNAL).rebuilds(1);
  static final Scenario IMAGE_LOST =
      Scenario.of("image lost, rebuild", Event.DROP_IMAGE).rebuilds(1);
  static final Scenario HEAD_LOST = Scenario.of("head lost", Event.DROP_HEAD);
  static final Scenario ALL_LOST = Scenario.of("all lost", Event.FLUSH);
  static final Scenario ALL_LOST_BEFORE_NEWCOMER =
      Scenario.of("all lost, newcomer", Event.FLUSH).withNewcomer();
  static final Scenario RESTORED_BEFORE_NEWCOMER =
      Scenario.of("all put back, newcomer", Event.BACKUP, Event.RESTORE).withNewcomer();
  static final Scenario MOVED_AND_BACK =
      Scenario.of(
          "slot moved, failover there, moved back",
          Event.MOVE,
          Event.BACKUP,
          Event.FAILOVER,
          Event.MOVE_BACK);
  static final Scenario ROLLBACK =
      Scenario.of("rebuild, rollbacks").adding(0b11).rebuilds(1).rollbacks(2);
  static final Scenario ROLLBACK_AND_CRASH =
      Scenario.of("failover, crash, rollback", Event.BACKUP, Event.FAILOVER)
          .crashes(1)
          .rollbacks(1);
  static final Scenario ROLLBACK_OF_RESTORED =
      Scenario.of("rebuild, image before put back, rollback", Event.BACKUP, Event.RESTORE_PREVIOUS)
          .rebuilds(1)
          .rollbacks(1);
  static final Scenario REFILL =
      Scenario.of("failover, foreign row read, reading again fails", Event.BACKUP, Event.FAILOVER)
          .adding(0)
          .foreign(0b10)
          .reading(2);
  static final Scenario REMOVAL =
      Scenario.of("removals, inserted again, crash").removing(Positions.COUNTERS, 3, 2).crashes(1);
  static final Scenario REMOVAL_SHARED =
      Scenario.of("removals of what passes anyway, inserted again")
          .adding(0b11)
          .removing(Positions.SHARED_COUNTERS, 3, 2);
  static final Scenario REMOVAL_IN_BUILD =
      Scenario.of("removals, rebuild, trimmed journal")
          .removing(Positions.SHARED_COUNTERS, 2, 1)
          .rebuilds(1)
          .expiries(1)
          .trimming();
  static final Scenario REMOVAL_AND_ROLLBACK =
      Scenario.of("removals, rebuild, rollbacks")
          .removing(Positions.SHARED_COUNTERS, 1, 1)
          .rebuilds(1)
          .rollbacks(2);
  static final Scenario REMOVAL_AND_FAILOVER =
      Scenario.of("removals, failover", Event.BACKUP, Event.FAILOVER)
          .removing(Positions.SHARED_COUNTERS, 1, 1);
  static final Scenario REMOVAL_AND_FAILOVER_OF_OLD_ROW =
      Scenario.of("removals of rows from before, failover", Event.BACKUP, Event.FAILOVER)
          .adding(0)
          .removing(Positions.SHARED_COUNTERS, 1, 0);
  static final Scenario REMOVAL_AND_FAILOVER_AND_CRASH =
      Scenario.of("removals, failover, crash", Event.BACKUP, Event.FAILOVER)
          .removing(Positions.SHARED_COUNTERS, 1, 0)
          .crashes(1);
  static final Scenario REMOVAL_AND_RESTORE =
      Scenario.of("removals, all put back", Event.BACKUP, Event.RESTORE)
          .removing(Positions.SHARED_COUNTERS, 1, 1);

  /** Those with more than 30,000 states, which take most of the time of all. */
  private static final Set<Scenario> LARGE =
      Set.of(
          FAILOVER,
          FAILOVER_AND_STOP,
          FAILOVER_AND_FOREIGN_ROW,
          RESTORED,
          KEYS_RESTORED,
          HEAD_RESTORED,
          ALL_LOST_BEFORE_NEWCOMER,
          MOVED_AND_BACK,
          REMOVAL_IN_BUILD,
          REMOVAL_AND_FAILOVER_AND_CRASH,
          REMOVAL_AND_RESTORE);

  private Scenarios() {}

  static List<Scenario> small() {
    return all().stream().filter(scenario -> !LARGE.contains(scenario)).toList();
  }

  static List<Scenario> all() {
    return List.of(
        CALM,
        TWO_BUILDERS,
        TRIMMED,
        FOREIGN_ROW,
        FAILOVER,
        FAILOVER_OF_TWO_ADDS,
        FAILOVER_AND_CRASH,
        FAILOVER_AND_STOP,
        FAILOVER_AND_FOREIGN_ROW,
        OLD_DUMP,
        RESTORED,
        KEYS_RESTORED,
        RESTORED_AND_CRASH,
        RESTORED_OLD,
        IMAGE_RESTORED,
        IMAGE_RESTORED_OLD,
        HEAD_RESTORED,
        JOURNAL_RESTORED,
        JOURNAL_LOST,
        IMAGE_LOST,
        HEAD_LOST,
        ALL_LOST,
        ALL_LOST_BEFORE_NEWCOMER,
        RESTORED_BEFORE_NEWCOMER,
        MOVED_AND_BACK,
        ROLLBACK,
        ROLLBACK_AND_CRASH,
        ROLLBACK_OF_RESTORED,
        REFILL,
        REMOVAL,
        REMOVAL_SHARED,
        REMOVAL_IN_BUILD,
        REMOVAL_AND_ROLLBACK,
        REMOVAL_AND_FAILOVER,
        REMOVAL_AND_FAILOVER_OF_OLD_ROW,
        REMOVAL_AND_FAILOVER_AND_CRASH,
        REMOVAL_AND_RESTORE);
  }
}
