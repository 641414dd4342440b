package io.bloomguard.it.attacks;

import static org.awaitility.Awaitility.await;

import io.bloomguard.it.attacks.shop.ShopApplication;
import io.bloomguard.it.support.ChildProcess;
import io.bloomguard.it.support.Http;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A shop in a process of its own, so that its heap and its queries are its own too. */
final class ShopProcess implements AutoCloseable {

  private final ChildProcess process;
  private final int port;

  ShopProcess(String name, List<String> arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(arguments);
    all.addAll(
        List.of(
            "--server.address=127.0.0.1",
            "--server.port=0",
            "--server.tomcat.max-keep-alive-requests=-1",
            "--management.endpoints.web.exposure.include=bloomfilters",
            // The share that passes is the same in every run.
            "--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f"));
    all.addAll(filter("one-percent", 0.01));
    all.addAll(filter("ten-percent", 0.1));
    process =
        new ChildProcess(
            name, ShopApplication.PORT, List.of("-Xmx256m"), ShopApplication.class, all);
    port = Integer.parseInt(process.answer());
    for (String filter : List.of("one-percent", "ten-percent")) {
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> get("/test/state/" + filter).equals("READY"));
    }
  }

  private static List<String> filter(String name, double probability) {
    String prefix = "--bloomguard.filters." + name + ".";
    return List.of(
        prefix + "expected-insertions=" + ShopApplication.THINGS,
        prefix + "false-positive-probability=" + probability,
        prefix + "rebuild.at-fill=1",
        // Every load is counted, so that none may come from a rejection that is verified.
        prefix + "verify.first=0",
        prefix + "verify.sample=0",
        prefix + "source.jdbc.query=select id from things");
  }

  int port() {
    return port;
  }

  String get(String path) throws IOException, InterruptedException {
    return Http.get(URI.create("http://127.0.0.1:" + port + path)).body();
  }

  long number(String path) throws IOException, InterruptedException {
    return Long.parseLong(get(path));
  }

  @Override
  public void close() {
    process.close();
  }
}
