package io.bloomguard.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.aop.TestGuards;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.web.internal.GuardExceptionHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.format.support.FormattingConversionService;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The filter in a real Tomcat, before real handlers: both must see the same key. */
class BloomGuardFilterTest {

  private static final List<String> HANDLED = new CopyOnWriteArrayList<>();
  private static final TestGuards GUARDS = new TestGuards(Transactions.NONE, UnknownPolicy.CLOSED);
  private static AnnotationConfigServletWebServerApplicationContext context;
  private static int port;

  @RestController
  static class Products {
    @GetMapping("/api/products/{id}")
    String product(@PathVariable long id) {
      HANDLED.add("" + id);
      return "product";
    }

    @PostMapping("/api/products/{id}")
    String change(@PathVariable long id) {
      HANDLED.add("" + id);
      return "changed";
    }

    @GetMapping("/api/names/{name}")
    String name(@PathVariable String name) {
      HANDLED.add(name);
      return "name";
    }

    @GetMapping("/api/uuids/{id}")
    String uuid(@PathVariable UUID id) {
      HANDLED.add(id.toString());
      return "uuid";
    }

    @GetMapping("/api/thrown/{what}")
    String thrown(@PathVariable String what) {
      throw switch (what) {
        case "shed" -> new RequestShedException("busy", Duration.ofMillis(1500));
        case "absent" -> new KeyAbsentException("products");
        case "unstored" -> new AddFailedException("no Redis", null);
        case "rolled-back" ->
            new IllegalStateException(new RuntimeException(new AddFailedException("down", null)));
        case "full" -> AddFailedException.full("full", Duration.ofMillis(1500));
        default -> new InvalidKeyException("bad");
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableWebMvc
  static class Web {
    @Bean
    TomcatServletWebServerFactory server() {
      TomcatServletWebServerFactory factory = new TomcatServletWebServerFactory("/shop", 0);
      factory.setAddress(InetAddress.getLoopbackAddress());
      return factory;
    }

    @Bean
    ServletRegistrationBean<DispatcherServlet> servlet(WebApplicationContext context) {
      return new ServletRegistrationBean<>(
          new DispatcherServlet(context), "/app/*", "/unguarded/*");
    }

    @Bean
    FilterRegistrationBean<BloomGuardFilter> guardFilter(
        RequestMappingHandlerMapping mapping, FormattingConversionService mvcConversionService) {
      FilterRegistrationBean<BloomGuardFilter> registration =
          new FilterRegistrationBean<>(
              new BloomGuardFilter(
                  List.of(
                      new WebRule("/api/products/{id}", "products", "id", KeyType.LONG),
                      new WebRule("/api/names/{name}", "products", "name", KeyType.STRING),
                      new WebRule("/api/uuids/{id}", "products", "id", KeyType.UUID)),
                  GUARDS,
                  Objects.requireNonNull(mapping.getPatternParser()),
                  mvcConversionService));
      registration.addUrlPatterns("/app/*");
      return registration;
    }

    @Bean
    Products products() {
      return new Products();
    }

    @Bean
    GuardExceptionHandler guardExceptionHandler() {
      return new GuardExceptionHandler();
    }
  }

  @BeforeAll
  static void start() {
    context = new AnnotationConfigServletWebServerApplicationContext(Web.class);
    port = Objects.requireNonNull(context.getWebServer()).getPort();
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void reset() {
    HANDLED.clear();
    GUARDS.keys.clear();
    GUARDS.doubtful = false;
  }

  /**
   * Whatever an unguarded handler makes of a path, the filter must make the same of it: while no
   * key is known the request is rejected, and with the handler's key alone it is handled. What does
   * not reach the handler is not judged.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "products/42",
        "products/042",
        "products/+42",
        "products/%2B42",
        "products/-42",
        "products/0x2a",
        "products/0X2A",
        "products/%232a",
        "products/%0x",
        "products/0x",
        "products/%34%32",
        "products/4%202",
        "products/%2042",
        "products/42%20",
        "products/%09",
        "products/%20",
        "products/42;x=1",
        "products/42;x=/1",
        "products/;x=1",
        "products;a=b/42",
        "products/42%3Bx=1",
        "products/42/",
        "products//42",
        "/products/42",
        "products/./42",
        "products/x/../42",
        "products/%2E/42",
        "products/4%2F2",
        "products/4%252",
        "products/42%00",
        "products/%ff",
        "products/%zz",
        "products/9223372036854775807",
        "products/9223372036854775808",
        "products/-0",
        "products/4_2",
        "products/1e3",
        "products/42L",
        "products/%D9%A4%D9%A2",
        "products/%EF%BC%94%EF%BC%92",
        "products/abc",
        "products/",
        "products/42?id=7",
        "PRODUCTS/42",
        "names/a",
        "names/A",
        "names/a;b=c",
        "names/a%3Bb",
        "names/a+b",
        "names/a%2Bb",
        "names/a%20b",
        "names/%61",
        "names/%C3%A9",
        "names/e%CC%81",
        "names/%F0%9F%98%80",
        "names/a.json",
        "names/..",
        "names/a,b",
        "uuids/123e4567-e89b-12d3-a456-426614174000",
        "uuids/123E4567-E89B-12D3-A456-426614174000",
        "uuids/1-1-1-1-1",
        "uuids/%20123e4567-e89b-12d3-a456-426614174000",
        "uuids/x"
      })
  void keyOfTheFilterIsTheKeyOfTheHandler(String path) throws IOException {
    String key = keyOfTheHandler(path);
    long judged = judged();

    int status = status(get(path));
    assertThat(HANDLED).isEmpty();
    if (key == null) {
      assertThat(judged()).isEqualTo(judged);
      return;
    }
    assertThat(status).isEqualTo(404);

    GUARDS.keys.add(key);
    assertThat(status(get(path))).isEqualTo(200);
    assertThat(HANDLED).containsExactly(key);
  }

  @Test
  void headIsJudgedAsGet() throws IOException {
    String answer = send("HEAD", "/shop/app/api/products/7");
    assertThat(status(answer)).isEqualTo(404);
    assertThat(body(answer)).isEmpty();
    GUARDS.keys.add("7");
    assertThat(status(send("HEAD", "/shop/app/api/products/7"))).isEqualTo(200);
  }

  @Test
  void otherMethodsGoOn() throws IOException {
    assertThat(status(send("POST", "/shop/app/api/products/7"))).isEqualTo(200);
    assertThat(HANDLED).containsExactly("7");
  }

  @Test
  void absentKeyIsAProblemThatNamesNeitherKeyNorPath() throws IOException {
    String answer = get("products/31337");
    assertThat(answer).contains("Content-Type: application/problem+json").doesNotContain("31337");
    assertThat(body(answer))
        .isEqualTo(
            "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
                + "\"detail\":\"There is nothing with this key.\"}");
  }

  @Test
  void doubtUnderAClosedPolicyIsAProblemWithRetryAfter() throws IOException {
    GUARDS.doubtful = true;
    String answer = get("products/7");
    assertThat(status(answer)).isEqualTo(503);
    assertThat(answer).containsPattern("Retry-After: [1-9]").contains("application/problem+json");
    assertThat(HANDLED).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a%0Ab", "%7F", "a%C2%85"})
  void invalidKeyIsABadRequestAndNothingIsLookedUp(String key) throws IOException {
    String answer = get("names/" + key);
    assertThat(status(answer)).isEqualTo(400);
    assertThat(answer).contains("application/problem+json");
    assertThat(HANDLED).isEmpty();
  }

  @Test
  void tooLongKeyIsABadRequest() throws IOException {
    assertThat(status(get("names/" + "a".repeat(257)))).isEqualTo(400);
    assertThat(status(get("names/" + "a".repeat(256)))).isEqualTo(404);
  }

  @Test
  void exceptionsOfTheGuardAreProblems() throws IOException {
    String shed = get("thrown/shed");
    assertThat(status(shed)).isEqualTo(503);
    assertThat(shed).contains("Retry-After: 2").contains("application/problem+json");
    assertThat(status(get("thrown/absent"))).isEqualTo(404);
    assertThat(status(get("thrown/invalid"))).isEqualTo(400);
  }

  /** An add that fails before a commit reaches the caller as the cause of the transaction's. */
  @ParameterizedTest
  @ValueSource(strings = {"unstored", "rolled-back", "full"})
  void writeThatCannotBeAddedIsAProblem(String what) throws IOException {
    String answer = get("thrown/" + what);
    assertThat(status(answer)).isEqualTo(503);
    assertThat(answer).contains("application/problem+json", "cannot be stored now");
    assertThat(answer.contains("Retry-After: 2")).isEqualTo(what.equals("full"));
  }

  /** The key that the handler gets when nothing is judged; null if it is not called. */
  private static @Nullable String keyOfTheHandler(String path) throws IOException {
    String unused = send("GET", "/shop/unguarded/api/" + path);
    String key = HANDLED.isEmpty() ? null : HANDLED.get(0);
    HANDLED.clear();
    return key;
  }

  private static long judged() {
    return GUARDS.outcomes.count(EntryPoint.WEB, Outcome.REJECTED)
        + GUARDS.outcomes.count(EntryPoint.WEB, Outcome.PASSED);
  }

  private static String get(String path) throws IOException {
    return send("GET", "/shop/app/api/" + path);
  }

  /** Sends the path as it is; clients would normalize it. */
  private static String send(String method, String path) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket
          .getOutputStream()
          .write(
              (method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                  .getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.substring(9, 12));
  }

  private static String body(String answer) {
    return answer.substring(answer.indexOf("\r\n\r\n") + 4);
  }
}
