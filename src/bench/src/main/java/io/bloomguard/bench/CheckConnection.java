package io.bloomguard.bench;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** A connection to a server that is kept alive: HTTP/1.1 as far as answers of known length go. */
final class CheckConnection implements Closeable {

  private static final String LENGTH = "\r\ncontent-length:";

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private byte[] buffer = new byte[1 << 16];

  CheckConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  /** Sends a whole request. */
  void send(byte[] request) throws IOException {
    out.write(request);
  }

  /**
   * The body of the answer.
   *
   * @throws IOException if the status is not 200 or the length is not said
   */
  byte[] receive() throws IOException {
    int filled = 0;
    int body = -1;
    while (body < 0) {
      filled += read(filled);
      body = body(filled);
    }
    int end = body + length(body);
    buffer = end > buffer.length ? Arrays.copyOf(buffer, end) : buffer;
    while (filled < end) {
      filled += read(filled);
    }
    return Arrays.copyOfRange(buffer, body, end);
  }

  private int read(int from) throws IOException {
    int read = in.read(buffer, from, buffer.length - from);
    if (read <= 0) {
      throw new EOFException("The server closed the connection");
    }
    return read;
  }

  private int body(int filled) {
    for (int i = 3; i < filled; i++) {
      if (buffer[i] == '\n' && buffer[i - 2] == '\n') {
        return i + 1;
      }
    }
    return -1;
  }

  private int length(int body) throws IOException {
    String head = new String(buffer, 0, body, StandardCharsets.ISO_8859_1);
    int at = head.toLowerCase(Locale.ROOT).indexOf(LENGTH);
    if (!head.startsWith("HTTP/1.1 200") || at < 0) {
      throw new IOException("The server answered " + head);
    }
    int from = at + LENGTH.length();
    return Integer.parseInt(head.substring(from, head.indexOf('\r', from)).strip());
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
