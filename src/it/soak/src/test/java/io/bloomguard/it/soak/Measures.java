package io.bloomguard.it.soak;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** What must be back where it began once all is quiet. */
final class Measures {

  /** As {@code bloomguard.load.max-concurrent}. */
  private static final int PLACES = 32;

  /**
   * So many bodies of 10,000 keys of 250 characters fill {@code bloomguard.server.batch-memory}.
   */
  private static final int BODIES = 5;

  /** Notes of writes, which every write of a key leaves, last so long. */
  private static final Duration NOTES = Duration.ofMinutes(10);

  private static final int MEGABYTE = 1 << 20;

  private final Map<String, Long> values = new LinkedHashMap<>();
  private final Map<String, Map<String, Integer>> kinds = new TreeMap<>();

  private Measures() {}

  /** Measures all of it, which takes seconds. */
  static Measures take(Jvm server, List<Jvm> applications, RedisProcess redis) throws Exception {
    Measures measures = new Measures();
    List<Jvm> all = new ArrayList<>(applications);
    all.add(0, server);
    for (Jvm jvm : all) {
      Map<String, Integer> threads = jvm.threadsByName();
      measures.kinds.put(jvm.name() + " threads", threads);
      measures.values.put(jvm.name() + " threads", sum(threads));
      measures.values.put(jvm.name() + " heap MB", jvm.heap() / MEGABYTE);
      measures.values.put(jvm.name() + " files", jvm.files());
      measures.values.put(
          jvm.name() + (jvm == server ? " batches at once" : " places for loads"),
          jvm == server ? batches(server) : places(jvm));
    }
    Map<String, Integer> keys = RedisKeys.beyond(redis.port(), NOTES);
    measures.kinds.put("Redis keys", keys);
    measures.values.put("Redis keys", sum(keys));
    return measures;
  }

  private static long sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  private static long places(Jvm application) throws Exception {
    long first = 1 + new Random().nextLong(Database.FIRST_ROWS - PLACES);
    return Long.parseLong(application.post("/places/" + PLACES + "/" + first, "").body());
  }

  /** How many large batches the server takes at once. */
  private static long batches(Jvm server) throws Exception {
    String key = "\"" + "m".repeat(250) + "\"";
    byte[] body = ("{\"keys\":[" + (key + ",").repeat(9_999) + key + "]}").getBytes(US_ASCII);
    List<Socket> calls = new ArrayList<>();
    try {
      for (int i = 0; i < BODIES; i++) {
        calls.add(begin(server, body));
      }
      // Those that are not refused have read what was sent, and wait for the rest.
      Wait.within(5, () -> readers(server) == BODIES);
      long taken = 0;
      for (Socket call : calls) {
        taken += isTaken(call, body) ? 1 : 0;
      }
      return taken;
    } finally {
      for (Socket call : calls) {
        call.close();
      }
    }
  }

  /** The threads that wait for more of a batch. */
  private static long readers(Jvm server) {
    return Arrays.stream(server.threads().dumpAllThreads(false, false, 80))
        .filter(thread -> thread.getThreadState() != Thread.State.RUNNABLE)
        .filter(
            thread ->
                Arrays.stream(thread.getStackTrace())
                    .anyMatch(frame -> frame.getClassName().endsWith(".KeyBatch")))
        .count();
  }

  private static Socket begin(Jvm server, byte[] body) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout((int) Jvm.LONGEST_CALL.toMillis());
    String head =
        "POST /v1/filters/things/check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: "
            + body.length
            + "\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(US_ASCII));
    socket.getOutputStream().write(body, 0, body.length - 2);
    return socket;
  }

  private static boolean isTaken(Socket call, byte[] body) {
    try {
      call.getOutputStream().write(body, body.length - 2, 2);
      String status = new String(call.getInputStream().readNBytes(12), US_ASCII);
      return status.endsWith("200");
    } catch (IOException e) {
      return false;
    }
  }

  Map<String, Long> values() {
    return values;
  }

  /** What there is more of than there was, kind by kind. */
  String growth(Measures before, String what) {
    Map<String, Integer> then = before.kinds.getOrDefault(what, Map.of());
    List<String> grown = new ArrayList<>();
    kinds
        .getOrDefault(what, Map.of())
        .forEach(
            (kind, count) -> {
              int more = count - then.getOrDefault(kind, 0);
              if (more > 0) {
                grown.add(kind + " +" + more);
              }
            });
    return String.join(", ", grown);
  }
}
