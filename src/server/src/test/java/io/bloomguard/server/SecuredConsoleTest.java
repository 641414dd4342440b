package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The console under the profile {@code secured}, on a management port of its own. */
class SecuredConsoleTest {

  private static final String OPERATOR = "Basic " + base64("operator:secret");
  private static final String EXPLAIN = "{\"action\":\"explain\",\"key\":\"1\"}";

  private static RunningServer server;
  private static URI page;

  @BeforeAll
  static void start() {
    server =
        new RunningServer(
            "spring.profiles.active=secured",
            "spring.security.user.password=secret",
            "management.server.port=0",
            "management.server.address=127.0.0.1",
            "management.server.base-path=/ops");
    String port = server.context().getEnvironment().getRequiredProperty("local.management.port");
    page = URI.create("http://127.0.0.1:" + port + "/ops/bloomguard/");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void asksABrowserForNameAndPassword() throws Exception {
    for (String path : List.of("", "main.js", "data")) {
      HttpResponse<String> answer = server.send(HttpRequest.newBuilder(at(path)).build());
      problem(answer, 401);
      assertThat(answer.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Basic ");
    }
  }

  @Test
  void servesAnOperatorThePageWithItsOwnRules() throws Exception {
    HttpResponse<String> answer = server.send(operator("").build());

    assertThat(answer.body()).contains("<title>Bloomguard console</title>");
    assertThat(answer.headers().allValues("Content-Security-Policy"))
        .singleElement()
        .asString()
        .startsWith("default-src 'none'");
    assertThat(answer.headers().allValues("Cache-Control")).hasSize(1);
    String tag = answer.headers().firstValue("ETag").orElseThrow();
    HttpRequest again = operator("").header("If-None-Match", tag).build();
    assertThat(server.send(again).statusCode()).isEqualTo(304);
  }

  /** A browser has the cookie before it writes for the first time: it came with the page. */
  @Test
  void writesWithTheTokenThatCameWithThePage() throws Exception {
    HttpCookie token = token(server.send(operator("").build()));
    assertThat(token.getPath()).isIn("/", "/ops");
    assertThat(token.isHttpOnly()).as("the page's script reads it").isFalse();

    String endpoint = json(server.send(operator("data").build()), 200).path("endpoint").asString();
    String filter = endpoint + "/products";
    json(server.send(write(filter, EXPLAIN, token)), 200);
    json(server.send(write("data/products/prefix", "{\"key\":\"1\"}", token)), 200);
    json(server.send(write("data/attack", "{\"requests\":10}", token)), 200);
    problem(server.send(write(filter, "{\"action\":\"rollback\"}", token)), 409);
    problem(server.send(browser(filter + "/rebuild", token).DELETE().build()), 404);
  }

  @Test
  void takesNoWriteOfABrowserWithoutTheToken() throws Exception {
    for (String path : List.of("../actuator/bloomfilters/products", "data/attack")) {
      HttpRequest call =
          operator(path)
              .header("Origin", origin())
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(EXPLAIN))
              .build();
      assertThat(problem(server.send(call), 403)).contains("X-XSRF-TOKEN");
    }
  }

  @Test
  void isNotOnThePortOfTheCallers() throws Exception {
    for (String path : List.of("/bloomguard/", "/ops/bloomguard/", "/bloomguard/data")) {
      assertThat(server.send(server.request(path).header("Authorization", OPERATOR).build()))
          .as(path)
          .extracting(HttpResponse::statusCode)
          .isEqualTo(404);
    }
  }

  private static HttpRequest write(String path, String body, HttpCookie token) {
    return browser(path, token)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private static HttpRequest.Builder browser(String path, HttpCookie token) {
    return operator(path)
        .header("Origin", origin())
        .header("Sec-Fetch-Site", "same-origin")
        .header("Cookie", "XSRF-TOKEN=" + token.getValue())
        .header("X-XSRF-TOKEN", token.getValue());
  }

  private static HttpRequest.Builder operator(String path) {
    return HttpRequest.newBuilder(at(path)).header("Authorization", OPERATOR);
  }

  private static URI at(String path) {
    return page.resolve(path);
  }

  private static String origin() {
    return "http://" + page.getAuthority();
  }

  private static HttpCookie token(HttpResponse<String> answer) {
    return answer.headers().allValues("Set-Cookie").stream()
        .flatMap(header -> HttpCookie.parse(header).stream())
        .filter(cookie -> cookie.getName().equals("XSRF-TOKEN"))
        .findAny()
        .orElseThrow();
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
