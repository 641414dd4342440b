package io.bloomguard.changes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A way to a server on this machine that can be cut. */
public final class CutProxy implements AutoCloseable {

  private final ServerSocket server;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile int target;
  private volatile boolean cut;
  private volatile int swallowed;

  public CutProxy(int target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  public void cut() throws IOException {
    cut = true;
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** Leads to another server from the next connection on. */
  public void leadTo(int port) {
    target = port;
  }

  /** Connections stay, and carry nothing ever again; new ones are refused until it is mended. */
  public void swallow() {
    cut = true;
    swallowed = sockets.size();
  }

  public void mend() {
    cut = false;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        if (cut) {
          client.close();
        } else {
          connect(client);
        }
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void connect(Socket client) throws IOException {
    try {
      Socket other = new Socket(InetAddress.getLoopbackAddress(), target);
      sockets.addAll(List.of(client, other));
      int number = sockets.size();
      start(() -> copy(client, other, number));
      start(() -> copy(other, client, number));
    } catch (ConnectException e) {
      // The server is away.
      client.close();
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "cut-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void copy(Socket from, Socket to, int number) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (number > swallowed) {
          out.write(buffer, 0, n);
          out.flush();
        }
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }
}
