package io.bloomguard.changes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A way to a server on this machine that can be cut: connections are reset, and none is made. */
public final class CutProxy implements AutoCloseable {

  private final ServerSocket server;
  private final int target;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile boolean cut;

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

  public void mend() {
    cut = false;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        if (cut) {
          client.close();
          continue;
        }
        Socket other = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.addAll(List.of(client, other));
        start(() -> copy(client, other));
        start(() -> copy(other, client));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "cut-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        out.flush();
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
