package io.bloomguard.it.soak;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A caller of the membership API with bodies that none should send. */
final class Hostile implements Traffic.Step {

  /** Bodies of which one caller sends a part and no more, at once. */
  private static final int MOST_HELD = 12;

  private static final int MEGABYTE = 1 << 20;

  private static final Set<Integer> REFUSALS = Set.of(400, 404, 405, 408, 413, 415, 503);

  private static final List<String> MALFORMED =
      List.of(
          "",
          "{",
          "[]",
          "null",
          "{\"keys\":\"1\"}",
          "{\"keys\":[1.5]}",
          "{\"keys\":[null]}",
          "{\"keys\":[\"\\u0000\"]}",
          "{\"keys\":[{\"a\":1}]}",
          "{\"keys\":[1],\"keys\":[2]}",
          "{\"keys\":[1],\"more\":1}",
          "{\"keys\":[1]} trailing",
          "{\"keys\":[\"unended",
          "{\"keys\":" + "[".repeat(20_000),
          "{\"keys\":[\"" + "k".repeat(65_536) + "\"]}",
          "{\"" + "n".repeat(65_536) + "\":[]}",
          "{\"keys\":[" + "9".repeat(5_000) + "]}");

  private final Jvm server;
  private final Tally tally;
  private final Deque<Socket> held = new ArrayDeque<>();

  Hostile(Jvm server, Tally tally) {
    this.server = server;
    this.tally = tally;
  }

  @Override
  public void take(Random random) throws Exception {
    String path = "/v1/filters/things/" + List.of("check", "keys", "found").get(random.nextInt(3));
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> halfSent(path, random);
      case 3 -> refused("too long", path, "Content-Length: " + 64 * MEGABYTE, MEGABYTE);
      case 4 -> refused("endless", path, "Transfer-Encoding: chunked", 20 * MEGABYTE);
      case 5 -> {
        int status = server.get(path + "?key=1").statusCode();
        judge("wrong method", status);
      }
      case 6 -> judge("no filter", server.post("/v1/filters/none/check", "{}").statusCode());
      default -> {
        String body = MALFORMED.get(random.nextInt(MALFORMED.size()));
        judge("malformed", server.post(path, body).statusCode());
      }
    }
  }

  private void judge(String kind, int status) {
    tally.count("hostile, " + kind, status);
    if (!REFUSALS.contains(status)) {
      tally.wrong("hostile body, " + kind + ", was answered " + status);
    }
  }

  private Socket open(String path, String header) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout((int) Jvm.LONGEST_CALL.toMillis());
    String head =
        "POST "
            + path
            + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + header
            + "\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(US_ASCII));
    return socket;
  }

  /**
   * Sends up to 2 MB of keys, and leaves the rest out; the oldest of them goes when there are many.
   */
  private void halfSent(String path, Random random) throws IOException {
    if (held.size() >= MOST_HELD) {
      held.removeFirst().close();
    }
    Socket socket = open(path, "Content-Length: " + 15 * MEGABYTE);
    held.addLast(socket);
    try {
      OutputStream out = socket.getOutputStream();
      out.write("{\"keys\":[".getBytes(US_ASCII));
      int keys = random.nextInt(8_000);
      for (int i = 0; i < keys; i += 100) {
        String key = "\"" + "h".repeat(240) + i + "\",";
        out.write(key.repeat(100).getBytes(US_ASCII));
      }
      tally.count("hostile, half-sent", "held");
    } catch (IOException e) {
      tally.count("hostile, half-sent", "cut");
    }
  }

  /** Sends until it is answered or cut off. */
  private void refused(String kind, String path, String header, int bytes) throws IOException {
    boolean chunked = header.contains("chunked");
    byte[] piece = ("\"" + "c".repeat(200) + "\",").repeat(40).getBytes(US_ASCII);
    try (Socket socket = open(path, header)) {
      OutputStream out = socket.getOutputStream();
      for (int sent = 0; sent < bytes && socket.getInputStream().available() == 0; ) {
        if (chunked) {
          out.write((Integer.toHexString(piece.length) + "\r\n").getBytes(US_ASCII));
        }
        out.write(sent == 0 ? opening(piece) : piece);
        if (chunked) {
          out.write("\r\n".getBytes(US_ASCII));
        }
        sent += piece.length;
      }
      String line = new String(socket.getInputStream().readNBytes(12), US_ASCII);
      judge(kind, line.isEmpty() ? 413 : Integer.parseInt(line.substring(9)));
    } catch (IOException e) {
      tally.count("hostile, " + kind, "cut");
    }
  }

  /** The beginning of an object, as long as any piece. */
  private static byte[] opening(byte[] piece) {
    byte[] opening = piece.clone();
    byte[] head = "{\"keys\":[".getBytes(US_ASCII);
    System.arraycopy(head, 0, opening, 0, head.length);
    opening[head.length] = '"';
    return opening;
  }

  @Override
  public void close() throws IOException {
    while (!held.isEmpty()) {
      held.removeFirst().close();
    }
  }
}
