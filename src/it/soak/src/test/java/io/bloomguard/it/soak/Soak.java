package io.bloomguard.it.soak;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** One Redis, one server and two applications, from their start to the judgement. */
final class Soak implements AutoCloseable {

  /** Longer than journal-retention, after which generations that no longer serve go. */
  private static final Duration QUIET = Duration.ofSeconds(25);

  /** The common pool keeps idle threads for a minute. */
  private static final Duration SETTLED = Duration.ofSeconds(150);

  private static final String SECRET = "--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f";

  private final long seed;
  private final Tally tally = new Tally();
  private final Model model = new Model();
  private final RedisProcess redis;
  private final Database database;
  private final Jvm server;
  private final List<Jvm> applications;

  Soak(long seed) throws Exception {
    this.seed = seed;
    redis = new RedisProcess("redis");
    database = new Database();
    server = new Jvm("server", serverCommand());
    applications =
        List.of(
            // Where it has fewer, each asynchronous task gets a thread of its own.
            application("app-1", "-Djava.util.concurrent.ForkJoinPool.common.parallelism=1"),
            application(
                "app-2",
                "-Djava.util.concurrent.ForkJoinPool.common.parallelism=3",
                "-Dbloomguard.filters.things.replica.enabled=true"));
    try {
      for (Jvm jvm : all()) {
        jvm.awaitStarted();
      }
      for (Jvm jvm : all()) {
        awaitReady(jvm);
      }
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  private List<Jvm> all() {
    List<Jvm> all = new ArrayList<>(applications);
    all.add(server);
    return all;
  }

  private List<String> shared() {
    String things = "--bloomguard.filters.things.";
    return List.of(
        "--spring.data.redis.host=127.0.0.1",
        "--spring.data.redis.port=" + redis.port(),
        "--spring.datasource.url=" + database.url(),
        "--spring.datasource.username=",
        SECRET,
        // Longer than in production: the machine of a test is slow at times.
        "--bloomguard.redis.command-timeout=200ms",
        things + "backend=redis",
        things + "expected-insertions=200000",
        things + "source.jdbc.query=select id from things where passes_source(id)",
        things
            + "source.jdbc.recent-query="
            + "select id from things where changed >= ? and passes_recent(id)",
        things + "source.recent-interval=2s",
        things + "rebuild.cooldown=0s",
        things + "rebuild.journal-retention=15s",
        // Rejections are let through, though not so many that they would put wrong ones right.
        things + "verify.first=20",
        things + "verify.sample=0.01");
  }

  private List<String> serverCommand() {
    List<String> command = new ArrayList<>();
    command.add("-Xmx256m");
    command.addAll(List.of("-jar", System.getProperty("soak.server-jar")));
    command.addAll(shared());
    command.addAll(
        List.of(
            "--server.address=127.0.0.1",
            "--server.port=0",
            "--server.tomcat.threads.max=64",
            "--server.tomcat.threads.min-spare=64",
            "--server.tomcat.keep-alive-timeout=5s",
            "--spring.threads.virtual.enabled=false",
            "--server.tomcat.connection-timeout=10s"));
    return command;
  }

  private Jvm application(String name, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of("-Xmx192m"));
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), SoakApplication.class.getName()));
    command.addAll(shared());
    return new Jvm(name, command);
  }

  private static void awaitReady(Jvm jvm) throws Exception {
    Wait.upTo(
        90,
        "filters of " + jvm.name(),
        () -> jvm.get("/actuator/bloomfilters/things").body().contains("\"state\":\"READY\""));
  }

  /** Runs it; the table is printed, and the answer is what was wrong. */
  List<String> run(Duration time) throws Exception {
    ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor();
    try {
      Faults faults = new Faults(redis, applications, tally, seed);
      // Everything once, so that what is made at its first use is there.
      withTraffic(seed - 1, faults, faults::round);
      TimeUnit.SECONDS.sleep(QUIET.toSeconds());
      Measures begin = Measures.take(server, applications, redis);
      looks.scheduleWithFixedDelay(
          new BorrowedThreads(all(), tally), 0, 200, TimeUnit.MILLISECONDS);
      withTraffic(seed, faults, () -> faults.run(time));
      looks.shutdownNow();
      TimeUnit.SECONDS.sleep(QUIET.toSeconds());
      return judge(begin);
    } finally {
      looks.shutdownNow();
    }
  }

  private void withTraffic(long trafficSeed, Faults faults, Action action) throws Exception {
    Traffic traffic = new Traffic(tally, trafficSeed);
    new Callers(applications, server, database, model, faults, tally).sendAll(traffic);
    try {
      action.run();
    } finally {
      traffic.stop();
    }
  }

  private List<String> judge(Measures begin) throws Exception {
    Measures[] end = new Measures[1];
    Wait.within(
        SETTLED.toSeconds(),
        () -> {
          end[0] = Measures.take(server, applications, redis);
          return Tolerance.exceeded(begin, end[0]).isEmpty();
        });
    for (Map.Entry<String, Long> answers : tally.answers().entrySet()) {
      System.out.printf("%-50s %10d%n", answers.getKey(), answers.getValue());
    }
    System.out.printf("RESULT %-24s %8s %8s %8s%n", "", "begin", "end", "allowed");
    begin
        .values()
        .forEach(
            (what, value) ->
                System.out.printf(
                    "RESULT %-24s %8d %8d %8s%n",
                    what, value, end[0].values().get(what), Tolerance.bound(what, value)));
    System.out.printf(
        "RESULT %d rows inserted, %d faults, %d stacks looked at, %d waits of borrowed threads%n",
        model.size(), sum("fault "), sum("stacks "), sum("waits of borrowed threads "));
    List<String> wrong = new ArrayList<>(tally.wrong());
    wrong.addAll(Tolerance.exceeded(begin, end[0]));
    for (Jvm jvm : all()) {
      if (!jvm.isAlive()) {
        wrong.add(jvm.name() + " has ended");
      } else {
        String status = jvm.get("/actuator/bloomfilters/things").body();
        if (!status.contains("\"state\":\"READY\"") || !status.contains("\"wrong\":0")) {
          wrong.add(jvm.name() + " says of its filter: " + status);
        }
      }
    }
    return wrong;
  }

  private long sum(String prefix) {
    return tally.answers().entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  @Override
  public void close() throws Exception {
    for (Jvm application : applications) {
      application.close();
    }
    server.close();
    database.close();
    redis.close();
  }

  private interface Action {
    void run() throws Exception;
  }
}
