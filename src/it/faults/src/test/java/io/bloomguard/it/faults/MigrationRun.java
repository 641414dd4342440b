package io.bloomguard.it.faults;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A change of secret, hash or partition count of filter {@code products}, seen from outside. */
final class MigrationRun {

  /** Longer than it takes, the end of a leader's lock included. */
  static final int SECONDS = 90;

  private final World world;
  private final String before;

  /** A change that has not begun. */
  MigrationRun(World world) throws IOException {
    this.world = world;
    this.before = hashing(world);
  }

  /** What the head of the first partition says: {@code version;hash;secret;partitions}. */
  static String hashing(World world) throws IOException {
    Object hashing = world.redis().call("HGET", Redis.PARTITION + "head", "hashing");
    if (hashing == null) {
      throw new IOException("no head");
    }
    return (String) hashing;
  }

  /** From its begin to its end, with a transaction that is open when it begins. */
  void run(Worker leader) throws Exception {
    // What it does for the first time takes long; it is to come to the source at once.
    leader.status("products");
    leader.ask("get 1 0");
    long id = world.ledger().fresh();
    CompletableFuture<String> held = TransactionFaults.hold(world, "products", id);
    begin(leader);
    // Soon enough not to be added again before its commit, which would reach both hashings.
    world.pause(1_000);
    TransactionFaults.release(world, id, held);
    world.ledger().acknowledge(id);
    Wait.upTo(SECONDS, "the change", this::isDone);
    leader.ask("pause 0");
  }

  /** Its source is slow, so that much is inserted after it was read. */
  void begin(Worker leader) throws Exception {
    leader.ask("pause 40");
    Wait.upTo(20, "a change begins", () -> leader.requestRebuild("products").join().equals(202));
  }

  void awaitMark() throws Exception {
    Wait.upTo(20, "a mark", () -> !hashing(world).equals(before));
  }

  /** Whether the filter has another hashing than before, and only that. */
  boolean isDone() throws IOException {
    return isNone(world) && !hashing(world).equals(before);
  }

  /** Whether every partition has one hashing, the same. */
  static boolean isNone(World world) throws IOException {
    String now = hashing(world);
    for (Object head : (List<?>) world.redis().call("KEYS", "bloomguard:{products:*}:head")) {
      if (!now.equals(world.redis().call("HGET", head, "hashing"))) {
        return false;
      }
    }
    List<?> next = (List<?>) world.redis().call("KEYS", "bloomguard:{products:*}:next:*");
    return next.isEmpty() && !now.contains(">") && !now.contains("<");
  }
}
