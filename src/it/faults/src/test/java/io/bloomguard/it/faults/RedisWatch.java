package io.bloomguard.it.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Redis does to the register of the copies and the journal of {@code products}, in its own
 * order: by {@code MONITOR}, which tells what scripts do too. It sees nothing more once the filter
 * has several partitions: which of them a key lies in cannot be told from outside.
 */
final class RedisWatch implements AutoCloseable {

  private static final String HEAD = "\"" + Redis.PARTITION + "head\"";
  private static final Pattern OTHER_HEAD =
      Pattern.compile("\"bloomguard:\\{products:[1-9]\\d*}:(next:)?head\"");
  private static final Pattern LINE = Pattern.compile("\\+(\\d+)\\.(\\d{6}) \\[\\d+ (\\S+)] (.*)");
  private static final Pattern COPY =
      Pattern.compile("\"copy:([^\"]+)\" \"[^|\"]*\\|([^|\"]*)\\|(\\d+)\\|");
  private static final Pattern GONE = Pattern.compile("\"copy:([^\"]+)\"");
  private static final Pattern ENTRY = Pattern.compile("\"journal-last\" \"(\\d+-\\d+)\"");
  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private final Redis redis;
  private final List<Event> events = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "redis-watch");
  private volatile boolean closed;
  private volatile Socket socket;

  /** The call of the script that Redis is at: what it does comes next. */
  private String script = "";

  private boolean several;

  /**
   * One step of Redis.
   *
   * @param kind {@code copy}, {@code gone}, {@code lost}, {@code entry}, or {@code blind} where the
   *     watch begins, and has not seen what was before
   * @param micros since 1970
   * @param copy a copy's id; of an entry that of the writer's own copy, if it has one
   * @param position a journal entry
   * @param leaseMillis the length of a copy's lease
   */
  record Event(String kind, long micros, String copy, String position, long leaseMillis) {}

  RedisWatch(Redis redis) {
    this.redis = redis;
    thread.setDaemon(true);
    thread.start();
  }

  synchronized List<Event> events() {
    return List.copyOf(events);
  }

  private synchronized void add(Event event) {
    events.add(event);
  }

  private void run() {
    while (!closed) {
      try (Socket own = new Socket(InetAddress.getLoopbackAddress(), redis.partition().port());
          BufferedReader in =
              new BufferedReader(new InputStreamReader(own.getInputStream(), ISO_8859_1))) {
        socket = own;
        // The traffic of a second holds several lines at least.
        own.setSoTimeout(5_000);
        own.getOutputStream().write("MONITOR\r\n".getBytes(US_ASCII));
        add(new Event("blind", Traces.micros(), "", "", 0));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          read(line);
        }
      } catch (IOException | RuntimeException e) {
        // It is away, or another one serves.
        pause();
      }
    }
  }

  private void read(String text) {
    if (!several && OTHER_HEAD.matcher(text).find()) {
      several = true;
      add(new Event("blind", Traces.micros(), "", "", 0));
    }
    if (several || !text.contains(HEAD)) {
      return;
    }
    Matcher line = LINE.matcher(text);
    if (!line.matches()) {
      return;
    }
    long micros = Long.parseLong(line.group(1)) * 1_000_000 + Long.parseLong(line.group(2));
    String command = line.group(4);
    if (!line.group(3).equals("lua")) {
      script = command;
      // What an operator or an accident does to the head.
      if (command.startsWith("\"HDEL\"")) {
        gone(command, micros);
      } else if (!command.startsWith("\"EVAL") && !command.startsWith("\"H")) {
        add(new Event("lost", micros, "", "", 0));
      }
      return;
    }
    Matcher entry = ENTRY.matcher(command);
    Matcher copy = COPY.matcher(command);
    if (command.startsWith("\"HSET\"") && entry.find()) {
      add(new Event("entry", micros, own(), entry.group(1), 0));
    } else if (command.startsWith("\"HSET\"") && copy.find()) {
      long lease = Long.parseLong(copy.group(3));
      add(new Event("copy", micros, copy.group(1), copy.group(2), lease));
    } else if (command.startsWith("\"HDEL\"")) {
      gone(command, micros);
    } else if (command.startsWith("\"DEL\"") || command.startsWith("\"UNLINK\"")) {
      add(new Event("lost", micros, "", "", 0));
    }
  }

  private void gone(String command, long micros) {
    Matcher gone = GONE.matcher(command);
    while (gone.find()) {
      add(new Event("gone", micros, gone.group(1), "", 0));
    }
  }

  /** The id among the script's arguments that is one of a copy. */
  private String own() {
    Matcher id = ID.matcher(script);
    return id.find() ? id.group() : "";
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    thread.interrupt();
    Socket open = socket;
    if (open != null) {
      open.close();
    }
  }
}
