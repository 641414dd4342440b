package io.bloomguard.it.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** One connection to a Redis, for commands of an operator or an accident. */
public final class RespClient implements AutoCloseable {

  private static final int TIMEOUT_MILLIS = 10_000;

  private final Socket socket = new Socket();
  private final DataInputStream in;

  public RespClient(int port) throws IOException {
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  /**
   * Sends a command.
   *
   * @param words strings, numbers or byte arrays
   * @return a string (bytes one to one), a Long, a list or null
   * @throws IOException if Redis is away, or answers with an error
   */
  public Object call(Object... words) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.write(("*" + words.length + "\r\n").getBytes(US_ASCII));
    for (Object word : words) {
      byte[] bytes = word instanceof byte[] given ? given : word.toString().getBytes(UTF_8);
      request.write(("$" + bytes.length + "\r\n").getBytes(US_ASCII));
      request.write(bytes);
      request.write("\r\n".getBytes(US_ASCII));
    }
    socket.getOutputStream().write(request.toByteArray());
    return read();
  }

  private Object read() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case ':' -> Long.valueOf(rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> list(Integer.parseInt(rest));
      default -> throw new IOException("Redis answered " + rest);
    };
  }

  private String bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    line();
    return new String(bytes, ISO_8859_1);
  }

  private List<Object> list(int length) throws IOException {
    List<Object> items = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      items.add(read());
    }
    return items;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new IOException("Redis closed the connection");
      }
      line.append((char) c);
    }
    in.read();
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
