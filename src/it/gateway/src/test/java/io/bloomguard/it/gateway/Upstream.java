package io.bloomguard.it.gateway;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A program behind a proxy, which answers every path with its name and counts. */
final class Upstream implements AutoCloseable {

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(8);
  private final AtomicInteger asked = new AtomicInteger();

  Upstream() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          String sent =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String answer = exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + sent;
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          boolean head = exchange.getRequestMethod().equals("HEAD");
          exchange.sendResponseHeaders(200, head ? -1 : body.length);
          if (!head) {
            exchange.getResponseBody().write(body);
          }
          exchange.close();
        });
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  int asked() {
    return asked.get();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
