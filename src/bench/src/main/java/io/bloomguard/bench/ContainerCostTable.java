package io.bloomguard.bench;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServer;

/** The processor time that a Tomcat spends on a request that we reject, beside an empty 404. */
@Suite(
    order = 51,
    title = "A rejected request in a container",
    brief =
        """
        Tomcat's processor time for one request. `container404` is a servlet that sets the status 404 and nothing else; `overEmpty` is the cost beyond that, as a share of it.
        """,
    columns = {"contestant", "cpuMicros", "overEmpty"},
    text =
        """
        Spring Boot's Tomcat on the loopback interface, one connection that is kept alive, one
        request at a time. `cpuMicros` is the processor time of the server's threads for one
        request, the client's not counted: the median of many short rounds, in which the contestants
        take turns. `container404` is a servlet that sets the status 404 and nothing else, without any
        filter; `container404Body` writes the problem's headers and body besides, which is the
        price of an answer with a body. `sendError404` is Tomcat's own answer with a page.
        `overEmpty` is the median of a contestant's cost beyond `container404` in the same
        round, as a share of it.
        """)
final class ContainerCostTable implements FigureTable {

  private static final int ROUND = BenchForm.size(200, 20);
  private static final int ROUNDS = BenchForm.size(500, 2);
  private static final int WARM_UP = BenchForm.size(100, 1);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** The problem that the filter answers, to be written without it. */
  private static final byte[] BODY =
      ("{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
              + "\"detail\":\"There is nothing with this key.\"}")
          .getBytes(StandardCharsets.US_ASCII);

  private static class Empty extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.setStatus(404);
    }
  }

  private static final class Body extends Empty {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.setStatus(404);
      response.setContentType("application/problem+json");
      response.setContentLength(BODY.length);
      response.getOutputStream().write(BODY);
    }
  }

  private static final class Page extends Empty {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.sendError(404);
    }
  }

  @Override
  public List<Map<String, Object>> rows() {
    try (RejectingFilter filter = new RejectingFilter()) {
      TomcatServletWebServerFactory factory = new TomcatServletWebServerFactory(0);
      factory.setAddress(InetAddress.getLoopbackAddress());
      factory.addConnectorCustomizers(
          connector -> connector.setProperty("maxKeepAliveRequests", "-1"));
      WebServer server =
          factory.getWebServer(
              context -> {
                context.addServlet("empty", new Empty()).addMapping("/none/*", "/api/*");
                context.addServlet("body", new Body()).addMapping("/body/*");
                context.addServlet("page", new Page()).addMapping("/page/*");
                context
                    .addFilter("guard", filter.filter())
                    .addMappingForUrlPatterns(null, false, "/api/*");
              });
      server.start();
      try {
        return measured(server.getPort(), filter);
      } finally {
        server.stop();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Map<String, Object>> measured(int port, RejectingFilter filter)
      throws IOException {
    String[] numbers = filter.rejectedPaths(RejectingFilter.Type.NUMBER, ROUND);
    String[] texts = filter.rejectedPaths(RejectingFilter.Type.TEXT, ROUND);
    Map<String, byte[][]> contestants = new LinkedHashMap<>();
    contestants.put("container404", requests(under("/none", texts)));
    contestants.put("bloomguard", requests(texts));
    contestants.put("bloomguardNumber", requests(numbers));
    contestants.put("container404Body", requests(under("/body", texts)));
    contestants.put("sendError404", requests(under("/page", texts)));
    Map<String, double[]> micros = new LinkedHashMap<>();
    contestants.keySet().forEach(name -> micros.put(name, new double[ROUNDS]));
    List<Map.Entry<String, byte[][]>> order = new ArrayList<>(contestants.entrySet());
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        // Each follows another one in turn, and inherits its caches.
        Collections.rotate(order, 1);
        for (Map.Entry<String, byte[][]> contestant : order) {
          double spent = round(socket, contestant.getValue());
          if (round >= 0) {
            micros.get(contestant.getKey())[round] = spent;
          }
        }
      }
    }
    return table(micros);
  }

  /** The same keys below another path. */
  private static String[] under(String path, String[] paths) {
    return Stream.of(paths)
        .map(each -> path + each.substring(each.indexOf('/', 1)))
        .toArray(String[]::new);
  }

  private static byte[][] requests(String[] paths) {
    return Stream.of(paths)
        .map(
            path ->
                ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII))
        .toArray(byte[][]::new);
  }

  private static double round(Socket socket, byte[][] requests) throws IOException {
    OutputStream out = socket.getOutputStream();
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[4096];
    long before = serverNanos();
    for (byte[] request : requests) {
      out.write(request);
      read(in, buffer);
    }
    return (serverNanos() - before) / 1e3 / requests.length;
  }

  /** Reads one answer to its end. */
  private static void read(InputStream in, byte[] buffer) throws IOException {
    int length = 0;
    int end = -1;
    while (end < 0 || length < end) {
      int read = in.read(buffer, length, buffer.length - length);
      if (read < 0) {
        throw new IOException("The server closed the connection");
      }
      length += read;
      String text = new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
      int body = text.indexOf("\r\n\r\n") + 4;
      if (body >= 4) {
        if (!text.startsWith("HTTP/1.1 404")) {
          throw new IllegalStateException(text);
        }
        int header = text.indexOf("Content-Length: ") + "Content-Length: ".length();
        end = body + Integer.parseInt(text.substring(header, text.indexOf('\r', header)));
      }
    }
  }

  private static long serverNanos() {
    long nanos = 0;
    for (long id : THREADS.getAllThreadIds()) {
      var info = THREADS.getThreadInfo(id);
      if (info != null && info.getThreadName().startsWith("http-")) {
        nanos += THREADS.getThreadCpuTime(id);
      }
    }
    return nanos;
  }

  private static List<Map<String, Object>> table(Map<String, double[]> micros) {
    List<Map<String, Object>> rows = new ArrayList<>();
    double[] empty = micros.get("container404");
    for (Map.Entry<String, double[]> contestant : micros.entrySet()) {
      double[] rounds = contestant.getValue();
      double[] over = new double[ROUNDS];
      Arrays.setAll(over, round -> rounds[round] / empty[round] - 1);
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("contestant", contestant.getKey());
      row.put("cpuMicros", median(rounds));
      row.put("leastMicros", Arrays.stream(rounds).min().orElseThrow());
      row.put("overEmpty", median(over));
      rows.add(row);
    }
    return rows;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
