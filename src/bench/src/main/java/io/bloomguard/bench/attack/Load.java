package io.bloomguard.bench.attack;

import io.bloomguard.bench.attack.KeyMix.Kind;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over a fixed number of connections, from one thread.
 *
 * <p>In an open loop a request is due at its own time, whatever became of those before it, and its
 * latency is counted from then: waiting for a free connection is a part of it.
 */
final class Load implements AutoCloseable {

  static final int CONNECTIONS = 64;

  /** A load that is so far behind is lost, and ends. */
  private static final double LOST_SECONDS = 0.5;

  /** A client of a flood waits for a connection no longer than this. */
  private static final long GIVEN_UP = TimeUnit.SECONDS.toNanos(1);

  /** Answers that do not come within this time are not waited for. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

  /** Short beside a request; a thread that spun would show no share of the processor. */
  private static final long PAUSE = 20_000;

  private final Selector selector = Selector.open();
  private final List<HttpConnection> connections = new ArrayList<>();
  private final ArrayDeque<HttpConnection> idle = new ArrayDeque<>();
  private final ArrayDeque<String> inserts = new ArrayDeque<>();
  private final KeyMix mix;

  private final Histogram latency = new Histogram(3);
  private final Histogram lateness = new Histogram(3);
  private long answered;
  private long falseAbsent;
  private long errors;

  /** Requests of users in a flood that were sent or given up. */
  private long users;

  private long inTime;

  /**
   * @param only what every request is; null for the mix of an attack
   */
  Load(int port, ShopDatabase database, @Nullable Kind only) throws IOException {
    mix = new KeyMix(database, only);
    for (int i = 0; i < CONNECTIONS; i++) {
      HttpConnection connection = new HttpConnection(port, selector);
      connections.add(connection);
      idle.add(connection);
    }
  }

  /** Asks for each hot id once, as fast as the answers come. */
  LoadFigures hot() throws IOException {
    reset();
    long began = System.nanoTime();
    int next = 0;
    while (next < KeyMix.HOT || busy()) {
      while (next < KeyMix.HOT && !idle.isEmpty()) {
        idle.remove().send(Kind.HOT, mix.hot(next++), System.nanoTime());
      }
      receive();
      requireProgress(began);
    }
    return figures(KeyMix.HOT, began);
  }

  /** Sends the mix on every connection as fast as the answers come. */
  LoadFigures closed(double seconds) throws IOException {
    reset();
    long began = System.nanoTime();
    long end = began + (long) (seconds * 1e9);
    long next = 0;
    while (System.nanoTime() < end) {
      insert();
      while (!idle.isEmpty()) {
        send(next++, System.nanoTime());
      }
      receive();
    }
    awaitAnswers();
    return figures(next, began);
  }

  /** Sends the mix at a fixed rate. */
  LoadFigures open(int rate, double seconds) throws IOException {
    reset();
    long total = (long) (rate * seconds);
    long began = System.nanoTime();
    LongUnaryOperator intended = n -> began + (long) (n * 1e9 / rate);
    long due = 0;
    long sent = 0;
    while (sent < total && due - sent < rate * LOST_SECONDS) {
      long now = System.nanoTime();
      for (; due < total && intended.applyAsLong(due) <= now; due++) {
        lateness.recordValue(now - intended.applyAsLong(due));
      }
      boolean worked = insert();
      while (sent < due && !idle.isEmpty()) {
        send(sent, intended.applyAsLong(sent));
        sent++;
        worked = true;
      }
      if (!receive() && !worked) {
        LockSupport.parkNanos(PAUSE);
      }
    }
    awaitAnswers();
    long now = System.nanoTime();
    for (long lost = sent; lost < due; lost++) {
      latency.recordValue(now - intended.applyAsLong(lost));
    }
    return figures(total, began);
  }

  /** Sends the mix at a fixed rate, whatever becomes of it, and tells of each interval. */
  void flood(Flood flood, Consumer<LoadFigures> told) throws IOException {
    long began = System.nanoTime();
    LongUnaryOperator intended = n -> began + (long) (n * 1e9 / flood.rate());
    long n = 0;
    for (int second = flood.interval(); second <= flood.seconds(); second += flood.interval()) {
      reset();
      long from = began + TimeUnit.SECONDS.toNanos(second - flood.interval());
      long end = began + TimeUnit.SECONDS.toNanos(second);
      while (System.nanoTime() < end) {
        boolean worked = insert();
        while (isPast(flood, n, intended.applyAsLong(n))) {
          n++;
          worked = true;
        }
        if (!receive() && !worked) {
          LockSupport.parkNanos(PAUSE);
        }
      }
      told.accept(figures(users, from));
    }
    awaitAnswers();
  }

  /** Sends the n-th request, or gives it up, as its client does; false if it has to wait. */
  private boolean isPast(Flood flood, long n, long intended) throws IOException {
    long late = System.nanoTime() - intended;
    Kind kind = mix.kind(n);
    if (late < 0 || (late < GIVEN_UP && idle.isEmpty())) {
      return false;
    }
    if (kind == Kind.ABSENT && !flood.hasBots(n)) {
      return true;
    }
    users += kind == Kind.ABSENT ? 0 : 1;
    if (late < GIVEN_UP) {
      idle.remove().send(kind, mix.id(kind), intended);
    }
    return true;
  }

  private void reset() {
    latency.reset();
    lateness.reset();
    answered = 0;
    falseAbsent = 0;
    errors = 0;
    users = 0;
    inTime = 0;
  }

  private boolean busy() {
    return idle.size() < CONNECTIONS;
  }

  private void send(long n, long intended) throws IOException {
    Kind kind = mix.kind(n);
    idle.remove().send(kind, mix.id(kind), intended);
  }

  /** Inserts what has been asked for; these come besides the rate. */
  private boolean insert() throws IOException {
    if (inserts.isEmpty() || idle.isEmpty()) {
      return false;
    }
    idle.remove().send(Kind.INSERT, inserts.remove(), System.nanoTime());
    return true;
  }

  /** Takes the answers that are there; false if there are none. */
  private boolean receive() throws IOException {
    if (selector.selectNow() == 0) {
      return false;
    }
    Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
    while (ready.hasNext()) {
      HttpConnection connection = (HttpConnection) ready.next().attachment();
      ready.remove();
      int status = connection.receive();
      if (status != 0) {
        answer(connection, status);
        idle.add(connection);
      }
    }
    return true;
  }

  private void answer(HttpConnection connection, int status) {
    Kind kind = connection.kind();
    if (status != kind.status) {
      if (status == 404) {
        falseAbsent++;
      } else {
        errors++;
      }
    }
    if (kind == Kind.INSERT) {
      if (status == kind.status) {
        mix.inserted(connection.id());
      }
      return;
    }
    answered++;
    long nanos = System.nanoTime() - connection.intended();
    latency.recordValue(nanos);
    if (kind != Kind.ABSENT && status == kind.status && nanos <= Attack.MAX_P99) {
      inTime++;
    }
    if (kind == Kind.COMING) {
      inserts.add(connection.id());
    }
  }

  private void awaitAnswers() throws IOException {
    long began = System.nanoTime();
    while (busy() || !inserts.isEmpty()) {
      insert();
      receive();
      requireProgress(began);
    }
  }

  private static void requireProgress(long began) throws IOException {
    if (System.nanoTime() - began > PATIENCE) {
      throw new IOException("The shop does not answer");
    }
  }

  private LoadFigures figures(long offered, long began) {
    return new LoadFigures(
        offered,
        answered,
        System.nanoTime() - began,
        latency.getValueAtPercentile(50),
        latency.getValueAtPercentile(99),
        latency.getValueAtPercentile(99.9),
        lateness.getValueAtPercentile(99),
        falseAbsent,
        errors,
        inTime);
  }

  @Override
  public void close() throws IOException {
    for (HttpConnection connection : connections) {
      connection.close();
    }
    selector.close();
  }
}
