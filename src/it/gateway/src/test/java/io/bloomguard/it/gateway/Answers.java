package io.bloomguard.it.gateway;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server in place of Bloomguard's that answers each question with the last number of its path.
 */
final class Answers implements AutoCloseable {

  private final HttpServer server;
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final Set<String> headers = new ConcurrentSkipListSet<>();

  Answers() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    server.createContext(
        "/",
        exchange -> {
          Headers sent = exchange.getRequestHeaders();
          String original = sent.getFirst("X-Original-URI");
          String path = original == null ? sent.getFirst("X-Forwarded-Uri") : original;
          asked.add(path + (exchange.getRequestURI().getQuery() == null ? "" : "?"));
          sent.keySet().forEach(name -> headers.add(name.toLowerCase(Locale.ROOT)));
          String last = path.substring(path.lastIndexOf('/') + 1);
          exchange.sendResponseHeaders(last.matches("\\d+") ? Integer.parseInt(last) : 204, -1);
          exchange.close();
        });
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** The paths of all questions, each with a question mark if there was a query. */
  List<String> asked() {
    return asked;
  }

  /** The names of all headers. */
  Set<String> headers() {
    return headers;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
