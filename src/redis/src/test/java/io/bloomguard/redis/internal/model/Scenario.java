package io.bloomguard.redis.internal.model;

import java.util.List;

/**
 * What may happen in one exploration.
 *
 * @param events what happens to Redis, in this order
 * @param added the keys that may be added, each once and by the node of the same number; a key that
 *     is neither added nor foreign has had its row from the beginning
 * @param foreign the keys whose row another program may insert, past every process
 * @param crashes how many processes may crash
 * @param expiries how many locks may end although their holder works on
 * @param rebuilds how many builds begin without need
 * @param stops how many processes may stand still for longer than their entry as a writer lives
 * @param newcomer whether the second node has never been in contact before
 * @param trims whether the journal is trimmed
 * @param reads whether the processes read the rows of other programs, and once more after a loss
 * @param refillFailures how many of the latter readings fail
 * @param rollbacks how often the image before may be asked for again; rows of other programs are
 *     not promised then
 * @param removals how rows go
 */
record Scenario(
    String name,
    List<Event> events,
    int added,
    int foreign,
    int crashes,
    int expiries,
    int rebuilds,
    int stops,
    boolean newcomer,
    boolean trims,
    boolean reads,
    int refillFailures,
    int rollbacks,
    Removals removals) {

  /**
   * The rows that may go, and their keys with them.
   *
   * @param positions how images hold keys
   * @param count how many rows may be deleted
   * @param reinserts how many of them may be inserted once more, by the process that did it first
   */
  record Removals(Positions positions, int count, int reinserts) {

    static final Removals NONE = new Removals(Positions.BITS, 0, 0);
  }

  Positions positions() {
    return removals.positions();
  }

  static Scenario of(String name, Event... events) {
    return new Scenario(
        name, List.of(events), 0b01, 0, 0, 0, 0, 0, false, false, false, 0, 0, Removals.NONE);
  }

  Scenario adding(int keys) {
    return new Scenario(
        name,
        events,
        keys,
        foreign,
        crashes,
        expiries,
        rebuilds,
        stops,
        newcomer,
        trims,
        reads,
        refillFailures,
        rollbacks,
        removals);
  }

  Scenario foreign(int keys) {
    return new Scenario(
        name,
        events,
        added,
        keys,
        crashes,
        expiries,
        rebuilds,
        stops,
        newcomer,
        trims,
        reads,
        refillFailures,
        rollbacks,
        removals);
  }

  Scenario crashes(int count) {
    return new Scenario(
        name,
        events,
        added,
        foreign,
        count,
        expiries,
        rebuilds,
        stops,
        newcomer,
        trims,
        reads,
        refillFailures,
        rollbacks,
        removals);
  }

  Scenario expiries(int count) {
    return new Scenario(
        name,
        events,
        added,
        foreign,
        crashes,
        count,
        rebuilds,
        stops,
        newcomer,
        trims,
        reads,
        refillFailures,
        rollbacks,
        removals);
  }

  Scenario rebuilds(int count) {
    return new Scenario(
        name,
        events,
        added,
        foreign,
        crashes,
        expiries,
        count,
        stops,
        newcomer,
        trims,
        reads,
        refillFailures,
        rollbacks,
        removals);
  }

  Scenario stops(int count) {
    return new Scenario(
        name,
        events,
        added,
        foreign,
        crashes,
        expiries,
        rebuilds,
        count,
        newcomer,
        trims,
        reads,
        refillFailures,
        rollbacks,
        removals);
  }

  Scenario withNewcomer() {
    return new Scenario(
        name,
        events,
        added,
        foreign,
        crashes,
        expiries,
        rebuilds,
        stops,
        true,
        trims,
        reads,
        refillFailures,
        rollbacks,
        removals);
  }

  Scenario trimming() {
    return new Scenario(
        name,
        events,
        added,
        foreign,
        crashes,
        expiries,
        rebuilds,
        stops,
        newcomer,
        true,
        reads,
        refillFailures,
        rollbacks,
        removals);
  }

  Scenario reading(int failures) {
    return new Scenario(
        name, events, added, foreign, crashes, expiries, rebuilds, stops, newcomer, trims, true,
        failures, rollbacks, removals);
  }

  Scenario rollbacks(int count) {
    return new Scenario(
        name,
        events,
        added,
        foreign,
        crashes,
        expiries,
        rebuilds,
        stops,
        newcomer,
        trims,
        reads,
        refillFailures,
        count,
        removals);
  }

  /** With images that count. */
  Scenario removing(Positions positions, int count, int reinserts) {
    return new Scenario(
        name,
        events,
        added,
        foreign,
        crashes,
        expiries,
        rebuilds,
        stops,
        newcomer,
        trims,
        reads,
        refillFailures,
        rollbacks,
        new Removals(positions, count, reinserts));
  }

  @Override
  public String toString() {
    return name;
  }

  /** Everything is well: one generation serves, both processes know it. */
  World start() {
    World world = new World();
    world.server = 1;
    int rows = World.ALL_KEYS & ~added & ~foreign;
    Partition redis = world.redis;
    int epoch = Epoch.of(1, 1);
    redis.present = true;
    redis.serving = 1;
    redis.last = 1;
    redis.losses = 1;
    redis.epoch = epoch;
    redis.settled = epoch;
    redis.noted = epoch;
    redis.home = 1;
    redis.beat = 1;
    Image image = redis.place(1);
    image.state = Image.READY;
    image.content = positions().of(rows);
    image.beat = 1;
    image.epoch = epoch;
    for (int i = 0; i < World.NODES; i++) {
      Node node = world.nodes[i];
      node.alive = true;
      node.guest = i != 0 && newcomer;
      if (!node.guest) {
        redis.writers |= 1 << i;
        redis.reported[i] = epoch;
        node.knows = true;
        node.connection = 1;
        node.serving = 1;
        node.epoch = epoch;
        node.losses = 1;
        node.last = 1;
        node.beat = 1;
        node.confirmed = epoch;
        node.target = epoch;
      }
    }
    world.visible = rows;
    world.held = rows;
    world.events = events.size();
    world.restores = events.stream().anyMatch(Accident::isRestore);
    world.crashes = crashes;
    world.expiries = expiries;
    world.rebuilds = rebuilds;
    world.stops = stops;
    world.rollbacks = rollbacks;
    world.refillFailures = refillFailures;
    world.removals = removals.count();
    world.reinserts = removals.reinserts();
    return world;
  }
}
