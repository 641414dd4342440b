package io.bloomguard.bench.attack;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bloomguard.bench.attack.KeyMix.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One connection that is kept alive, with one request at a time. */
final class HttpConnection implements AutoCloseable {

  private static final byte[] HEADERS_END = "\r\n\r\n".getBytes(US_ASCII);
  private static final byte[] LAST_CHUNK = "\r\n0\r\n\r\n".getBytes(US_ASCII);
  private static final byte[] LENGTH = "\r\nContent-Length: ".getBytes(US_ASCII);
  private static final byte[] CLOSE = "\r\nConnection: close".getBytes(US_ASCII);
  private static final int STATUS = "HTTP/1.1 ".length();
  private static final int NO_CONTENT = 204;

  private final int port;
  private final Selector selector;
  private final ByteBuffer out = ByteBuffer.allocateDirect(256);
  private final ByteBuffer in = ByteBuffer.allocateDirect(8192);

  private SocketChannel channel;
  private Kind kind = Kind.ABSENT;
  private String id = "";
  private long intended;

  HttpConnection(int port, Selector selector) throws IOException {
    this.port = port;
    this.selector = selector;
    channel = connect();
  }

  private SocketChannel connect() throws IOException {
    SocketChannel connected =
        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    connected.setOption(StandardSocketOptions.TCP_NODELAY, true);
    connected.configureBlocking(false);
    connected.register(selector, SelectionKey.OP_READ, this);
    return connected;
  }

  Kind kind() {
    return kind;
  }

  String id() {
    return id;
  }

  /** When the request was to be sent, by {@link System#nanoTime}. */
  long intended() {
    return intended;
  }

  void send(Kind kind, String id, long intended) throws IOException {
    this.kind = kind;
    this.id = id;
    this.intended = intended;
    in.clear();
    out.clear();
    kind.write(id, out);
    out.flip();
    channel.write(out);
    if (out.hasRemaining()) {
      throw new IOException("The socket takes no hundred bytes");
    }
  }

  /** Reads what is there; the status of the answer, or 0 until it is whole. */
  int receive() throws IOException {
    if (channel.read(in) < 0) {
      throw new EOFException("The shop closed a connection");
    }
    int body = find(HEADERS_END, 0) + HEADERS_END.length;
    if (body < HEADERS_END.length) {
      return 0;
    }
    int length = find(LENGTH, 0);
    boolean whole =
        number(STATUS) == NO_CONTENT || length >= 0 && length < body
            ? in.position() >= body + number(length + LENGTH.length)
            : find(LAST_CHUNK, in.position() - LAST_CHUNK.length) >= 0;
    if (!whole) {
      return 0;
    }
    int close = find(CLOSE, 0);
    if (close >= 0 && close < body) {
      // Tomcat does so after some errors.
      channel.close();
      channel = connect();
    }
    return number(STATUS);
  }

  private int find(byte[] text, int from) {
    for (int i = Math.max(0, from); i <= in.position() - text.length; i++) {
      int matching = 0;
      while (matching < text.length && in.get(i + matching) == text[matching]) {
        matching++;
      }
      if (matching == text.length) {
        return i;
      }
    }
    return -1;
  }

  private int number(int from) {
    int number = 0;
    for (int i = from; in.get(i) >= '0' && in.get(i) <= '9'; i++) {
      number = number * 10 + in.get(i) - '0';
    }
    return number;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
