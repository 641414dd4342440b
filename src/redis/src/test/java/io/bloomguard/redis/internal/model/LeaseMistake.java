package io.bloomguard.redis.internal.model;

/** One rule of leased copies left out, and a scenario in which that does harm. */
enum LeaseMistake {
  /** A lease is counted from the moment the page arrived. */
  LEASE_FROM_ANSWER(LeaseScenario.ONE_ADD),
  /** A check reads the clocks, then the bits. */
  CLOCKS_BEFORE_BITS(LeaseScenario.ONE_ADD),
  /** A check reads the bits, then the lease and the clocks: it may be a lease renewed since. */
  LEASE_AFTER_BITS(LeaseScenario.ONE_ADD),
  /** A check does not look once more, after the clocks, whether its bits were given up. */
  GIVEN_UP_NOT_SEEN(LeaseScenario.SWAP),
  /** A position is reported as soon as the page is there. */
  REPORTED_BEFORE_APPLIED(LeaseScenario.ONE_ADD),
  /** An add that wrote no entry is acknowledged at once. */
  ADD_WITHOUT_ENTRY_DOES_NOT_WAIT(LeaseScenario.SAME_KEY),
  /** A copy registers in a step of its own, after its page was read. */
  REGISTERED_AFTER_PAGE(LeaseScenario.ONE_ADD),
  /** A look at the register counts for an add whose script ran after it. */
  LOOK_BEFORE_ADD(LeaseScenario.ONE_ADD),
  /** A copy is struck although it has polled since. */
  STRUCK_WHILE_POLLING(LeaseScenario.TWO_ADDS),
  /** A copy that another server's register lacks is not waited for. */
  ABSENCE_ELSEWHERE_BELIEVED(LeaseScenario.FAILOVER),
  /** The register is lost without anybody's notice. */
  REGISTER_LOST_ALONE(LeaseScenario.REGISTER_LOST),
  /** The writer waits for the length of its own process. */
  OWN_LENGTH_WAITED(LeaseScenario.TWO_LENGTHS),
  /** The old bits are shown while those of another generation are loaded and registered. */
  LEASE_KEPT_OVER_SWAP(LeaseScenario.SWAP),
  /** The old bits are shown while the same image is loaded again and registered. */
  LEASE_KEPT_OVER_RELOAD(LeaseScenario.TRIMMED),
  /** Bits and position are kept at another server. */
  LEASE_KEPT_OVER_RECONNECT(LeaseScenario.FAILOVER_OF_TWO_ADDS),
  /** A scheme is moved while copies of the old one hold leases. */
  LEASE_KEPT_OVER_MOVE(LeaseScenario.MOVED_SCHEME),
  /** A scheme is moved although it was open again since its mover began to wait. */
  ANY_CLOSING_COUNTS(LeaseScenario.MOVED_BY_TWO),
  /** The end of a rebuild is reported while copies of the old generation hold leases. */
  SWAP_DOES_NOT_WAIT(LeaseScenario.SWAP),
  /** A swap does not wait for the copy of its own process, which nothing tells of it. */
  SWAP_DOES_NOT_WAIT_FOR_OWN_COPY(LeaseScenario.SWAP_OF_OWN_COPY),
  /** An add in doubt, or under losses not known for long, waits for those registered alone. */
  NO_WAIT_IN_DOUBT(LeaseScenario.FAILOVER),
  /** An add at a server just met waits for those registered alone. */
  NO_WAIT_AT_NEW_SERVER(LeaseScenario.FAILBACK),
  /** An add under losses just learned of waits for those registered alone. */
  NO_WAIT_AFTER_DOUBT(LeaseScenario.REGISTER_LOST_AND_CLOCK_PUT_FORWARD),
  NO_MARGIN(LeaseScenario.UNEQUAL_CLOCKS),
  /** A lease may be as long as the fixed most, and has no room for its margin. */
  LEASE_OF_MOST_WITHOUT_MARGIN(LeaseScenario.FAILOVER_AND_UNEQUAL_CLOCKS),
  /** A lease ends by the monotonic clock alone. */
  WALL_CLOCK_NOT_ASKED(LeaseScenario.SUSPENDED),
  /** A lease ends by the wall clock alone. */
  MONOTONIC_CLOCK_NOT_ASKED(LeaseScenario.WALL_CLOCK_SET_BACK),
  /** A page that does not reach the end renews a lease. */
  INCOMPLETE_PAGE_RENEWS(LeaseScenario.SMALL_PAGES),
  /** A copy reports none while it still holds the lease from an earlier poll. */
  NONE_REPORTED_UNDER_LEASE(LeaseScenario.SMALL_PAGES),
  /** A poll that reported none gives a lease if its page reaches the end. */
  LEASE_WITHOUT_REGISTRATION(LeaseScenario.STRAY_POLL),
  /** A poll that reaches Redis after a later one of its copy changes the register. */
  OVERTAKEN_POLL_COUNTS(LeaseScenario.STRAY_POLL),
  /** An entry that a message tells of counts with those before it. */
  NEWS_AFTER_GAP(LeaseScenario.NEWS),
  /** An entry that a message tells of counts under another scheme. */
  NEWS_OF_ANOTHER_SCHEME(LeaseScenario.NEWS_AND_MOVED_SCHEME),
  /** A report of entries that messages told of renews the lease, though it reads no page. */
  REPORT_RENEWS(LeaseScenario.NEWS_LOST),
  /** The writing process' own copy counts as told before it is. */
  OWN_COPY_NOT_TOLD(LeaseScenario.OWN_COPY);

  /** Where it shows. */
  private final LeaseScenario scenario;

  LeaseMistake(LeaseScenario scenario) {
    this.scenario = scenario;
  }

  LeaseScenario scenario() {
    return scenario;
  }
}
