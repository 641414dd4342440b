package io.bloomguard.it.attacks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** As many GETs as a few connections carry, sent without waiting for each answer. */
final class Flood {

  private static final int CONNECTIONS = 8;
  private static final int AT_ONCE = 50;

  private Flood() {}

  /** Asks for {@code path} + number, for each number: how many answers of each status came. */
  static Map<Integer, Integer> send(int port, String path, long first, int count) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    try {
      int share = count / CONNECTIONS;
      List<Callable<Map<Integer, Integer>>> parts = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        long from = first + (long) i * share;
        long end = i == CONNECTIONS - 1 ? first + count : from + share;
        parts.add(() -> sendAll(port, path, from, end));
      }
      Map<Integer, Integer> statuses = new TreeMap<>();
      for (Future<Map<Integer, Integer>> part : threads.invokeAll(parts)) {
        part.get().forEach((status, times) -> statuses.merge(status, times, Integer::sum));
      }
      return statuses;
    } finally {
      threads.shutdownNow();
    }
  }

  private static Map<Integer, Integer> sendAll(int port, String path, long from, long end)
      throws IOException {
    Map<Integer, Integer> statuses = new TreeMap<>();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      socket.setTcpNoDelay(true);
      OutputStream out = socket.getOutputStream();
      InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
      for (long next = from; next < end; next += AT_ONCE) {
        long until = Math.min(end, next + AT_ONCE);
        StringBuilder requests = new StringBuilder();
        for (long number = next; number < until; number++) {
          requests.append("GET ").append(path).append(number);
          requests.append(" HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
        out.write(requests.toString().getBytes(US_ASCII));
        for (long number = next; number < until; number++) {
          statuses.merge(readStatus(in), 1, Integer::sum);
        }
      }
    }
    return statuses;
  }

  /** Reads one answer to its end. */
  private static int readStatus(InputStream in) throws IOException {
    int status = Integer.parseInt(readLine(in).split(" ")[1]);
    int length = -1;
    for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
      if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
        length = Integer.parseInt(line.substring(15).trim());
      }
    }
    if (length < 0) {
      throw new IOException("An answer " + status + " without a length");
    }
    in.skipNBytes(length);
    return status;
  }

  private static String readLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("The connection ended");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
