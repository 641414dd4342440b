package io.bloomguard.bench;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection that is kept alive, for answers that fit into one buffer. */
final class ProductConnection implements Closeable {

  private static final String LENGTH = "\r\nContent-Length: ";
  private static final String LAST_CHUNK = "\r\n0\r\n\r\n";

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] buffer = new byte[4096];

  ProductConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  static byte[] request(String path) {
    return ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  void send(byte[] request) throws IOException {
    out.write(request);
  }

  /**
   * Reads one answer to its end.
   *
   * @throws IllegalStateException if it has another status
   */
  void receive(int status) throws IOException {
    int length = 0;
    do {
      int read = in.read(buffer, length, buffer.length - length);
      if (read <= 0) {
        throw new EOFException("The server closed the connection, or its answer is too long");
      }
      length += read;
    } while (!isWhole(length));
    int got = (buffer[9] - '0') * 100 + (buffer[10] - '0') * 10 + buffer[11] - '0';
    if (got != status) {
      throw new IllegalStateException(new String(buffer, 0, length, StandardCharsets.ISO_8859_1));
    }
  }

  private boolean isWhole(int length) {
    String text = new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
    int body = text.indexOf("\r\n\r\n") + 4;
    if (body < 4) {
      return false;
    }
    int header = text.indexOf(LENGTH);
    if (header < 0 || header > body) {
      return text.endsWith(LAST_CHUNK);
    }
    int from = header + LENGTH.length();
    return length == body + Integer.parseInt(text, from, text.indexOf('\r', from), 10);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
