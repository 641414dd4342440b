package io.bloomguard.it.cloudgateway;

import com.sun.net.httpserver.HttpServer;
import io.bloomguard.it.support.ChildProcess;
import io.bloomguard.it.support.Program;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The program behind the gateway, in Python where the path has it: a process of its own that knows
 * neither Spring nor Bloomguard. It counts its requests, and answers {@code /api/orders/<status>}
 * with that status.
 */
final class Upstream {

  private static final String ANSWER = "= ";

  private Upstream() {}

  /** Starts it; its first answer is its port. */
  static ChildProcess start() throws IOException {
    Program python = Program.find("python3").orElse(null);
    if (python == null) {
      return new ChildProcess("upstream", ANSWER, List.of("-Xmx64m"), Upstream.class, List.of());
    }
    Path file = Path.of("src", "test", "resources", "upstream.py").toAbsolutePath();
    return new ChildProcess("upstream", ANSWER, List.of(python.file().toString(), file.toString()));
  }

  public static void main(String[] args) throws IOException {
    AtomicInteger asked = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    var threads = Executors.newFixedThreadPool(8);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          String uri = exchange.getRequestURI().toString();
          int status = uri.startsWith("/api/orders/") ? Integer.parseInt(uri.substring(12)) : 200;
          byte[] body = ("upstream " + uri).getBytes(StandardCharsets.UTF_8);
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    System.out.println(ANSWER + server.getAddress().getPort());
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); "count".equals(line); line = commands.readLine()) {
      System.out.println(ANSWER + asked.get());
    }
    server.stop(0);
    threads.shutdownNow();
  }
}
