package io.bloomguard.bench;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.bloomguard.bench.attack.ServerPrograms;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.embedded.RedisServer;

/** The methods of the library that the thread of one request enters, counted by the debugger. */
@Suite(
    order = 90,
    title = "The way of one key",
    text =
        """
        The server under the Java Debug Interface, with one thread for requests and no verification. After some requests of
        the same kind, one is followed: `entries` are the methods of `io.bloomguard` (the server's and the benchmarks'
        left out) that its thread enters, `types` the types that have them, and `returns` the entries into a package that it had
        been in and had left. What other threads do meanwhile is not counted.
        """)
final class WalkTable implements FigureTable {

  private static final Pattern ADDRESS = Pattern.compile("Look at http://localhost:(\\d+)/");
  private static final int FIRST = 20;

  /** How long no event comes once a walk is over. */
  private static final long SILENCE_MILLIS = 500;

  private final HttpClient client = HttpClient.newHttpClient();

  /** The types whose methods were entered, in that order. */
  private final BlockingQueue<String> entered = new LinkedBlockingQueue<>();

  private long absent = 1L << 40;
  private long present;

  @Override
  public List<Map<String, Object>> rows() {
    try {
      int redisPort = BenchRedis.freePort();
      RedisServer redis = ServerPrograms.redis(redisPort).build();
      redis.start();
      try {
        return walked(redisPort);
      } finally {
        redis.stop();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private List<Map<String, Object>> walked(int redisPort) throws Exception {
    VirtualMachine machine = launched(redisPort);
    try {
      Thread listener = new Thread(() -> listen(machine), "debugger-events");
      listener.setDaemon(true);
      listener.start();
      machine.resume();
      int port = port(machine.process());
      List<Map<String, Object>> rows = new ArrayList<>();
      rows.add(row(machine, port, "a rule that rejects", "GET", "/ruled/", false, false));
      rows.add(row(machine, port, "a method that rejects", "GET", "/near/", false, false));
      rows.add(row(machine, port, "a hit on the heap", "GET", "/near/", true, true));
      present = 0;
      rows.add(row(machine, port, "a load", "GET", "/near/", true, false));
      present = 0;
      rows.add(row(machine, port, "a load with Redis", "GET", "/shared/", true, false));
      rows.add(row(machine, port, "an insert with Redis", "POST", "/shared/", false, false));
      return rows;
    } finally {
      machine.exit(0);
    }
  }

  /**
   * Follows one request of a kind.
   *
   * @param exists whether the key does
   * @param again whether all requests are for the same key
   */
  private Map<String, Object> row(
      VirtualMachine machine,
      int port,
      String walk,
      String method,
      String path,
      boolean exists,
      boolean again)
      throws Exception {
    // What another walk has kept is no miss here.
    present += exists && !again ? 500 : 1;
    for (int i = 0; i < FIRST; i++) {
      send(port, method, path + next(exists, again));
    }
    List<MethodEntryRequest> requests = new ArrayList<>();
    for (ThreadReference thread : machine.allThreads()) {
      if (thread.name().startsWith("http-nio") && thread.name().contains("-exec-")) {
        MethodEntryRequest request = machine.eventRequestManager().createMethodEntryRequest();
        request.addThreadFilter(thread);
        request.addClassFilter("io.bloomguard.*");
        request.addClassExclusionFilter("io.bloomguard.bench.*");
        request.addClassExclusionFilter("io.bloomguard.server.*");
        request.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        request.enable();
        requests.add(request);
      }
    }
    send(port, method, path + next(exists, again));
    Map<String, Object> row = counted(walk);
    machine.eventRequestManager().deleteEventRequests(requests);
    return row;
  }

  private long next(boolean exists, boolean again) {
    if (!exists) {
      return absent++;
    }
    return again ? present : present++;
  }

  /** Takes all events as they come: a debugger that lets them wait holds the process. */
  private void listen(VirtualMachine machine) {
    try {
      while (true) {
        for (Event event : machine.eventQueue().remove()) {
          if (event instanceof MethodEntryEvent entry) {
            entered.add(entry.method().declaringType().name());
          }
        }
      }
    } catch (InterruptedException | VMDisconnectedException e) {
      // The end of the process.
    }
  }

  private Map<String, Object> counted(String walk) throws InterruptedException {
    int entries = 0;
    int returns = 0;
    Set<String> types = new HashSet<>();
    Set<String> rooms = new HashSet<>();
    String in = "";
    String type;
    while ((type = entered.poll(SILENCE_MILLIS, TimeUnit.MILLISECONDS)) != null) {
      String room = type.substring(0, type.lastIndexOf('.'));
      entries++;
      types.add(type);
      if (!room.equals(in) && !rooms.add(room)) {
        returns++;
      }
      in = room;
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("walk", walk);
    row.put("entries", entries);
    row.put("types", types.size());
    row.put("returns", returns);
    return row;
  }

  private void send(int port, String method, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build();
    int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    if (status != 200 && status != 404) {
      throw new IllegalStateException(method + " " + path + ": " + status);
    }
  }

  private static VirtualMachine launched(int redisPort) throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    List<String> main = new ArrayList<>();
    main.add(WalkShop.class.getName());
    main.addAll(settings(redisPort));
    arguments.get("main").setValue(String.join(" ", main));
    arguments
        .get("options")
        .setValue("-XX:TieredStopAtLevel=1 -cp " + System.getProperty("java.class.path"));
    return connector.launch(arguments);
  }

  private static List<String> settings(int redisPort) {
    List<String> settings =
        new ArrayList<>(
            List.of(
                "--server.address=127.0.0.1",
                "--server.port=0",
                "--server.tomcat.threads.max=1",
                "--server.tomcat.threads.min-spare=1",
                "--spring.data.redis.port=" + redisPort,
                "--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
                "--bloomguard.redis.command-timeout=5s",
                "--bloomguard.filters.shared.backend=redis",
                "--bloomguard.web.rules[0].pattern=/ruled/{id}",
                "--bloomguard.web.rules[0].filter=near",
                "--bloomguard.web.rules[0].key=id",
                "--bloomguard.web.rules[0].type=long",
                "--logging.level.root=warn",
                "--logging.level.io.bloomguard.server.StartupReport=info"));
    for (String filter : List.of("near", "shared")) {
      String prefix = "--bloomguard.filters." + filter + ".";
      settings.add(prefix + "expected-insertions=100000");
      settings.add(prefix + "false-positive-probability=0.000000001");
      settings.add(prefix + "source.bean=keys");
      settings.add(prefix + "warm-up.mode=blocking");
      settings.add(prefix + "verify.first=0");
      settings.add(prefix + "verify.sample=0");
    }
    return settings;
  }

  private static int port(Process process) throws IOException {
    BufferedReader lines = process.inputReader();
    String line;
    while ((line = lines.readLine()) != null) {
      Matcher address = ADDRESS.matcher(line);
      if (address.find()) {
        Thread drain = new Thread(() -> lines.lines().forEach(said -> {}), "server-output");
        drain.setDaemon(true);
        drain.start();
        return Integer.parseInt(address.group(1));
      }
    }
    throw new IllegalStateException("The server ended before it was ready");
  }
}
