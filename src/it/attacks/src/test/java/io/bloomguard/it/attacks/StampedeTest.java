package io.bloomguard.it.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.attacks.node.Node;
import io.bloomguard.it.support.ChildProcess;
import io.bloomguard.it.support.Form;
import io.bloomguard.it.support.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** A herd of requests for one cold key, over four processes that share a Redis. */
@TestMethodOrder(OrderAnnotation.class)
class StampedeTest {

  private static final int PROCESSES = 4;
  private static final int REQUESTS = Form.of(1_000, 1_000, 10_000);

  /** Of the herds that are compared: twenty threads in each process. */
  private static final int COMPARED = 20;

  private static final List<ChildProcess> NODES = new ArrayList<>();
  private static RedisProcess redis;

  @BeforeAll
  static void start() throws Exception {
    redis = new RedisProcess("redis");
    List<String> arguments = new ArrayList<>(redis.arguments());
    arguments.addAll(
        List.of(
            // Room for a slow machine.
            "--bloomguard.mutex.wait=110s",
            "--bloomguard.mutex.lease=120s",
            "--bloomguard.load.timeout=110s"));
    for (int i = 0; i < PROCESSES; i++) {
      List<String> jvm = List.of("-Xmx192m");
      NODES.add(new ChildProcess("node-" + i, Node.ANSWER, jvm, Node.class, arguments));
    }
    for (ChildProcess node : NODES) {
      assertThat(node.answer()).isEqualTo("ready");
    }
  }

  @AfterAll
  static void stop() {
    NODES.forEach(ChildProcess::close);
    redis.close();
  }

  @Test
  @Order(1)
  void oneLoadAmongAllProcesses() throws InterruptedException {
    List<Loads> loads = herd("guard", "thing-1", REQUESTS / PROCESSES);

    report("Bloomguard", REQUESTS, loads);
    requireOneLoad(loads);
  }

  @Test
  @Order(2)
  void oneLoadWhereSpringsCacheLoadsForEachThread() throws InterruptedException {
    int requests = COMPARED * PROCESSES;

    List<Loads> ours = herd("guard", "thing-2", COMPARED);
    List<Loads> sync = herd("sync", "thing-2", COMPARED);
    List<Loads> locking = herd("locking", "thing-2", COMPARED);

    report("Bloomguard", requests, ours);
    report("@Cacheable(sync = true), Spring Data Redis' default writer", requests, sync);
    report("@Cacheable(sync = true), Spring Data Redis' locking writer", requests, locking);
    requireOneLoad(ours);
  }

  /** Last, because Redis does not come back. */
  @Test
  @Order(3)
  void withoutRedisAtMostOneLoadInEachProcess() throws InterruptedException {
    redis.kill();

    List<Loads> loads = herd("guard", "thing-3", REQUESTS / PROCESSES);

    report("Bloomguard, Redis down", REQUESTS, loads);
    assertThat(loads).allMatch(process -> process.count() <= 1);
  }

  private static void requireOneLoad(List<Loads> loads) {
    assertThat(loads.stream().mapToLong(Loads::leases).sum()).as("leases").isEqualTo(1);
    assertThat(loads.stream().mapToInt(Loads::count).sum()).as("loads").isEqualTo(1);
  }

  /** The loads in each process, all of whose threads got the thing. */
  private static List<Loads> herd(String entry, String key, int threads)
      throws InterruptedException {
    NODES.forEach(node -> node.tell("herd " + entry + " " + key + " " + threads));
    for (ChildProcess node : NODES) {
      assertThat(node.answer()).isEqualTo("complete");
    }
    NODES.forEach(node -> node.tell("open"));
    List<Loads> loads = new ArrayList<>();
    for (ChildProcess node : NODES) {
      String[] result = node.answer().split(" ", 4);
      assertThat(result[3]).as("a failure").isEqualTo("-");
      assertThat(result[2]).as("right answers").isEqualTo(String.valueOf(threads));
      loads.add(new Loads(Long.parseLong(result[0]), Integer.parseInt(result[1])));
    }
    return loads;
  }

  private static void report(String who, int requests, List<Loads> loads) {
    List<Integer> counts = loads.stream().map(Loads::count).toList();
    int sum = counts.stream().mapToInt(Integer::intValue).sum();
    System.out.printf(
        "RESULT stampede, %s: %d concurrent requests for one cold key in %d processes, %d load%s"
            + " %s, %d of them under a lease%n",
        who,
        requests,
        PROCESSES,
        sum,
        sum == 1 ? "" : "s",
        counts,
        loads.stream().mapToLong(Loads::leases).sum());
  }

  /**
   * What one process did.
   *
   * @param leases how often it was given the permit to load
   * @param count how often it loaded
   */
  private record Loads(long leases, int count) {}
}
