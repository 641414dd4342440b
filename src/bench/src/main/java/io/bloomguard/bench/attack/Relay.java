package io.bloomguard.bench.attack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A way to a port of this machine on which every byte takes longer, a process of its own. What is
 * under way does not hold up what comes after it.
 */
public final class Relay implements AutoCloseable {

  private static final int BUFFER = 1 << 16;

  /** Pieces under way in one direction of a connection; the sender of more has to wait. */
  private static final int UNDER_WAY = 256;

  private final Process process;
  private final int port;

  /** Starts the process, whose port leads to another. */
  Relay(int target, long delayNanos) throws IOException {
    process = GeneratorProcess.start(Relay.class, target, delayNanos);
    port = Integer.parseInt(process.inputReader().readLine());
  }

  int port() {
    return port;
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  @Override
  public void close() {
    process.destroy();
  }

  /**
   * Relays to the port that is the first argument, later by the nanoseconds that are the second.
   */
  public static void main(String[] arguments) throws IOException {
    int target = Integer.parseInt(arguments[0]);
    long delay = Long.parseLong(arguments[1]);
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket entrance = new ServerSocket(0, 0, loopback)) {
      System.out.println(entrance.getLocalPort());
      while (true) {
        Socket from = entrance.accept();
        Socket to = new Socket(loopback, target);
        relay(from, to, delay);
        relay(to, from, delay);
      }
    }
  }

  private static void relay(Socket from, Socket to, long delay) throws IOException {
    to.setTcpNoDelay(true);
    BlockingQueue<Piece> underWay = new ArrayBlockingQueue<>(UNDER_WAY);
    start(() -> receive(from, underWay, delay));
    start(() -> deliver(underWay, to));
  }

  private static void receive(Socket from, BlockingQueue<Piece> underWay, long delay)
      throws InterruptedException {
    byte[] buffer = new byte[BUFFER];
    int length;
    do {
      length = read(from, buffer);
      underWay.put(
          new Piece(System.nanoTime() + delay, Arrays.copyOf(buffer, Math.max(length, 0))));
    } while (length > 0);
  }

  /** The length of what has been read; the end of a connection has none. */
  private static int read(Socket from, byte[] buffer) {
    try {
      return from.getInputStream().read(buffer);
    } catch (IOException e) {
      return -1;
    }
  }

  private static void deliver(BlockingQueue<Piece> underWay, Socket to)
      throws IOException, InterruptedException {
    try (to) {
      for (Piece piece = underWay.take(); piece.bytes.length > 0; piece = underWay.take()) {
        for (long left = piece.left(); left > 0; left = piece.left()) {
          LockSupport.parkNanos(left);
        }
        to.getOutputStream().write(piece.bytes);
      }
    }
  }

  private static void start(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException | InterruptedException e) {
                // One end has gone; the other is closed with it.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private interface Task {
    void run() throws IOException, InterruptedException;
  }

  private record Piece(long due, byte[] bytes) {

    long left() {
      return due - System.nanoTime();
    }
  }
}
