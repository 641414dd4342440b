package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.HttpCookie;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The profile {@code secured} with HTTP Basic and the demo catalogue. */
@ExtendWith(OutputCaptureExtension.class)
class SecuredServerTest {

  private static final String PASSWORD = "a b:\u00e9";
  private static final String FILTER = "/actuator/bloomfilters/products";
  private static final String ROLLBACK = "{\"action\":\"rollback\"}";

  private static final String CLEAR = "{\"action\":\"clear\",\"confirm\":\"products\"}";

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server =
        new RunningServer(
            "spring.profiles.active=secured", "spring.security.user.password=" + PASSWORD);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/actuator/health",
        "/actuator/health/liveness",
        "/actuator/health/readiness",
        "/actuator/info",
        "/actuator/prometheus",
        "/api/products/42"
      })
  void showsStrangersThatItLives(String path) throws Exception {
    assertThat(server.get(path).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/actuator",
        "/actuator/bloomfilters",
        "/actuator/bloomfilters/products",
        "/actuator/metrics",
        "/bloomguard",
        "/bloomguard/data",
        "/error",
        "/v1/sizing?insertions=1000&fpp=0.01",
        "/no/such/path"
      })
  void asksStrangersForTheirName(String path) throws Exception {
    HttpResponse<String> answer = server.get(path);
    assertThat(problem(answer, 401)).contains("credentials");
    assertThat(answer.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Basic ");
    assertThat(server.send(as("operator", PASSWORD, path).build()).statusCode()).isNotIn(401, 403);
    assertThat(problem(server.send(as("operator", "wrong", path).build()), 401)).isNotEmpty();
    assertThat(problem(server.send(as("user", PASSWORD, path).build()), 401)).isNotEmpty();
  }

  /** The firewall refuses the path, and the container then asks for the page of the error. */
  @Test
  void tellsStrangersOfErrorsInWhatIsOpen() throws Exception {
    problem(server.get("/api/products/42;a"), 400);
    problem(server.get("/api/products/0"), 404);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /actuator/bloomfilters/products",
    "DELETE, /actuator/bloomfilters/products/rebuild",
    "POST, /v1/filters/products/check",
    "POST, /v1/filters/products/subject/check",
    "POST, /v1/filters/products/subject/keys",
    "POST, /v1/filters/products/keys",
    "POST, /v1/filters/products/found",
    "POST, /bloomguard/data/attack",
    "PUT, /no/such/path"
  })
  void letsNoStrangerWrite(String method, String path) throws Exception {
    HttpRequest.Builder call =
        server
            .request(path)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString("{\"action\":\"rebuild\",\"keys\":[]}"));
    problem(server.send(call.build()), 401);
  }

  @Test
  void showsDetailsOfTheHealthToWhoeverHasLoggedIn() throws Exception {
    assertThat(json(server.get("/actuator/health"), 200).propertyNames())
        .containsExactlyInAnyOrder("status", "groups");
    assertThat(
            json(server.send(as("operator", PASSWORD, "/actuator/health").build()), 200)
                .at("/components/bloomguard/details/products/policy")
                .asString())
        .isEqualTo("open");
  }

  @Test
  void letsAnOperatorWriteAndWritesWhoItWas(CapturedOutput output) throws Exception {
    problem(server.send(post(FILTER, ROLLBACK).build()), 409);
    assertThat(output).contains("rollback of filter 'products' by 'operator' from 127.0.0.1: ");
    problem(server.send(post(FILTER, CLEAR).build()), 409);
    assertThat(output).contains("clear of filter 'products' by 'operator' from 127.0.0.1: ");
    json(server.send(post("/v1/filters/products/keys", "{\"keys\":[1]}").build()), 200);
    problem(server.send(as("operator", PASSWORD, FILTER + "/rebuild").DELETE().build()), 404);
  }

  @Test
  void keepsNoSession() throws Exception {
    for (HttpRequest.Builder call :
        List.of(server.request(FILTER), as("operator", PASSWORD, FILTER), post(FILTER, "{}"))) {
      HttpResponse<String> answer = server.send(call.header("Accept", "text/html, */*").build());
      assertThat(answer.headers().allValues("Set-Cookie"))
          .noneMatch(cookie -> cookie.contains("JSESSIONID"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Origin, https://elsewhere.example",
    "Origin, null",
    "Referer, https://elsewhere.example/page",
    "Sec-Fetch-Site, cross-site",
    "Sec-Fetch-Site, same-origin"
  })
  void aBrowserThatWritesNeedsTheToken(String header, String value) throws Exception {
    HttpRequest.Builder call = post(FILTER, ROLLBACK).header(header, value);
    assertThat(problem(server.send(call.build()), 403)).contains("X-XSRF-TOKEN");

    HttpCookie token = token(server.send(as("operator", PASSWORD, FILTER).build()));
    assertThat(token.isHttpOnly()).as("our script reads it").isFalse();
    call.header("Cookie", "XSRF-TOKEN=" + token.getValue());
    problem(server.send(call.build()), 403);
    call.header("X-XSRF-TOKEN", "another");
    problem(server.send(call.build()), 403);
    call.setHeader("X-XSRF-TOKEN", token.getValue());
    problem(server.send(call.build()), 409);
    problem(server.send(call.build()), 409);
  }

  @Test
  void doesNotStartWithoutAPassword(CapturedOutput output) {
    for (String password : List.of("", "spring.security.user.password=")) {
      assertThatThrownBy(() -> new RunningServer("spring.profiles.active=secured", password))
          .rootCause()
          .hasMessageContaining("login is impossible");
    }
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "Set spring.security.user.password")
        .doesNotContain("generated security password");
  }

  private static HttpCookie token(HttpResponse<String> answer) {
    return answer.headers().allValues("Set-Cookie").stream()
        .flatMap(header -> HttpCookie.parse(header).stream())
        .filter(cookie -> cookie.getName().equals("XSRF-TOKEN"))
        .findAny()
        .orElseThrow();
  }

  private static HttpRequest.Builder post(String path, String body) {
    return as("operator", PASSWORD, path)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body));
  }

  private static HttpRequest.Builder as(String user, String password, String path) {
    byte[] credentials = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return server
        .request(path)
        .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
  }
}
