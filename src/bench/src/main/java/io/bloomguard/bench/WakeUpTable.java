package io.bloomguard.bench;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Ways to tell copies of an add: the time until each has reported it, and what that takes. */
@Suite(
    order = 47,
    title = "Waking the copies",
    text =
        """
        A model of the copies' protocol on Lettuce alone: an add is a script that writes an entry to a stream, a poll a script that notes the
        copy's position and answers with the entries after it, and a copy that got entries polls once more, to report them. The figures are the time from an add
        until the answer to the last copy's report, the processor time of all nodes for an add, and the messages between nodes for an add. One add at a time, with
        a pause of 20 ms; all copies are in this process, and share two threads of Netty.

        `publish` has the add's script publish a message, upon which a copy polls; `publish entry` has the entry in the message, which spares the copy its
        first poll; `sharded` is SPUBLISH, which only the node of the slot passes on; `XREAD BLOCK` is a blocking read on a connection for each
        journal, whose entries spare the first poll too; `polls` are ten a second. `connections` are those of a copy's process for 16 filters.
        """)
final class WakeUpTable implements FigureTable {

  private static final String HEAD = "{products:0}:head";
  private static final String JOURNAL = "{products:0}:journal";
  private static final int FILTERS = 16;
  private static final int[] COPIES = BenchForm.isShort() ? new int[] {2} : new int[] {10, 50};
  private static final int ADDS = BenchForm.size(200, 3);
  private static final int WARM_UP = BenchForm.size(60, 1);
  private static final long PAUSE = 20_000_000;
  private static final long POLL_MILLIS = 100;

  private static final String ADD =
      """
      local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
      local before = last[1] and last[1][1] or '0-0'
      local id = redis.call('XADD', KEYS[2], 'MAXLEN', '~', 1000, '*', 'n', ARGV[2])
      if ARGV[1] ~= '' then redis.call(ARGV[1], KEYS[1], before .. ' ' .. id .. ' ' .. ARGV[2]) end
      return id
      """;

  private static final String POLL =
      """
      redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
      local answer = {}
      for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '(' .. ARGV[2], '+', 'COUNT', 200)) do
        answer[#answer + 1] = entry[1]
        answer[#answer + 1] = entry[2][2]
      end
      return answer
      """;

  private enum Way {
    PUBLISH("publish", "PUBLISH", 2),
    PUBLISH_ENTRY("publish entry", "PUBLISH", 2),
    SHARDED("sharded", "SPUBLISH", 2),
    SHARDED_ENTRY("sharded entry", "SPUBLISH", 2),
    BLOCK("XREAD BLOCK", "", 1 + FILTERS),
    POLLS("polls", "", 1);

    private final String text;
    private final String command;
    private final int connections;

    Way(String text, String command, int connections) {
      this.text = text;
      this.command = command;
      this.connections = connections;
    }

    boolean sharded() {
      return command.equals("SPUBLISH");
    }

    boolean tellsEntry() {
      return this == PUBLISH_ENTRY || this == SHARDED_ENTRY;
    }
  }

  /** The add that is waited for. */
  private volatile long expected;

  private volatile CountDownLatch reports = new CountDownLatch(0);

  /** One copy; its answers come on one thread of Netty at a time. */
  private final class Copy {

    private final String name;
    private final StatefulRedisConnection<String, String> requests;
    private final String script;
    private String position = "0-0";
    private long number;
    private long counted;

    Copy(String name, StatefulRedisConnection<String, String> requests, String script) {
      this.name = name;
      this.requests = requests;
      this.script = script;
    }

    synchronized void hear(Way way, String message) {
      String[] words = message.split(" ");
      if (way.tellsEntry() && words[0].equals(position)) {
        position = words[1];
        number = Long.parseLong(words[2]);
      }
      poll();
    }

    synchronized void took(String id, long entry) {
      position = id;
      number = entry;
    }

    synchronized void poll() {
      long reported = number;
      requests
          .async()
          .<List<String>>evalsha(
              script, ScriptOutputType.MULTI, new String[] {HEAD, JOURNAL}, name, position)
          .thenAccept(entries -> answered(reported, entries));
    }

    private synchronized void answered(long reported, List<String> entries) {
      for (int i = 0; i < entries.size(); i += 2) {
        took(entries.get(i), Long.parseLong(entries.get(i + 1)));
      }
      if (!entries.isEmpty()) {
        poll();
      }
      if (reported >= expected && counted < reported) {
        counted = reported;
        reports.countDown();
      }
    }
  }

  private final List<Map<String, Object>> rows = new ArrayList<>();

  @Override
  public List<Map<String, Object>> rows() {
    try {
      for (int masters : new int[] {1, 3}) {
        for (int copies : COPIES) {
          for (Way way : Way.values()) {
            if (masters > 1 || !way.sharded()) {
              try (BenchNodes nodes = new BenchNodes(masters)) {
                row(nodes, copies, way);
              }
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return rows;
  }

  private void row(BenchNodes nodes, int copies, Way way) throws InterruptedException {
    RedisClient client = RedisClient.create();
    int owner = nodes.owner(HEAD);
    StatefulRedisConnection<String, String> writer = client.connect(nodes.address(owner));
    String add = writer.sync().scriptLoad(ADD);
    String poll = writer.sync().scriptLoad(POLL);
    expected = 0;
    List<Copy> all = new ArrayList<>();
    for (int i = 0; i < copies; i++) {
      Copy copy = new Copy("copy:" + i, client.connect(nodes.address(owner)), poll);
      all.add(copy);
      boolean anywhere = way.command.equals("PUBLISH");
      listen(client, nodes, way, copy, anywhere ? i % nodes.count() : owner);
    }
    Thread polling = way == Way.POLLS ? polling(all) : null;
    int adds = way == Way.POLLS ? ADDS / 3 : ADDS; // which take longer
    for (int i = 1; i <= WARM_UP; i++) {
      add(writer, add, way, i, copies);
    }
    double micros = nodes.micros();
    double passedOn = nodes.passedOn();
    Histogram took = new Histogram(3);
    for (int i = 1; i <= adds; i++) {
      LockSupport.parkNanos(PAUSE);
      took.recordValue(add(writer, add, way, WARM_UP + i, copies));
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("nodes", nodes.count());
    row.put("copies", copies);
    row.put("way", way.text);
    row.put("p50Micros", took.getValueAtPercentile(50) / 1e3);
    row.put("p99Micros", took.getValueAtPercentile(99) / 1e3);
    row.put("redisMicros", (nodes.micros() - micros) / adds);
    row.put("betweenNodes", (nodes.passedOn() - passedOn) / adds);
    row.put("connections", way.connections);
    rows.add(row);
    System.out.println(row);
    if (polling != null) {
      polling.interrupt();
      polling.join();
    }
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private long add(
      StatefulRedisConnection<String, String> writer, String script, Way way, long n, int copies)
      throws InterruptedException {
    expected = n;
    reports = new CountDownLatch(copies);
    long began = System.nanoTime();
    writer
        .sync()
        .evalsha(script, ScriptOutputType.VALUE, new String[] {HEAD, JOURNAL}, way.command, "" + n);
    if (!reports.await(10, TimeUnit.SECONDS)) {
      throw new IllegalStateException(reports.getCount() + " copies have not reported");
    }
    return System.nanoTime() - began;
  }

  private void listen(RedisClient client, BenchNodes nodes, Way way, Copy copy, int node) {
    if (way == Way.BLOCK) {
      StatefulRedisConnection<String, String> blocking = client.connect(nodes.address(node));
      read(blocking, copy);
    } else if (way != Way.POLLS) {
      StatefulRedisPubSubConnection<String, String> messages =
          client.connectPubSub(nodes.address(node));
      messages.addListener(
          new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
              copy.hear(way, message);
            }

            @Override
            public void smessage(String channel, String message) {
              copy.hear(way, message);
            }
          });
      if (way.sharded()) {
        messages.sync().ssubscribe(HEAD);
      } else {
        messages.sync().subscribe(HEAD);
      }
    }
  }

  private static void read(StatefulRedisConnection<String, String> blocking, Copy copy) {
    blocking
        .async()
        .xread(XReadArgs.Builder.block(0), XReadArgs.StreamOffset.from(JOURNAL, copy.position))
        .thenAccept(
            entries -> {
              for (StreamMessage<String, String> entry : entries) {
                copy.took(entry.getId(), Long.parseLong(entry.getBody().get("n")));
              }
              copy.poll();
              read(blocking, copy);
            });
  }

  private static Thread polling(List<Copy> copies) {
    Thread thread =
        new Thread(
            () -> {
              while (!Thread.currentThread().isInterrupted()) {
                for (Copy copy : copies) {
                  copy.poll();
                  // Spread over the time between two polls.
                  LockSupport.parkNanos(POLL_MILLIS * 1_000_000 / copies.size());
                }
              }
            });
    thread.start();
    return thread;
  }
}
