package io.bloomguard.bench;

import io.bloomguard.bench.attack.GeneratorProcess;
import io.bloomguard.bench.attack.KeyMix;
import io.bloomguard.bench.attack.KeyMix.Kind;
import io.bloomguard.bench.attack.LoadFigures;
import io.bloomguard.bench.attack.ProcessTime;
import io.bloomguard.server.BloomguardServer;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The decisions that the server makes for proxies, and what they add to a request through nginx.
 */
@Suite(
    order = 61,
    title = "Decisions for a proxy",
    text =
        """
        The server with its default configuration, a filter of 100,000 ids on its heap and a rule for `/api/products/{id}`. Server and nginx share
        the first core, the generator of the attack has the second, with 64 connections that are kept alive. The contestants take turns; the
        figures are medians of the rounds. `perSecond` and `cpuMicros`, the processor time that nginx and server together spend on a request, are of a
        closed loop, and so of a core that is busy; the percentiles are of an open loop of 1,000 requests a second.

        - `nginx 204`: an nginx that answers 204 itself, and nothing else.
        - `authorise, present` and `absent`: the endpoint, asked by path for ids that the filter holds, or does not: 204, or 404 with its document.
        - `membership API`: `POST /v1/filters/products/check` with one key.
        - `proxied`: `config/gateway/nginx.conf` without its `auth_request`, before an upstream that is an nginx with a fixed answer of eight bytes.
        - `proxied, auth_request`: the same file as it is; the ids are present. The columns `added` are its percentiles beyond those of `proxied` in the
          same round.
        """)
final class GatewayTable implements FigureTable {

  private static final int ROUNDS = BenchForm.size(9, 1);
  private static final int WARM_UP = BenchForm.size(4, 0);
  private static final double CLOSED_SECONDS = BenchForm.size(10, 2) / 10.0;
  private static final double OPEN_SECONDS = BenchForm.size(30, 5) / 10.0;
  private static final int RATE = BenchForm.size(1_000, 100);
  private static final int PROGRAMS_CORE = 0;
  private static final int GENERATOR_CORE = 1;
  private static final Path SHIPPED = Path.of("config/gateway/nginx.conf");

  /** One way of asking, and the figures of its rounds. */
  private static final class Contestant implements AutoCloseable {

    private final String name;
    private final GeneratorProcess generator;
    private final @Nullable Contestant base;
    private final double[] perSecond = new double[ROUNDS];
    private final double[] cpuMicros = new double[ROUNDS];
    private final double[] p50 = new double[ROUNDS];
    private final double[] p99 = new double[ROUNDS];
    private final double[] lateness = new double[ROUNDS];

    /**
     * @param base that it adds to
     */
    Contestant(String name, int port, Kind kind, @Nullable Contestant base) throws IOException {
      this.name = name;
      this.base = base;
      generator = new GeneratorProcess(port, kind);
    }

    void round(int round, List<ProcessHandle> programs) throws IOException {
      double spent = micros(programs);
      LoadFigures closed = right(generator.closed(CLOSED_SECONDS));
      double cpu = (micros(programs) - spent) / closed.answered();
      LoadFigures open = right(generator.open(RATE, OPEN_SECONDS));
      if (round >= 0) {
        perSecond[round] = closed.rate();
        cpuMicros[round] = cpu;
        p50[round] = open.p50() / 1e6;
        p99[round] = open.p99() / 1e6;
        lateness[round] = open.lateness() / 1e6;
      }
    }

    private LoadFigures right(LoadFigures figures) {
      if (figures.falseAbsent() + figures.errors() > 0) {
        throw new IllegalStateException(name + " gave wrong answers: " + figures);
      }
      return figures;
    }

    private static double micros(List<ProcessHandle> programs) throws IOException {
      double micros = 0;
      for (ProcessHandle program : programs) {
        micros += ProcessTime.micros(program.pid());
      }
      return micros;
    }

    Map<String, Object> row() {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("contestant", name);
      row.put("perSecond", Math.round(median(perSecond)));
      row.put("cpuMicros", median(cpuMicros));
      row.put("p50Millis", median(p50));
      row.put("p99Millis", median(p99));
      if (base != null) {
        row.put("addedP50", median(beyond(p50, base.p50)));
        row.put("addedP99", median(beyond(p99, base.p99)));
      }
      row.put("latenessMillis", median(lateness));
      return row;
    }

    private static double[] beyond(double[] own, double[] others) {
      double[] added = new double[ROUNDS];
      Arrays.setAll(added, round -> own[round] - others[round]);
      return added;
    }

    private static double median(double[] values) {
      double[] sorted = values.clone();
      Arrays.sort(sorted);
      return sorted[sorted.length / 2];
    }

    @Override
    public void close() throws InterruptedException {
      generator.close();
    }
  }

  private final List<AutoCloseable> started = new ArrayList<>();
  private final List<ProcessHandle> programs = new ArrayList<>();
  private final List<Contestant> contestants = new ArrayList<>();

  @Override
  public List<Map<String, Object>> rows() {
    try {
      try {
        return measured();
      } finally {
        Collections.reverse(started);
        for (AutoCloseable each : started) {
          each.close();
        }
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private List<Map<String, Object>> measured() throws Exception {
    BenchServer server = BenchServer.apart(BloomguardServer.class, settings());
    started.add(server);
    programs.add(server.handle());
    add("authorise, present", server.port(), Kind.ALLOWED, null);
    add("authorise, absent", server.port(), Kind.DENIED, null);
    add("membership API", server.port(), Kind.CHECKED, null);
    List<Map<String, Object>> rows = new ArrayList<>();
    Path nginx = BenchNginx.program().orElse(null);
    if (nginx == null) {
      rows.add(Map.of("contestant", "nginx", "why not", "it is not on the path"));
    } else {
      addNginx(nginx, server.port());
    }
    List<Contestant> order = new ArrayList<>(contestants);
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      Collections.rotate(order, 1);
      for (Contestant contestant : order) {
        contestant.round(round, programs);
      }
    }
    for (Contestant contestant : contestants) {
      rows.add(contestant.row());
    }
    return rows;
  }

  private void addNginx(Path program, int server) throws IOException, InterruptedException {
    int nothing = BenchRedis.freePort();
    int upstream = BenchRedis.freePort();
    start(
        program,
        "upstream",
        """
        server { listen 127.0.0.1:%d; return 204; }
        server { listen 127.0.0.1:%d; return 200 '{"id":1}'; }
        """
            .formatted(nothing, upstream),
        nothing);
    add("nginx 204", nothing, Kind.NOTHING, null);
    String shipped =
        Files.readString(SHIPPED)
            .replace("127.0.0.1:8081", "127.0.0.1:" + upstream)
            .replace("127.0.0.1:8080", "127.0.0.1:" + server);
    Contestant proxied =
        proxied(program, "proxied", shipped.replace("auth_request /authorise;", ""), null);
    proxied(program, "proxied, auth_request", shipped, proxied);
  }

  private Contestant proxied(
      Path program, String name, String configuration, @Nullable Contestant base)
      throws IOException, InterruptedException {
    int port = BenchRedis.freePort();
    start(program, name, configuration.replace(":8000", ":" + port), port);
    return add(name, port, Kind.PROXIED, base);
  }

  private void start(Path program, String name, String configuration, int port)
      throws IOException, InterruptedException {
    BenchNginx nginx = new BenchNginx(program, name.replaceAll("\\W+", "-"), configuration, port);
    started.add(nginx);
    programs.add(nginx.handle());
    pin(nginx.handle(), PROGRAMS_CORE);
  }

  private Contestant add(String name, int port, Kind kind, @Nullable Contestant base)
      throws IOException, InterruptedException {
    Contestant contestant = new Contestant(name, port, kind, base);
    started.add(contestant);
    contestants.add(contestant);
    pin(contestant.generator.handle(), GENERATOR_CORE);
    return contestant;
  }

  private static void pin(ProcessHandle process, int core)
      throws IOException, InterruptedException {
    if (!BenchForm.isShort()) {
      ProcessTime.pin(process, core);
    }
  }

  private List<String> settings() throws IOException {
    Path keys = Files.createTempFile("bloomguard-bench", ".txt");
    started.add(() -> Files.delete(keys));
    try (Writer file = Files.newBufferedWriter(keys)) {
      for (int i = 0; i < KeyMix.GATEWAY; i++) {
        file.write(KeyMix.GATEWAY + i + "\n");
      }
    }
    return List.of(
        "--bloomguard.filters.products.expected-insertions=" + KeyMix.GATEWAY,
        "--bloomguard.filters.products.false-positive-probability=0.000000001",
        "--bloomguard.filters.products.source.file.path=" + keys,
        "--bloomguard.filters.products.warm-up.mode=blocking",
        "--bloomguard.gateway.rules[0].pattern=/api/products/{id}",
        "--bloomguard.gateway.rules[0].filter=products",
        "--bloomguard.gateway.rules[0].key=id",
        "--bloomguard.gateway.rules[0].type=long",
        "--logging.level.root=warn",
        "--logging.level.io.bloomguard.server.StartupReport=info");
  }
}
