package io.bloomguard.redis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A way to Redis that holds every answer back until the client has nothing more to ask, so that it
 * can count how often the client waits: its round trips, whatever their latency.
 */
public final class StepProxy implements AutoCloseable {

  /** A client that has asked nothing for so long waits. */
  private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(150);

  private final ServerSocket server;
  private final int redis;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /** The answers that were handed over in one step, over all connections. */
  public final AtomicInteger steps = new AtomicInteger();

  public StepProxy(int redis) throws IOException {
    this.redis = redis;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        Socket target = new Socket(InetAddress.getLoopbackAddress(), redis);
        sockets.addAll(List.of(client, target));
        Link link = new Link(client, target);
        start(link::ask);
        start(link::hear);
        start(link::answer);
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "step-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** One connection. */
  private final class Link {

    private final Socket client;
    private final Socket target;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private volatile long active = System.nanoTime();

    Link(Socket client, Socket target) {
      this.client = client;
      this.target = target;
    }

    void ask() {
      copy(client, target);
    }

    private void copy(Socket from, Socket to) {
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        byte[] buffer = new byte[1 << 16];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          active = System.nanoTime();
          out.write(buffer, 0, n);
          out.flush();
        }
      } catch (IOException e) {
        // Closed.
      }
    }

    void hear() {
      try {
        InputStream in = target.getInputStream();
        byte[] buffer = new byte[1 << 16];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          active = System.nanoTime();
          synchronized (held) {
            held.write(buffer, 0, n);
          }
        }
      } catch (IOException e) {
        // Closed.
      }
    }

    void answer() {
      try {
        while (!client.isClosed()) {
          LockSupport.parkNanos(QUIET / 8);
          if (System.nanoTime() - active > QUIET) {
            handOver();
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void handOver() throws IOException {
      byte[] answers;
      synchronized (held) {
        answers = held.toByteArray();
        held.reset();
      }
      if (answers.length > 0) {
        steps.incrementAndGet();
        client.getOutputStream().write(answers);
        client.getOutputStream().flush();
      }
    }
  }
}
