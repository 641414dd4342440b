package io.bloomguard.it.soak;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** What well-behaved callers do, and the judgement of what they are answered. */
final class Callers {

  /** Longer than null-ttl x (1 + jitter) of the applications. */
  private static final long NULLS_GONE_MILLIS = 3_000;

  private static final int BATCH = 40;
  private static final int HERD = 8;

  private static final List<String> ODD = List.of("no-stage", "throws", "fails", "nothing", "late");

  /** The batch that is sent again and again; its keys have no rows. */
  private static final String REPEATED =
      keys(LongStream.range(500_000_000, 500_010_000).boxed().toList());

  private final List<Jvm> applications;
  private final Jvm server;
  private final Database database;
  private final Model model;
  private final Faults faults;
  private final Tally tally;

  Callers(
      List<Jvm> applications,
      Jvm server,
      Database database,
      Model model,
      Faults faults,
      Tally tally) {
    this.applications = applications;
    this.server = server;
    this.database = database;
    this.model = model;
    this.faults = faults;
    this.tally = tally;
  }

  void sendAll(Traffic traffic) {
    for (Jvm application : applications) {
      String name = application.name();
      traffic.send(name + " reader", 20, random -> read(application, random));
      traffic.send(name + " async reader", 20, random -> readLater(application, random));
      traffic.send(name + " writer", 60, random -> insert(application, random));
    }
    traffic.send("herd", 150, this::herd);
    traffic.send("notes", 300, this::notes);
    traffic.send("asker", 20, this::ask);
    traffic.send("adder", 200, this::add);
    traffic.send("repeater", 3_000, this::repeat);
    traffic.send("hostile 1", 100, new Hostile(server, tally));
    traffic.send("hostile 2", 100, new Hostile(server, tally));
    traffic.send("operator", 2_000, this::operate);
  }

  private void read(Jvm application, Random random) throws Exception {
    switch (random.nextInt(8)) {
      case 0 -> absent(application, Model.absent(random));
      case 1 -> present(application, "/nested/", model.known(random));
      case 2 -> batch(application, 1 + random.nextLong(Database.FIRST_ROWS - BATCH));
      default -> present(application, "/things/", model.known(random));
    }
  }

  private void readLater(Jvm application, Random random) throws Exception {
    if (random.nextInt(8) == 0) {
      String how = ODD.get(random.nextInt(ODD.size()));
      int status = application.get("/odd/" + how + "/" + model.known(random)).statusCode();
      tally.count("odd load, " + how, status);
    } else {
      present(application, "/async/", model.known(random));
    }
  }

  /** All ask for one row at once. */
  private void herd(Random random) {
    long id = model.known(random);
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < HERD; i++) {
      String path = (random.nextBoolean() ? "/things/" : "/async/") + id;
      answers.add(applications.get(i % applications.size()).getLater(path));
    }
    for (int i = 0; i < HERD; i++) {
      try {
        judge(applications.get(i % applications.size()), "herd", id, answers.get(i).join());
      } catch (CompletionException e) {
        tally.count("no connection", "herd");
      } catch (Exception e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void present(Jvm application, String path, long id) throws Exception {
    judge(application, path, id, application.get(path + id));
  }

  private void judge(Jvm application, String kind, long id, HttpResponse<String> answer)
      throws Exception {
    tally.count("read " + kind, answer.statusCode());
    switch (answer.statusCode()) {
      case 200 -> {
        if (!answer.body().equals("thing " + id)) {
          tally.wrong(application.name() + " answered " + answer.body() + " for thing " + id);
        }
      }
      case 404 -> denied(application, kind, id);
      // 504: a load took longer than its time limit.
      case 503, 504 -> {}
      default ->
          tally.wrong(application.name() + " answered " + kind + " with " + answer.statusCode());
    }
  }

  /** A null entry may stand where Redis has lost a barrier, but not for long; a rejection never. */
  private void denied(Jvm application, String kind, long id) throws Exception {
    String filter = application.get("/check/" + id).body();
    if (filter.equals("ABSENT") || !faults.areRecent()) {
      tally.wrong(application.name() + " denied a row: " + kind + ", filter says " + filter);
      return;
    }
    TimeUnit.MILLISECONDS.sleep(NULLS_GONE_MILLIS);
    if (application.get("/things/" + id).statusCode() == 404) {
      tally.wrong(application.name() + " denied a row for longer than a null entry lasts");
    }
    tally.count("read", "stale null");
  }

  private void absent(Jvm application, long id) throws Exception {
    int status = application.get("/things/" + id).statusCode();
    tally.count("read absent", status);
    if (status != 404 && status != 503) {
      tally.wrong(application.name() + " answered an absent key with " + status);
    }
  }

  private void batch(Jvm application, long first) throws Exception {
    HttpResponse<String> answer = application.get("/batch/" + first + "/" + BATCH);
    tally.count("batch", answer.statusCode());
    if (answer.statusCode() == 200 && !answer.body().equals(Integer.toString(BATCH))) {
      tally.wrong(application.name() + " answered " + answer.body() + " of " + BATCH + " rows");
    }
  }

  private void insert(Jvm application, Random random) throws Exception {
    if (model.isFull()) {
      return;
    }
    long id = model.fresh();
    if (random.nextBoolean()) {
      // A reader that finds no row just before there is one.
      tally.count("read before insert", application.get("/things/" + id).statusCode());
    }
    int status = application.post("/things/" + id, "").statusCode();
    tally.count("insert", status);
    if (status == 200) {
      model.acknowledge(List.of(id));
      for (Jvm reader : applications) {
        present(reader, "/things/", id);
      }
    } else if (status != 503) {
      tally.wrong(application.name() + " answered an insert with " + status);
    }
  }

  private void notes(Random random) throws Exception {
    Jvm application = applications.get(random.nextInt(applications.size()));
    tally.count("repeat at a local filter", application.post("/notes", "").statusCode());
    long id = 1 + random.nextInt(1_000);
    int status = application.get("/notes/" + id).statusCode();
    tally.count("read local", status);
    if (status == 404) {
      tally.wrong(application.name() + " denied a row of its local filter");
    }
  }

  private void ask(Random random) throws Exception {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      ids.add(model.known(random));
    }
    HttpResponse<String> answer = server.post("/v1/filters/things/check", keys(ids));
    tally.count("check", answer.statusCode());
    if (answer.statusCode() == 200) {
      int answers = answer.body().split(",").length;
      if (answer.body().contains("ABSENT") || answers != BATCH) {
        tally.wrong("the server denied a row");
      }
    } else if (answer.statusCode() != 503) {
      tally.wrong("the server answered a check with " + answer.statusCode());
    }
  }

  /** As a program in another language does: adds its keys, and writes its rows then. */
  private void add(Random random) throws Exception {
    if (model.isFull()) {
      return;
    }
    List<Long> ids = new ArrayList<>();
    for (int i = 1 + random.nextInt(10); i > 0; i--) {
      ids.add(model.fresh());
    }
    int status = server.post("/v1/filters/things/keys", keys(ids)).statusCode();
    tally.count("add", status);
    if (status == 200) {
      database.insert(ids);
      model.acknowledge(ids);
    } else if (status != 503) {
      tally.wrong("the server answered an add with " + status);
    }
  }

  private void repeat(Random random) throws Exception {
    String path = "/v1/filters/things/" + (random.nextInt(4) == 0 ? "check" : "keys");
    tally.count("repeat", server.post(path, REPEATED).statusCode());
  }

  private void operate(Random random) throws Exception {
    List<Jvm> all = new ArrayList<>(applications);
    all.add(server);
    Jvm jvm = all.get(random.nextInt(all.size()));
    String path = "/actuator/bloomfilters/things";
    switch (random.nextInt(8)) {
      case 0 -> tally.count("cancel", jvm.delete(path + "/rebuild").statusCode());
      case 1 -> tally.count("scrape", server.get("/actuator/prometheus").statusCode());
      case 2 ->
          tally.count(
              "explain", jvm.post(path, "{\"action\":\"explain\",\"key\":\"1\"}").statusCode());
      case 3 -> tally.count("status", jvm.get("/actuator/bloomfilters").statusCode());
      case 4 -> tally.count("rebuild of a local filter", rebuild(applications.get(0), "notes"));
      default -> tally.count("rebuild", rebuild(jvm, "things"));
    }
  }

  static int rebuild(Jvm jvm, String filter) throws Exception {
    return jvm.post("/actuator/bloomfilters/" + filter, "{\"action\":\"rebuild\"}").statusCode();
  }

  static String keys(List<Long> ids) {
    return ids.stream()
        .map(id -> "\"" + id + "\"")
        .collect(Collectors.joining(",", "{\"keys\":[", "]}"));
  }
}
