package io.bloomguard.it.aot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bloomguard.it.support.Http;
import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The packaged application with the beans that were chosen ahead of time: on the JVM, where an
 * agent records its reflective calls, or as a native image.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AotApplicationTest {

  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

  /** The native image, where one has been made. */
  private static final String IMAGE = System.getProperty("it.image", "");

  private static RedisProcess redis;
  private static Process process;
  private static Path log;
  private static Path list;
  private static String address;

  @BeforeAll
  static void start() throws Exception {
    redis = new RedisProcess("redis");
    log = Processes.folder().resolve("application.log");
    list = Processes.folder().resolve("reflection.txt");
    Files.deleteIfExists(log);
    Files.deleteIfExists(list);
    process = Processes.start(log, command());
    Wait.upTo(300, log.toString(), () -> !process.isAlive() || port().find());
    Matcher port = port();
    assertThat(port.find()).as(Files.readString(log)).isTrue();
    address = "http://127.0.0.1:" + port.group(1);
  }

  @AfterAll
  static void stop() {
    Processes.end(process);
    redis.close();
  }

  private static Matcher port() throws IOException {
    return PORT.matcher(Files.readString(log));
  }

  private static List<String> command() {
    List<String> command = new ArrayList<>(IMAGE.isEmpty() ? traced() : List.of(IMAGE));
    command.addAll(List.of("--server.address=127.0.0.1", "--server.port=0"));
    command.addAll(redis.arguments());
    return command;
  }

  /** The command line up to the application's own arguments. */
  private static List<String> traced() {
    String path = System.getProperty("java.class.path");
    String agent =
        Stream.of(path.split(File.pathSeparator))
            .filter(entry -> entry.contains("spring-core-test"))
            .findFirst()
            .orElseThrow();
    String trace = "-javaagent:" + agent + "=" + Traced.INSTRUMENTED;
    List<String> command = Processes.jvm("-Xmx256m", trace, "-Dspring.aot.enabled=true");
    String classes = System.getProperty("it.classes");
    command.addAll(
        List.of("-cp", path.replace(classes + File.pathSeparator, jar() + File.pathSeparator)));
    command.addAll(List.of(Traced.class.getName(), list.toString(), metadata(classes).toString()));
    return command;
  }

  private static String jar() {
    String jar = System.getProperty("it.jar");
    assertThat(Path.of(jar)).exists();
    return jar;
  }

  private static Path metadata(String classes) {
    return Path.of(
        classes, "META-INF/native-image/io.bloomguard.it/aot/reachability-metadata.json");
  }

  @Test
  @Order(1)
  void theBeansAreThoseChosenAheadOfTime() throws IOException {
    assertThat(Files.readString(log)).contains("Starting AOT-processed AotApplication");
  }

  @Test
  @Order(2)
  void presentKeysAreLoaded() throws Exception {
    for (int call = 0; call < 2; call++) { // the second time from the cache
      assertThat(get("/products/5"))
          .isEqualTo(
              "200 {\"id\":5,\"name\":\"product 5\","
                  + "\"price\":{\"amount\":5.99,\"currency\":\"EUR\"}}");
      assertThat(get("/parts/A/7")).isEqualTo("200 hinge for [door, window]");
      assertThat(get("/discounts/buyer-3")).isEqualTo("200 7");
      assertThat(get("/vouchers/gift-7"))
          .isEqualTo("200 {\"id\":7,\"code\":\"gift-7\",\"amount\":10}");
    }
  }

  @Test
  @Order(2)
  void absentKeysAreRejected() throws Exception {
    String rejected = "404 {\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,";

    assertThat(get("/products/999999")).startsWith(rejected);
    assertThat(get("/parts/B/7")).isEqualTo("404 ");
    assertThat(get("/discounts/nobody-of-ours")).isEqualTo("404 ");
    assertThat(get("/vouchers/none")).isEqualTo("404 ");
    for (String filter : List.of("products", "parts", "buyers", "vouchers")) {
      assertThat(get("/actuator/bloomfilters/" + filter)).contains("\"rejected\":1");
    }
  }

  @Test
  @Order(3)
  void writtenKeysAreFound() throws Exception {
    assertThat(get("/products/5000")).startsWith("404");
    assertThat(get("/vouchers/fresh")).startsWith("404");

    post(
        "/products",
        "{\"id\":5000,\"name\":\"x\",\"price\":{\"amount\":1.50,\"currency\":\"EUR\"}}");
    post("/vouchers", "{\"code\":\"fresh\",\"amount\":5}");

    assertThat(get("/products/5000")).startsWith("200");
    assertThat(get("/vouchers/fresh")).startsWith("200");
  }

  @Test
  @Order(3)
  void operatorsAskAndAct() throws Exception {
    assertThat(get("/actuator/bloomfilters"))
        .startsWith("200")
        .contains("\"products\":{\"state\":\"READY\"");
    assertThat(get("/actuator/health")).startsWith("200").contains("\"status\":\"UP\"");
    assertThat(post("/actuator/bloomfilters/parts", "{\"action\":\"explain\",\"key\":\"A-7\"}"))
        .startsWith("200")
        .contains("\"verdict\":\"the filter lets it pass\",\"cached\":true");
    assertThat(post("/actuator/bloomfilters/parts", "{\"action\":\"observe\"}")).startsWith("202");
    assertThat(post("/actuator/bloomfilters/parts", "{\"action\":\"dance\"}")).startsWith("400");
    assertThat(get("/bloomguard/")).startsWith("200 <!doctype html>");
    assertThat(get("/bloomguard/data")).startsWith("200").contains("\"buyers\"");
  }

  /** The agent knows of calls that were made, and so this comes last. */
  @Test
  @Order(4)
  void everyReflectiveCallIsCoveredByAHint() throws Exception {
    assumeTrue(IMAGE.isEmpty(), "an image makes no call that no hint covers");
    process.destroy();
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    List<String> calls = Files.readAllLines(list);

    assertThat(calls.stream().filter(call -> call.startsWith(Traced.MISSING))).isEmpty();
    // Or nothing was recorded.
    assertThat(calls)
        .anyMatch(call -> covered(call, "getResourceAsStream", "add.lua"))
        .anyMatch(call -> covered(call, "getResource", "page/index.html"))
        .anyMatch(call -> covered(call, "Method#invoke", "PartNumber.series"))
        .anyMatch(call -> covered(call, "Method#invoke", "Part.fits"))
        .anyMatch(call -> covered(call, "getFields", "Order$Buyer"))
        .anyMatch(call -> covered(call, "newProxyInstance", "Vouchers"))
        .anyMatch(call -> covered(call, "forName", "JsonMapper"));
  }

  private static boolean covered(String call, String... words) {
    return call.startsWith(Traced.COVERED) && Stream.of(words).allMatch(call::contains);
  }

  private static String get(String path) throws Exception {
    return text(Http.get(URI.create(address + path)));
  }

  private static String post(String path, String json) throws Exception {
    return text(Http.post(URI.create(address + path), json));
  }

  private static String text(HttpResponse<String> answer) {
    return answer.statusCode() + " " + answer.body();
  }
}
