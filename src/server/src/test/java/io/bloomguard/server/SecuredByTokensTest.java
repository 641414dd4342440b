package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The profile {@code secured} with bearer tokens, and the endpoints on a port of their own. */
@ExtendWith(OutputCaptureExtension.class)
class SecuredByTokensTest {

  private static final String FILTER = "/actuator/bloomfilters/products";
  private static final String ROLLBACK = "{\"action\":\"rollback\"}";
  private static final String ADD = "/v1/filters/products/keys";
  private static final String KEYS = "{\"keys\":[1]}";

  private static KeyPair issuer;
  private static RunningServer server;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    issuer = keys();
    String pem =
        "-----BEGIN PUBLIC KEY-----\n"
            + Base64.getMimeEncoder().encodeToString(issuer.getPublic().getEncoded())
            + "\n-----END PUBLIC KEY-----\n";
    Path key = Files.writeString(directory.resolve("issuer.pem"), pem);
    server =
        new RunningServer(
            "spring.profiles.active=secured",
            "spring.security.oauth2.resourceserver.jwt.public-key-location=file:" + key,
            "management.server.port=0",
            "bloomguard.filters.products.expected-insertions=1000",
            "bloomguard.filters.products.layout=counting",
            "bloomguard.filters.products.source.added-only=true",
            "management.endpoint.health.probes.add-additional-paths=true",
            "management.server.address=127.0.0.1");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void protectsTheManagementPort() throws Exception {
    for (String open : List.of("health", "health/readiness", "info", "prometheus")) {
      assertThat(managed("/actuator/" + open, null, null).statusCode()).as(open).isEqualTo(200);
    }
    assertThat(called("/livez", null, null).statusCode()).isEqualTo(200);
    assertThat(called("/readyz", null, null).statusCode()).isEqualTo(200);
    problem(called("/actuator/health", null, null), 401);
    for (String closed :
        List.of("/actuator", "/actuator/bloomfilters", "/actuator/metrics", "/bloomguard")) {
      problem(managed(closed, null, null), 401);
    }
    problem(managed(FILTER, ROLLBACK, null), 401);
    problem(managed("/bloomguard/data/attack", "{}", null), 401);
    assertThat(json(managed("/actuator/health", null, null), 200).has("components")).isFalse();
    assertThat(json(managed("/actuator/health", null, token("anna")), 200).has("components"))
        .isTrue();
  }

  @Test
  void letsReadersReadAndCheck() throws Exception {
    String reader = token("anna", "READER");
    json(managed(FILTER, null, reader), 200);
    json(called("/v1/filters/products/check", KEYS, reader), 200);
    json(called("/v1/sizing?insertions=1000&fpp=0.01", null, reader), 200);
    assertThat(problem(managed(FILTER, ROLLBACK, reader), 403)).contains("role");
    problem(called(ADD, KEYS, reader), 403);
    problem(called("/v1/filters/products/subject/keys", KEYS, reader), 403);
    // Allowed, and then told that the filter has no subjects.
    problem(called("/v1/filters/products/subject/check", KEYS, reader), 400);
    problem(managed("/bloomguard", null, reader), 403);
    problem(called("/bloomguard/data", null, reader), 403);
  }

  @Test
  void letsWritersAddKeys() throws Exception {
    String writer = token("ben", "WRITER");
    json(called(ADD, KEYS, writer), 200);
    problem(called("/v1/filters/products/subject/keys", KEYS, writer), 400);
    problem(called("/v1/filters/products/subject/found", KEYS, writer), 403);
    problem(managed(FILTER, ROLLBACK, writer), 403);
    problem(managed(FILTER, "{\"action\":\"clear\",\"confirm\":\"products\"}", writer), 403);
    problem(managed(FILTER, "{\"action\":\"explain\",\"key\":\"1\"}", writer), 403);
  }

  @Test
  void letsRemoversRemoveKeysAndNoWriter(CapturedOutput output) throws Exception {
    String remover = token("rita", "REMOVER");
    problem(called(ADD, KEYS, remover), 403);
    json(called(ADD, "{\"keys\":[\"a\",\"b\"]}", token("ben", "WRITER")), 200);
    problem(removed("{\"keys\":[\"a\"]}", token("ben", "WRITER")), 403);
    problem(removed("{\"keys\":[\"a\"]}", token("anna", "READER")), 403);
    assertThat(json(removed("{\"keys\":[\"a\",\"no\"]}", remover), 200).path("removed").asInt())
        .isOne();
    assertThat(output)
        .contains("removal of 2 keys of filter 'products' by 'rita' from 127.0.0.1: 1 removed");
    assertThat(
            json(called("/v1/filters/products/check", "{\"keys\":[\"a\",\"b\"]}", remover), 200)
                .path("results")
                .toString())
        .isEqualTo("[\"ABSENT\",\"POSSIBLY_PRESENT\"]");
    json(removed("{\"keys\":[\"b\"]}", token("carla", "OPERATOR")), 200);
  }

  private static HttpResponse<String> removed(String body, String token) throws Exception {
    return server.send(
        server
            .request(ADD)
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + token)
            .method("DELETE", BodyPublishers.ofString(body))
            .build());
  }

  @Test
  void letsOperatorsDoBothAndWritesWhoItWas(CapturedOutput output) throws Exception {
    String operator = token("carla", "READER", "OPERATOR");
    problem(managed(FILTER, ROLLBACK, operator), 409);
    json(called(ADD, KEYS, operator), 200);
    problem(called("/v1/filters/products/subject/keys", KEYS, operator), 400);
    json(managed("/bloomguard/data", null, operator), 200);
    assertThat(output).contains("rollback of filter 'products' by 'carla' from 127.0.0.1: ");
  }

  /** A browser sends it only where a script of ours says so. */
  @Test
  void aBearerTokenNeedsNoOther() throws Exception {
    HttpRequest call =
        server
            .request(ADD)
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + token("ben", "WRITER"))
            .header("Origin", "https://console.example")
            .POST(BodyPublishers.ofString(KEYS))
            .build();
    json(server.send(call), 200);
  }

  @Test
  void asksForAToken() throws Exception {
    HttpResponse<String> answer = called(ADD, KEYS, null);
    problem(answer, 401);
    assertThat(answer.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Bearer");
  }

  @Test
  void refusesATokenOfAnotherIssuerOrTime() throws Exception {
    Instant now = Instant.now();
    problem(called(ADD, KEYS, token(keys(), now.plusSeconds(60), "eve", "OPERATOR")), 401);
    problem(called(ADD, KEYS, token(issuer, now.minusSeconds(600), "eve", "OPERATOR")), 401);
    problem(called(ADD, KEYS, "no-token"), 401);
  }

  private static String token(String user, String... roles) throws Exception {
    return token(issuer, Instant.now().plusSeconds(600), user, roles);
  }

  private static String token(KeyPair signer, Instant end, String user, String... roles)
      throws Exception {
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .subject(user)
            .claim("roles", List.of(roles))
            .expirationTime(Date.from(end))
            .build();
    SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.RS256), claims);
    token.sign(new RSASSASigner(signer.getPrivate()));
    return token.serialize();
  }

  private static KeyPair keys() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    return generator.generateKeyPair();
  }

  private static HttpResponse<String> managed(String path, String body, String token)
      throws Exception {
    String port = server.context().getEnvironment().getRequiredProperty("local.management.port");
    return call("http://127.0.0.1:" + port + path, body, token);
  }

  private static HttpResponse<String> called(String path, String body, String token)
      throws Exception {
    return call("http://127.0.0.1:" + server.port() + path, body, token);
  }

  private static HttpResponse<String> call(String url, String body, String token) throws Exception {
    HttpRequest.Builder call = HttpRequest.newBuilder(URI.create(url));
    if (body != null) {
      call.header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
    }
    if (token != null) {
      call.header("Authorization", "Bearer " + token);
    }
    return server.send(call.build());
  }
}
