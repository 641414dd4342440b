package io.bloomguard.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Requests for absent products over HTTP, by the way of their answer, beside cached products. */
@Suite(
    order = 52,
    title = "Rejected requests over HTTP",
    text =
        """
        The server as its own process, with handlers of 100,000 products beside its own, and 16
        connections that are kept alive. Where `taskset` is on the path, the server has the first
        processor alone. The contestants take turns in short rounds; the figures are medians of the rounds. `cachedHit` asks for products that the value
        cache holds. The others ask for absent ones: `own404` is a guarded method that returns empty, from
        which the handler makes a `ResponseStatusException`; `method` is a guarded method with `onAbsent =
        THROW`; `webRule` is a rule on the path. `cpuMicros` is the
        server's processor time for a request, `ratio` the requests a second over those of `cachedHit`, and
        `generator` the share of the time in which the generator's thread was busy.
        """)
final class RejectedRequestTable implements FigureTable {

  private static final int CONNECTIONS = 16;
  private static final int BATCHES = BenchForm.size(500, 5);
  private static final int ROUNDS = BenchForm.size(25, 2);
  private static final int WARM_UP = BenchForm.size(15, 1);
  private static final int PATHS = 1 << 12;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** The figures of one contestant's rounds. */
  private static final class Contestant {

    private final byte[][] requests;
    private final int status;
    private final double[] perSecond = new double[ROUNDS];
    private final double[] cpuMicros = new double[ROUNDS];
    private final double[] generator = new double[ROUNDS];
    private int next;

    Contestant(String path, boolean present) {
      this.status = present ? 200 : 404;
      this.requests = new byte[PATHS][];
      for (int i = 0; i < PATHS; i++) {
        long id =
            present
                ? 1 + i % RejectedRequestShop.PRODUCTS
                : ThreadLocalRandom.current().nextLong(1L << 40, 1L << 41);
        requests[i] = ProductConnection.request(path + id);
      }
    }

    void batch(List<ProductConnection> connections) throws IOException {
      for (ProductConnection connection : connections) {
        connection.send(requests[next++ & PATHS - 1]);
      }
      for (ProductConnection connection : connections) {
        connection.receive(status);
      }
    }

    void round(BenchServer server, List<ProductConnection> connections, int round)
        throws IOException {
      long begin = System.nanoTime();
      long busy = THREADS.getCurrentThreadCpuTime();
      double spent = server.cpuNanos();
      for (int i = 0; i < BATCHES; i++) {
        batch(connections);
      }
      double nanos = System.nanoTime() - begin;
      double requests = BATCHES * connections.size();
      if (round >= 0) {
        perSecond[round] = requests / nanos * 1e9;
        cpuMicros[round] = (server.cpuNanos() - spent) / 1e3 / requests;
        generator[round] = (THREADS.getCurrentThreadCpuTime() - busy) / nanos;
      }
    }
  }

  @Override
  public List<Map<String, Object>> rows() {
    Map<String, Contestant> contestants = new LinkedHashMap<>();
    contestants.put("cachedHit", new Contestant("/method/", true));
    contestants.put("own404", new Contestant("/own/", false));
    contestants.put("method", new Contestant("/method/", false));
    contestants.put("webRule", new Contestant("/ruled/", false));
    try (BenchServer server = BenchServer.apart(RejectedRequestShop.class, settings())) {
      List<ProductConnection> connections = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        connections.add(new ProductConnection(server.port()));
      }
      List<Contestant> order = new ArrayList<>(contestants.values());
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        Collections.rotate(order, 1);
        for (Contestant contestant : order) {
          contestant.round(server, connections, round);
        }
      }
      for (ProductConnection connection : connections) {
        connection.close();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return table(contestants);
  }

  /** No rejection is verified: an absent product would be found, and a false positive is one. */
  private static List<String> settings() {
    return List.of(
        "--bloomguard.filters.products.expected-insertions=" + RejectedRequestShop.PRODUCTS,
        "--bloomguard.filters.products.false-positive-probability=0.000000001",
        "--bloomguard.filters.products.source.bean=keys",
        "--bloomguard.filters.products.warm-up.mode=blocking",
        "--bloomguard.filters.products.verify.first=0",
        "--bloomguard.filters.products.verify.sample=0",
        "--bloomguard.web.rules[0].pattern=/ruled/{id}",
        "--bloomguard.web.rules[0].filter=products",
        "--bloomguard.web.rules[0].key=id",
        "--bloomguard.web.rules[0].type=long",
        "--logging.level.root=warn",
        "--logging.level.io.bloomguard.server.StartupReport=info");
  }

  private static List<Map<String, Object>> table(Map<String, Contestant> contestants) {
    List<Map<String, Object>> rows = new ArrayList<>();
    double[] hits = contestants.values().iterator().next().perSecond;
    contestants.forEach(
        (name, contestant) -> {
          double[] ratios = new double[ROUNDS];
          Arrays.setAll(ratios, round -> contestant.perSecond[round] / hits[round]);
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("contestant", name);
          row.put("perSecond", median(contestant.perSecond));
          row.put("ratio", median(ratios));
          row.put("cpuMicros", median(contestant.cpuMicros));
          row.put("generator", median(contestant.generator));
          rows.add(row);
        });
    return rows;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
