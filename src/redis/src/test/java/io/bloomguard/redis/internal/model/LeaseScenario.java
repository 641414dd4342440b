package io.bloomguard.redis.internal.model;

import java.util.List;
import java.util.function.Consumer;

/** What leased copies are explored under. */
enum LeaseScenario {
  ONE_ADD(of(Task.ADD_0)),
  TWO_ADDS(of(Task.ADD_0, Task.ADD_1)),
  /** One process adds a key twice: the second time writes no entry. */
  SAME_KEY(of(Task.ADD_0, Task.ADD_0)),
  /** Messages tell of entries. */
  NEWS(of(Task.ADD_0, Task.ADD_1), w -> w.messages = 2),
  /** The second add's message is lost. */
  NEWS_LOST(of(Task.ADD_0, Task.ADD_1), w -> w.messages = 1),
  NEWS_AND_SWAP(
      of(Task.ADD_0, Task.SWAP, Task.ADD_1).leases(1),
      w -> {
        imagesDiffer(w);
        w.messages = 1;
      }),
  NEWS_AND_FAILOVER(
      of(Task.ADD_0, Task.ADD_1).leases(1).events(Event.FAILOVER), w -> w.messages = 1),
  NEWS_AND_MOVED_SCHEME(of(Task.ADD_0, Task.MOVE, Task.ADD_1).leases(1), w -> w.messages = 1),
  /** A page has one entry. */
  SMALL_PAGES(of(Task.ADD_0, Task.ADD_1).page(1)),
  /** A poll was given up, and Redis gets it all the same, after later ones. */
  STRAY_POLL(of(Task.ADD_0, Task.ADD_1, Task.ADD_2).page(1).leases(1), w -> w.timeouts = 1),
  TWO_COPIES(of(Task.ADD_0).leases(2, 2)),
  TWO_LENGTHS(of(Task.ADD_0).leases(1, 2)),
  /** The writing process has the copy too. */
  OWN_COPY(of(Task.ADD_0, Task.ADD_1).inWriter()),
  UNEQUAL_CLOCKS(
      of(Task.ADD_0).margin(1),
      w -> {
        w.slow = 1;
        w.fast = 1;
      }),
  /** A machine is suspended, which stops its monotonic clocks. */
  SUSPENDED(of(Task.ADD_0), w -> w.suspensions = 1),
  WALL_CLOCK_SET_BACK(of(Task.ADD_0), w -> w.setBacks = 1),
  /** Both at once: the one hides the other, and nothing in the process tells. */
  SUSPENDED_AND_SET_BACK(
      of(Task.ADD_0),
      w -> {
        w.suspensions = 1;
        w.setBacks = 1;
      }),
  /** The generation that serves next has a key that the one before lacks, and the reverse. */
  SWAP(of(Task.SWAP, Task.ADD_0), LeaseScenario::imagesDiffer),
  /** The swapping process has the copy too, which it does not change as it does for its adds. */
  SWAP_OF_OWN_COPY(of(Task.SWAP, Task.ADD_0).inWriter(), LeaseScenario::imagesDiffer),
  ROLLBACK(of(Task.SWAP, Task.SWAP, Task.ADD_0).leases(1), LeaseScenario::imagesDiffer),
  TRIMMED(of(Task.ADD_0, Task.ADD_1), w -> w.trims = 1),
  MOVED_SCHEME(of(Task.MOVE, Task.ADD_0)),
  /** Two processes move a scheme, which is open again for a while. */
  MOVED_BY_TWO(of(Task.MOVE, Task.MOVE, Task.ADD_0).leases(1).events(Event.REOPENED)),
  FAILOVER(of(Task.ADD_0).leases(3).events(Event.FAILOVER)),
  FAILOVER_AND_UNEQUAL_CLOCKS(
      of(Task.ADD_0).margin(1).events(Event.FAILOVER),
      w -> {
        w.slow = 1;
        w.fast = 1;
      }),
  FAILOVER_OF_OWN_COPY(of(Task.ADD_0).inWriter().events(Event.BACKUP, Event.FAILOVER)),
  FAILOVER_OF_REGISTER(of(Task.ADD_0).events(Event.BACKUP, Event.FAILOVER)),
  FAILOVER_OF_TWO_ADDS(of(Task.ADD_0, Task.ADD_1).leases(1).events(Event.FAILOVER)),
  /** The master before takes over again as it was left; the writing process starts then. */
  FAILBACK(
      of(Task.ADD_0).events(Event.FAILOVER, Event.FAILBACK),
      w -> {
        w.known = 0;
        w.knows = 0;
        w.connection = 0;
      }),
  REGISTER_LOST(of(Task.ADD_0).events(Event.DROP_REGISTER)),
  /** Redis' clock jumps, which ends a doubt at once. */
  REGISTER_LOST_AND_CLOCK_PUT_FORWARD(of(Task.ADD_0).events(Event.DROP_REGISTER), w -> w.jumps = 1);

  /** What the writing process does, each once. */
  enum Task {
    ADD_0,
    ADD_1,
    ADD_2,
    SWAP,
    MOVE
  }

  enum Event {
    /** The replica has what the master has now. */
    BACKUP,
    /** The other server takes over with what it has, and the first keeps what it had. */
    FAILOVER,
    /** Like the former, once no process speaks to the first any more. */
    FAILBACK,
    /** The register is deleted. */
    DROP_REGISTER,
    /** A scheme that was closed takes copies again, because the next one was lost. */
    REOPENED
  }

  /**
   * The numbers that a scenario does not change.
   *
   * @param leases the length of each copy's lease, in ticks
   * @param margin what a lease is shorter, and a wait longer
   * @param page the most entries of a page
   * @param ofWriter whether the first copy is of the writing process
   */
  record Terms(
      List<Task> tasks,
      List<Integer> leases,
      int margin,
      int page,
      boolean ofWriter,
      List<Event> events) {

    Terms leases(Integer... ticks) {
      return new Terms(tasks, List.of(ticks), margin, page, ofWriter, events);
    }

    Terms margin(int ticks) {
      return new Terms(tasks, leases, ticks, page, ofWriter, events);
    }

    Terms page(int entries) {
      return new Terms(tasks, leases, margin, entries, ofWriter, events);
    }

    Terms inWriter() {
      return new Terms(tasks, leases, margin, page, true, events);
    }

    Terms events(Event... inOrder) {
      return new Terms(tasks, leases, margin, page, ofWriter, List.of(inOrder));
    }
  }

  private final Terms terms;
  private final Consumer<LeaseWorld> start;

  LeaseScenario(Terms terms) {
    this(terms, w -> {});
  }

  LeaseScenario(Terms terms, Consumer<LeaseWorld> start) {
    this.terms = terms;
    this.start = start;
  }

  Terms terms() {
    return terms;
  }

  LeaseWorld start() {
    LeaseWorld world = new LeaseWorld();
    world.events = terms.events().size();
    start.accept(world);
    world.other = world.redis.copy();
    world.promised = world.redis.images[1];
    return world;
  }

  /** Copies with leases of two ticks and pages without end. */
  private static Terms of(Task... tasks) {
    return new Terms(
        List.of(tasks), List.of(2), 0, LeaseWorld.LeasedPartition.ENTRIES, false, List.of());
  }

  private static void imagesDiffer(LeaseWorld world) {
    world.redis.images[1] = 0b010;
    world.redis.images[2] = 0b100;
  }
}
