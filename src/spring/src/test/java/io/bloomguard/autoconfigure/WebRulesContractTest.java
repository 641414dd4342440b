package io.bloomguard.autoconfigure;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.KeyRejectedException;
import io.bloomguard.guard.RequestShedException;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The rules of a real server: the same requests get the same answers and are counted in the same
 * way, whatever serves them.
 *
 * <p>Each path is asked for in three areas of one handler: "plain" is under no rule and shows what
 * the handler makes of the path; the filter of "known" holds the keys of all paths, and that of
 * "absent" none.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WebRulesContractTest {

  private static final String UUID_KEY = "123e4567-e89b-12d3-a456-426614174000";
  private static final String UTF_8_TEXT = "text/plain;charset=UTF-8";
  private static final int PLACES = 4;

  /** A method, a path behind the area, and the key that the handler gets, or a status. */
  private static final List<String> PATHS =
      List.of(
          "GET products/42 | 42",
          "GET products/042 | 42",
          "GET products/+42 | 42",
          "GET products/%2B42 | 42",
          "GET products/-42 | -42",
          "GET products/0x2a | 42",
          "GET products/0X2A | 42",
          "GET products/%232a | 42",
          "GET products/%230x | 400",
          "GET products/0x | 400",
          "GET products/%34%32 | 42",
          "GET products/%342 | 42",
          "GET products/4%202 | 42",
          "GET products/%2042 | 42",
          "GET products/42%20 | 42",
          "GET products/%2042%20 | 42",
          "GET products/%09 | 400",
          "GET products/%20 | 400",
          "GET products/42;x=1 | 42",
          "GET products/42;x=1;y=2 | 42",
          "GET products/42; | 42",
          "GET products/42;x | 42",
          "GET products/42;x=%2F | 42",
          "GET products/42;x=/1 | 404",
          "GET products/;x=1 | 404",
          "GET products;a=b/42 | 42",
          "GET products/42%3Bx=1 | 400",
          "GET products/42/ | 404",
          "GET products/42// | 404",
          "GET products//42 | 404",
          "GET /products/42 | 404",
          "GET products/42/7 | 404",
          "GET products/./42 | 404",
          "GET products/x/../42 | 404",
          "GET products/%2E/42 | 404",
          "GET products/%2e%2e/products/42 | 404",
          "GET products/4%2F2 | 400",
          "GET products/4%5C2 | 400",
          "GET products/4%252 | 400",
          "GET products/%2542 | 400",
          "GET products/42%00 | 400",
          "GET products/%ff | 400",
          "GET products/%zz | 400",
          "GET products/%4 | 400",
          "GET products/9223372036854775807 | 9223372036854775807",
          "GET products/9223372036854775808 | 400",
          "GET products/-9223372036854775808 | -9223372036854775808",
          "GET products/-0 | 0",
          "GET products/0 | 0",
          "GET products/00 | 0",
          "GET products/4_2 | 400",
          "GET products/1e3 | 400",
          "GET products/42L | 400",
          "GET products/4.2 | 400",
          "GET products/%D9%A4%D9%A2 | 42",
          "GET products/%EF%BC%94%EF%BC%92 | 42",
          "GET products/abc | 400",
          "GET products/null | 400",
          "GET products/ | 404",
          "GET products | 404",
          "GET products/42?id=7 | 42",
          "GET products/42? | 42",
          "GET PRODUCTS/42 | 404",
          "GET Products/42 | 404",
          "GET %70roducts/42 | 42",
          "GET pro%64ucts/%34%32 | 42",
          "GET products%2F42 | 404",
          "HEAD products/42 | 42",
          "HEAD products/042 | 42",
          "HEAD products/abc | 400",
          "POST products/42 | post 42",
          "OPTIONS products/42 | options",
          "PUT products/42 | 405",
          "DELETE products/42 | 405",
          "GET names/a | a",
          "GET names/A | A",
          "GET names/a;b=c | a",
          "GET names/a%3Bb | a;b",
          "GET names/a+b | a+b",
          "GET names/a%2Bb | a+b",
          "GET names/a%20b | a b",
          "GET names/%20a | %20a",
          "GET names/%61 | a",
          "GET names/%C3%A9 | é",
          "GET names/e%CC%81 | e\u0301",
          "GET names/%F0%9F%98%80 | \uD83D\uDE00",
          "GET names/a.json | a.json",
          "GET names/.. | ..",
          "GET names/a,b | a,b",
          "GET names/a:b | a:b",
          "GET names/a@b | a@b",
          "GET names/a=b | a=b",
          "GET names/a&b | a&b",
          "GET names/%2E%2Ea | ..a",
          "GET names/a%25b | a%b",
          "GET names/a%3Fb | a?b",
          "GET names/a%23b | a#b",
          "GET names/a%2Fb | a/b",
          "GET names/a%5Cb | a\\b",
          "GET names/a%252Fb | a%2Fb",
          "GET names/new | new",
          "GET uuids/" + UUID_KEY + " | " + UUID_KEY,
          "GET uuids/123E4567-E89B-12D3-A456-426614174000 | " + UUID_KEY,
          "GET uuids/%20" + UUID_KEY + " | " + UUID_KEY,
          "GET uuids/1-1-1-1-1 | 00000001-0001-0001-0001-000000000001",
          "GET uuids/x | 400");

  private static final List<String> RULES =
      List.of(
          "pattern=/known/products/{id},filter=known",
          "pattern=/absent/products/{id},filter=absent",
          "pattern=/known/names/{id},filter=known",
          "pattern=/absent/names/{id},filter=absent",
          "pattern=/known/uuids/{id},filter=known",
          "pattern=/absent/uuids/{id},filter=absent",
          "pattern=/shared/{id},filter=absent",
          "pattern=/listed/{id},filter=listed,type=long",
          "pattern=/closed/{id},filter=closed,type=string",
          "pattern=/open/{id},filter=open,type=string",
          "pattern=/right/{id},filter=right,type=string,verify=true",
          "pattern=/wrong/{id},filter=wrong,type=string,verify=true",
          "pattern=/failing/{id},filter=failing,type=string,verify=true",
          "pattern=/empty/{id},filter=empty,type=string,verify=true",
          "pattern=/empty/later/{id},filter=empty,type=string,verify=true",
          "pattern=/other/{id},filter=other,type=string,verify=true,found[0]=203,found[1]=206",
          "pattern=/gone/{id},filter=gone,type=string,verify=true,absent[0]=410,absent[1]=204",
          "pattern=/routed/orders/{id},filter=routed,type=long,verify=true",
          "pattern=/routed/tokens/{id},filter=listed,type=string");

  private static final List<String> FILTERS =
      List.of(
          "known.source.bean=keys",
          "known.false-positive-probability=0.000001",
          "known.warm-up.mode=blocking",
          "absent.source.added-only=true",
          "absent.verify.first=0",
          "absent.verify.sample=0",
          "listed.source.bean=seven",
          "listed.false-positive-probability=0.000001",
          "listed.warm-up.mode=blocking",
          "listed.reject=present",
          "listed.on-unknown=closed",
          "closed.on-unknown=closed",
          "open.on-unknown=open",
          "right.source.added-only=true",
          "wrong.source.added-only=true",
          "failing.source.added-only=true",
          "empty.source.added-only=true",
          "other.source.added-only=true",
          "gone.source.added-only=true",
          "routed.source.added-only=true");

  /** Requests that wait in a handler, each until it is completed. */
  private static final BlockingQueue<CompletableFuture<String>> WAITING =
      new LinkedBlockingQueue<>();

  @RestController
  static class Handlers {

    @GetMapping("/{area:plain|known|absent}/products/{id}")
    String product(@PathVariable long id) {
      return "" + id;
    }

    @PostMapping("/{area:plain|known|absent}/products/{id}")
    String change(@PathVariable long id) {
      return "post " + id;
    }

    @GetMapping(path = "/{area:plain|known|absent}/names/{id}", produces = UTF_8_TEXT)
    String name(@PathVariable String id) {
      return id;
    }

    @GetMapping("/{area:plain|known|absent}/uuids/{id}")
    String uuid(@PathVariable UUID id) {
      return id.toString();
    }

    @GetMapping("/absent/names/new")
    String form() {
      return "new";
    }

    @GetMapping("/shared/{id}")
    @CrossOrigin("http://shop.example")
    String shared(@PathVariable String id) {
      return id;
    }

    @RequestMapping("/listed/{id}")
    String listed(@PathVariable long id) {
      return "" + id;
    }

    @GetMapping("/closed/{id}")
    String closed(@PathVariable String id) {
      return id;
    }

    @GetMapping("/open/{id}")
    CompletableFuture<String> open(@PathVariable String id) {
      if (!id.equals("slow")) {
        return CompletableFuture.completedFuture(id);
      }
      CompletableFuture<String> answer = new CompletableFuture<>();
      WAITING.add(answer);
      return answer;
    }

    @GetMapping("/right/{id}")
    ResponseEntity<String> right(@PathVariable String id) {
      if (id.startsWith("thrown")) {
        throw new ResponseStatusException(HttpStatus.NOT_FOUND);
      }
      return ResponseEntity.notFound().build();
    }

    @GetMapping("/wrong/{id}")
    String wrong(@PathVariable String id) {
      return "it exists: " + id;
    }

    @GetMapping("/empty/{id}")
    @Nullable String empty(@PathVariable String id) {
      return null;
    }

    @GetMapping("/empty/later/{id}")
    CompletableFuture<@Nullable String> emptyLater(@PathVariable String id) {
      return CompletableFuture.supplyAsync(() -> null);
    }

    @GetMapping({"/other/{id}", "/gone/{id}"})
    ResponseEntity<String> other(@PathVariable String id) {
      int status = Integer.parseInt(id.substring(id.length() - 3));
      if (id.startsWith("thrown")) {
        throw new ResponseStatusException(HttpStatus.valueOf(status));
      }
      return ResponseEntity.status(status).build();
    }

    @GetMapping("/failing/{id}")
    ResponseEntity<String> failing(@PathVariable int id) {
      if (id == 0) {
        throw new IllegalStateException("broken");
      }
      return ResponseEntity.status(id).build();
    }
  }

  /**
   * The status of a program to which paths with "routed" go, by no annotated handler: its only
   * order is 42, and it reads a number up to the first character that is no digit.
   */
  static int routed(String path) {
    String text = URLDecoder.decode(path.substring(path.lastIndexOf('/') + 1), UTF_8).strip();
    boolean order = path.contains("orders");
    return order && !text.replaceFirst("\\D.*", "").equals("42") ? 404 : 200;
  }

  /** What guarded methods throw. */
  @RestController
  static class Throwing {

    @GetMapping("/thrown/{what}")
    String thrown(@PathVariable String what) {
      throw switch (what) {
        case "shed" -> new RequestShedException("busy", Duration.ofMillis(1500));
        case "absent" -> new KeyAbsentException("products");
        case "rejected" -> new KeyRejectedException("products");
        case "unstored" -> new AddFailedException("no Redis", null);
        case "rolled-back" ->
            new IllegalStateException(new RuntimeException(new AddFailedException("down", null)));
        case "full" -> AddFailedException.full("full", Duration.ofMillis(1500));
        default -> new InvalidKeyException("bad");
      };
    }
  }

  @ParameterizedTest
  @CsvSource({
    "shed, 503, 2",
    "absent, 404, ''",
    "rejected, 403, ''",
    "invalid, 400, ''",
    "unstored, 503, ''",
    "rolled-back, 503, ''",
    "full, 503, 2"
  })
  void exceptionsOfTheGuardAreProblems(String what, int status, String later) throws IOException {
    String answer = send("GET", "/thrown/" + what, "");
    assertThat(status(answer)).isEqualTo(status);
    assertThat(header(answer, "Content-Type")).isEqualTo("application/problem+json");
    assertThat(header(answer, "Retry-After")).isEqualTo(later);
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    BloomguardAutoConfiguration.class,
    BloomguardActuatorAutoConfiguration.class,
    MetricsAutoConfiguration.class,
    SimpleMetricsExportAutoConfiguration.class,
    CompositeMeterRegistryAutoConfiguration.class
  })
  static class Application {

    @Bean
    KeySource keys() {
      return sink -> {
        for (String line : PATHS) {
          if (key(line) instanceof String key) {
            sink.accept(key);
          }
        }
      };
    }

    @Bean
    KeySource seven() {
      return sink -> sink.accept(7L);
    }
  }

  private ConfigurableApplicationContext context;
  private int port;
  private MeterRegistry meters;

  /** The server and its framework. */
  abstract Class<?> server();

  abstract WebApplicationType type();

  /** The property of the path before that of the handlers. */
  abstract String basePath();

  /** Paths that the server itself answers with 400. */
  abstract Set<String> refusedByServer();

  @BeforeAll
  void start() {
    List<String> properties =
        new ArrayList<>(
            List.of(
                "spring.config.location=optional:classpath:/none/",
                "server.port=0",
                "server.address=127.0.0.1",
                "bloomguard.load.max-concurrent=" + PLACES,
                "bloomguard.mutex.wait=1s",
                basePath() + "=/shop"));
    FILTERS.forEach(filter -> properties.add("bloomguard.filters." + filter));
    for (int i = 0; i < RULES.size(); i++) {
      String rule = "bloomguard.web.rules[" + i + "].";
      Arrays.stream((RULES.get(i) + ",key=id").split(",")).forEach(p -> properties.add(rule + p));
    }
    context =
        new SpringApplicationBuilder(Application.class, Handlers.class, Throwing.class, server())
            .web(type())
            .properties(properties.toArray(String[]::new))
            .run();
    port = context.getEnvironment().getRequiredProperty("local.server.port", int.class);
    meters = context.getBean(MeterRegistry.class);
  }

  @AfterAll
  void stop() {
    context.close();
  }

  private static String request(String line) {
    return line.substring(0, line.lastIndexOf(" | "));
  }

  private static String expected(String line) {
    return line.substring(line.lastIndexOf(" | ") + 3).replace("%20a", " a");
  }

  private static Object key(String line) {
    String expected = expected(line);
    boolean keyed = !expected.matches("[45]\\d\\d|options|post .*");
    return keyed ? expected : Boolean.FALSE;
  }

  @TestFactory
  List<DynamicTest> everyPath() {
    return PATHS.stream()
        .map(line -> DynamicTest.dynamicTest(line, () -> requireAnswers(line)))
        .toList();
  }

  private void requireAnswers(String line) throws IOException {
    String method = request(line).split(" ", 2)[0];
    String path = request(line).split(" ", 2)[1];
    String plain = send(method, "/plain/" + path, "");
    long judged = judged("known") + judged("absent");
    String known = send(method, "/known/" + path, "");
    String absent = send(method, "/absent/" + path, "");
    boolean refused = refusedByServer().contains(path);
    if (refused) {
      assertThat(status(plain)).isEqualTo(400);
    }
    if (refused || !(key(line) instanceof String key) || path.equals("names/new")) {
      assertThat(status(known)).isEqualTo(status(plain));
      assertThat(status(absent)).isEqualTo(status(plain));
      if (expected(line).matches("\\d+") && !refusedByServer().contains(path)) {
        assertThat(status(plain)).isEqualTo(Integer.parseInt(expected(line)));
      }
      return;
    }
    assertThat(judged("known") + judged("absent")).as("judged").isEqualTo(judged + 2);
    assertThat(status(plain)).isEqualTo(200);
    assertThat(status(known)).isEqualTo(200);
    assertThat(body(known)).isEqualTo(body(plain)).isEqualTo(method.equals("HEAD") ? "" : key);
    requireProblem(absent, 404, "Not Found", "There is nothing with this key.", method);
  }

  private static void requireProblem(
      String answer, int status, String title, String detail, String method) {
    String document =
        "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"detail\":\"%s\"}"
            .formatted(title, status, detail);
    assertThat(status(answer)).isEqualTo(status);
    assertThat(header(answer, "Content-Type")).isEqualTo("application/problem+json");
    assertThat(header(answer, "Content-Length")).isEqualTo("" + document.length());
    assertThat(body(answer)).isEqualTo(method.equals("HEAD") ? "" : document);
  }

  @Test
  void pathsOutsideOfTheBasePathAreNotJudged() throws IOException {
    long judged = judged("absent");
    assertThat(status(sendAsItIs("GET", "/absent/products/42", ""))).isEqualTo(404);
    assertThat(judged("absent")).isEqualTo(judged);
  }

  @ParameterizedTest
  @CsvSource({"a%0Ab, 400", "%7F, 400", "a%C2%85, 400"})
  void invalidKeyIsABadRequest(String key, int status) throws IOException {
    requireProblem(
        send("GET", "/absent/names/" + key, ""),
        status,
        "Bad Request",
        "The key is empty, too long, not well-formed, or has control characters.",
        "GET");
  }

  @Test
  void tooLongKeyIsABadRequest() throws IOException {
    assertThat(status(send("GET", "/absent/names/" + "a".repeat(257), ""))).isEqualTo(400);
    assertThat(status(send("GET", "/absent/names/" + "a".repeat(256), ""))).isEqualTo(404);
  }

  @Test
  void blacklistRefusesWithEachMethod() throws IOException {
    for (String method : List.of("GET", "HEAD", "POST", "DELETE", "PURGE")) {
      requireProblem(
          send(method, "/listed/07", ""), 403, "Forbidden", "This key is rejected.", method);
    }
    assertThat(body(send("GET", "/listed/8", ""))).isEqualTo("8");
    assertThat(status(send("OPTIONS", "/listed/7", ""))).isEqualTo(200);
  }

  @Test
  void doubtUnderAClosedPolicyIsAProblemWithRetryAfter() throws IOException {
    double shed = count("closed", "shed");
    String answer = send("GET", "/closed/7", "");
    requireProblem(
        answer,
        503,
        "Service Unavailable",
        "The key cannot be looked up now. Try again later.",
        "GET");
    assertThat(header(answer, "Retry-After")).isEqualTo("1");
    assertThat(count("closed", "shed")).isEqualTo(shed + 1);
  }

  /** No more requests at once than there are places, each until its handler has completed. */
  @Test
  void doubtUnderAnOpenPolicyHoldsAPlace() throws Exception {
    double bypassed = count("open", "bypassed");
    double shed = count("open", "shed");
    assertThat(body(send("GET", "/open/7", ""))).isEqualTo("7");
    Executor threads = task -> new Thread(task).start();
    List<CompletableFuture<String>> answers = new ArrayList<>();
    List<CompletableFuture<String>> handlers = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      answers.add(CompletableFuture.supplyAsync(() -> quietly("/open/slow"), threads));
      handlers.add(WAITING.poll(30, SECONDS));
    }
    String refused = send("GET", "/open/7", "");
    assertThat(status(refused)).isEqualTo(503);
    assertThat(header(refused, "Retry-After")).isEqualTo("1");
    handlers.forEach(handler -> handler.complete("late"));
    for (CompletableFuture<String> answer : answers) {
      assertThat(body(answer.get(30, SECONDS))).isEqualTo("late");
    }
    Awaitility.await().until(() -> status(send("GET", "/open/7", "")) == 200);
    assertThat(count("open", "bypassed")).isEqualTo(bypassed + PLACES + 2);
    assertThat(count("open", "shed")).isGreaterThanOrEqualTo(shed + 1);
  }

  @Test
  void anAnswerOf404ConfirmsARejection() throws IOException {
    for (int i = 0; i < 2 * PLACES; i++) {
      assertThat(status(send("GET", "/right/" + i, ""))).isEqualTo(404);
      assertThat(status(send("GET", "/right/thrown" + i, ""))).isEqualTo(404);
    }
    assertThat(verified("right", "confirmed")).isEqualTo(4 * PLACES);
    assertThat(count("right", "rejected")).isEqualTo(4 * PLACES);
  }

  @Test
  void anAnswerOf200DisarmsTheFilter() throws IOException {
    assertThat(body(send("GET", "/wrong/7", ""))).isEqualTo("it exists: 7");
    Awaitility.await().until(() -> verified("wrong", "wrong") == 1);
    assertThat(count("wrong", "loaded")).isOne();
    assertThat(status(send("POST", "/wrong/8", ""))).isEqualTo(405);
    assertThat(status(send("GET", "/wrong/8", ""))).isEqualTo(200);
  }

  /** A handler answers so that hands out the null or the empty publisher of its lookup. */
  @Test
  void anAnswerOf200WithoutABodyTellsNothing() throws IOException {
    for (int i = 0; i < 2 * PLACES; i++) {
      assertThat(status(send("GET", "/empty/" + i, ""))).isEqualTo(200);
      assertThat(status(send("GET", "/empty/later/later" + i, ""))).isEqualTo(200);
    }
    Awaitility.await().until(() -> count("empty", "loaded") == 4 * PLACES);
    assertThat(verified("empty", "wrong") + verified("empty", "confirmed")).isZero();
  }

  /** Each trial holds one of half of the places: none may be lost, however its request ends. */
  @Test
  void anyOtherAnswerTellsNothing() throws IOException {
    int[] answers = {204, 302, 400, 401, 403, 500, 503, 0};
    for (int answer : answers) {
      String path = "/failing/" + answer;
      assertThat(status(send("GET", path, ""))).isEqualTo(answer == 0 ? 500 : answer);
    }
    assertThat(count("failing", "error")).isEqualTo(answers.length);
    assertThat(verified("failing", "confirmed") + verified("failing", "wrong")).isZero();
  }

  /** As those of a program behind a gateway. */
  @Test
  void aRuleNamesTheAnswersThatTell() throws IOException {
    for (String key : List.of("200", "404", "a410", "thrown404")) {
      assertThat(status(send("GET", "/other/" + key, ""))).isGreaterThanOrEqualTo(200);
    }
    assertThat(verified("other", "wrong")).isZero();
    assertThat(verified("other", "confirmed")).isEqualTo(2);
    assertThat(status(send("GET", "/other/206", ""))).isEqualTo(206);
    Awaitility.await().until(() -> verified("other", "wrong") == 1);

    for (String key : List.of("410", "thrown410", "204", "404", "thrown404")) {
      assertThat(status(send("GET", "/gone/" + key, ""))).isGreaterThanOrEqualTo(204);
    }
    assertThat(verified("gone", "confirmed")).isEqualTo(3);
    assertThat(count("gone", "error")).isEqualTo(2);
  }

  /** An answer for a text that is not the key's own says nothing of the key. */
  @Test
  void anotherProgramVerifiesKeysThatAreWrittenAsItsOwnAlone() throws IOException {
    context.getBean(BloomGuards.class).guard("routed").put(42L);
    for (String id : List.of("42%201", "42%202", "0x2a1", "+421", "0421", "42%D9%A1")) {
      assertThat(status(send("GET", "/routed/orders/" + id, ""))).as(id).isEqualTo(404);
    }
    assertThat(status(send("GET", "//routed/orders/43", ""))).isEqualTo(404);
    assertThat(status(send("GET", "/routed/orders/43/", ""))).isEqualTo(404);
    assertThat(status(send("GET", "/routed/orders/42/../43", ""))).isEqualTo(404);
    assertThat(verified("routed", "wrong") + verified("routed", "confirmed")).isZero();
    assertThat(status(send("GET", "/routed/orders/43", ""))).isEqualTo(404);
    assertThat(verified("routed", "confirmed")).isOne();
    assertThat(status(send("GET", "/routed/orders/42", ""))).isEqualTo(200);
  }

  @Test
  void aListedKeyOfAnotherProgramPassesInNoSpelling() throws IOException {
    for (String path :
        List.of(
            "/routed/tokens/7",
            "/routed/tokens/7/",
            "//routed/tokens/7",
            "/routed//tokens/7",
            "/routed/./tokens/7",
            "/routed/x/../tokens/7",
            "/%72outed/tokens/7",
            "/routed/tokens/%37",
            "/routed/x/%2e%2e/tokens/7",
            "/routed/x/..%2Ftokens/7",
            "/routed%2Ftokens/7",
            "/routed/tokens%2F7",
            "/routed;x/tokens/7;y",
            "/routed/tokens/7;x",
            "/routed/tokens/./7",
            "/routed/tokens//7",
            "/routed/tokens/a%5Cb")) {
      boolean encoded = path.contains("%2F") || path.contains("%5C");
      int refused = encoded && !refusedByServer().isEmpty() ? 400 : 403;
      assertThat(status(send("GET", path, ""))).as(path).isEqualTo(refused);
    }
    assertThat(status(send("GET", "//routed/tokens/8;x/", ""))).isEqualTo(200);
  }

  @Test
  void aRefusalHasTheCorsHeadersOfTheHandler() throws IOException {
    String origin = "Origin: http://shop.example\r\n";
    String refused = send("GET", "/shared/7", origin);
    assertThat(header(refused, "Access-Control-Allow-Origin")).isEqualTo("http://shop.example");
    requireProblem(refused, 404, "Not Found", "There is nothing with this key.", "GET");
    assertThat(header(send("GET", "/absent/names/7", origin), "Access-Control-Allow-Origin"))
        .isEmpty();
    long judged = judged("absent");
    String foreign = send("GET", "/shared/7", "Origin: http://other.example\r\n");
    assertThat(status(foreign)).isEqualTo(403);
    assertThat(header(foreign, "Access-Control-Allow-Origin")).isEmpty();
    assertThat(judged("absent")).isEqualTo(judged + 1);
    String preFlight =
        send("OPTIONS", "/shared/7", origin + "Access-Control-Request-Method: GET\r\n");
    assertThat(status(preFlight)).isEqualTo(200);
    assertThat(header(preFlight, "Access-Control-Allow-Origin")).isEqualTo("http://shop.example");
    assertThat(judged("absent")).isEqualTo(judged + 1);
  }

  private double count(String filter, String outcome) {
    return meters
        .get("bloomguard.requests")
        .tags("filter", filter, "entry", "web", "outcome", outcome)
        .functionCounter()
        .count();
  }

  private double verified(String filter, String result) {
    return meters
        .get("bloomguard.verified")
        .tags("filter", filter, "result", result)
        .functionCounter()
        .count();
  }

  private long judged(String filter) {
    return (long)
        (count(filter, "rejected") + count(filter, "passed") + count(filter, "false_positive"));
  }

  private String quietly(String path) {
    try {
      return send("GET", path, "");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  String send(String method, String path, String headers) throws IOException {
    return sendAsItIs(method, "/shop" + path, headers);
  }

  /** Sends the path as it is; clients would normalize it. */
  private String sendAsItIs(String method, String path, String headers) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String head = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
      socket
          .getOutputStream()
          .write((head + "Content-Length: 0\r\nConnection: close\r\n\r\n").getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  static int status(String answer) {
    return Integer.parseInt(answer.substring(9, 12));
  }

  private static String header(String answer, String name) {
    return answer
        .lines()
        .takeWhile(line -> !line.isEmpty())
        .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
        .map(line -> line.substring(name.length() + 1).trim())
        .findFirst()
        .orElse("");
  }

  static String body(String answer) {
    String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
    return new String(body.getBytes(ISO_8859_1), UTF_8);
  }
}
