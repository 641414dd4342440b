package io.bloomguard.it.faults;

import io.bloomguard.it.support.Processes;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A network between the shops and a Redis that can be broken. */
final class FaultProxy implements AutoCloseable {

  private final int port = Processes.freePort();
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private volatile int target;
  private volatile long delayMillis;
  private volatile boolean dark;
  private volatile boolean deaf;
  private volatile long lateMillis;
  private ServerSocket entrance;

  FaultProxy(int target) throws IOException {
    this.target = target;
    open();
  }

  int port() {
    return port;
  }

  /** Later connections go there; those that stand are cut. */
  void lead(int newTarget) {
    target = newTarget;
    reset();
  }

  /** Every piece of what is sent, either way, takes that much longer. */
  void delay(long millis) {
    delayMillis = millis;
  }

  /** Nothing comes through, either way, and nobody is told; what was sent meanwhile is lost. */
  void blackhole(boolean on) {
    dark = on;
    if (!on) {
      // A peer that hears nothing gives up at last; here at once.
      reset();
    }
  }

  /** What the shops send comes through, what Redis answers does not. */
  void swallowAnswers(boolean on) {
    deaf = on;
    if (!on) {
      reset();
    }
  }

  /** What Redis answers takes that much longer; what the shops send does not. */
  void delayAnswers(long millis) {
    lateMillis = millis;
  }

  /** Cuts every connection that stands, with a reset. */
  void reset() {
    links.forEach(Link::reset);
  }

  /** Ends every connection one way: Redis says it is done, and goes on listening. */
  void halfClose() {
    links.forEach(Link::halfClose);
  }

  /** Nobody listens any more. */
  void refuse() throws IOException {
    entrance.close();
    reset();
  }

  /** Listens again. */
  void open() throws IOException {
    ServerSocket opened = new ServerSocket();
    opened.setReuseAddress(true);
    opened.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    entrance = opened;
    daemon(() -> accept(opened));
  }

  private void accept(ServerSocket from) {
    while (!from.isClosed()) {
      try {
        Socket shop = from.accept();
        try {
          Link link = new Link(shop, new Socket(InetAddress.getLoopbackAddress(), target));
          links.add(link);
          daemon(() -> link.pump(true));
          daemon(() -> link.pump(false));
        } catch (IOException e) {
          shop.setSoLinger(true, 0);
          shop.close();
        }
      } catch (IOException e) {
        // Closed, or somebody who left again.
      }
    }
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "fault-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    refuse();
  }

  /** One connection and its continuation. */
  private final class Link {

    private final Socket shop;
    private final Socket redis;

    Link(Socket shop, Socket redis) throws IOException {
      this.shop = shop;
      this.redis = redis;
      shop.setTcpNoDelay(true);
      redis.setTcpNoDelay(true);
    }

    void pump(boolean toRedis) {
      byte[] buffer = new byte[65_536];
      try {
        InputStream in = (toRedis ? shop : redis).getInputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          long late = toRedis ? delayMillis : delayMillis + lateMillis;
          if (late > 0) {
            Thread.sleep(late);
          }
          if (!dark && (toRedis || !deaf)) {
            (toRedis ? redis : shop).getOutputStream().write(buffer, 0, read);
          }
        }
        (toRedis ? redis : shop).shutdownOutput();
      } catch (IOException e) {
        reset();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        if (!toRedis) {
          links.remove(this);
        }
      }
    }

    void halfClose() {
      try {
        shop.shutdownOutput();
      } catch (IOException e) {
        reset();
      }
    }

    void reset() {
      links.remove(this);
      close(shop);
      close(redis);
    }

    private void close(Socket socket) {
      try {
        socket.setSoLinger(true, 0);
        socket.close();
      } catch (IOException e) {
        // It is closed.
      }
    }
  }
}
