package io.bloomguard.it.faults;

import io.bloomguard.it.support.Wait;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A place in the database that one kind of query of one shop must pass, and that can be closed: the
 * query then hangs, whatever its client does, or fails.
 */
public final class Gate {

  private static final Map<String, Gate> CLOSED = new ConcurrentHashMap<>();

  private final String name;
  private final boolean failing;
  private final CountDownLatch opened = new CountDownLatch(1);
  private final AtomicInteger waiting = new AtomicInteger();

  private Gate(String name, boolean failing) {
    this.name = name;
    this.failing = failing;
  }

  /** A function of the database. */
  public static boolean pass(String shop, String filter, String reading) throws Exception {
    Gate gate = CLOSED.get(name(shop, filter, reading));
    if (gate == null) {
      return true;
    }
    gate.waiting.incrementAndGet();
    if (gate.failing) {
      throw new SQLException("a query that was asked to fail");
    }
    gate.opened.await();
    return true;
  }

  /**
   * A gate at which queries hang.
   *
   * @param reading {@code scan} for builds, {@code recent} for what other programs inserted
   */
  static Gate hanging(Worker shop, String filter, String reading) {
    return closed(new Gate(name(shop.name(), filter, reading), false));
  }

  /** A gate at which queries fail. */
  static Gate failing(Worker shop, String filter, String reading) {
    return closed(new Gate(name(shop.name(), filter, reading), true));
  }

  private static Gate closed(Gate gate) {
    CLOSED.put(gate.name, gate);
    return gate;
  }

  private static String name(String shop, String filter, String reading) {
    return shop + "/" + filter + "/" + reading;
  }

  /** How many queries have come here. */
  int count() {
    return waiting.get();
  }

  void awaitQuery() throws Exception {
    Wait.upTo(30, "a query at " + name, () -> count() > 0);
  }

  void open() {
    CLOSED.remove(name, this);
    opened.countDown();
  }

  /** Opens what a fault has left closed. */
  static void openAll() {
    CLOSED.values().forEach(Gate::open);
  }
}
