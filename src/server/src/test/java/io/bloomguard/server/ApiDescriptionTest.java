package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.redis.EmbeddedRedis;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The server and the description of its API, each against the other. {@link RunningServer} holds
 * every answer of all its tests against the description.
 */
@Tag("redis")
class ApiDescriptionTest {

  private static final String KEYS = "{\"keys\":[\"a\",42]}";
  private static final Path FILE =
      Path.of("src/server/src/main/resources/io/bloomguard/server/openapi.yaml");

  /** Operations with a body, each on a filter that takes it. */
  private static final Map<String, String> BATCHES =
      Map.of(
          "/v1/filters/codes/check", "POST",
          "/v1/filters/codes/keys", "POST",
          // Not a key of the map twice.
          "/v1/filters/codes/keys?", "DELETE",
          "/v1/filters/codes/found", "POST",
          "/v1/filters/seen/u1/check", "POST",
          "/v1/filters/seen/u1/keys", "POST");

  private static final String SIZING = "/v1/sizing?insertions=1e6&fpp=0.001";

  private static EmbeddedRedis redis;

  /** With Basic, subjects, and little memory for batches. */
  private static RunningServer secured;

  /** A server to which every body comes too late. */
  private static RunningServer impatient;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
    secured =
        new RunningServer(
            (GenericApplicationContext context) ->
                context.registerBean(WebMvcConfigurer.class, Faults::new),
            "spring.profiles.active=secured",
            "spring.security.user.password=secret",
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + redis.port(),
            "bloomguard.redis.command-timeout=10s",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            "bloomguard.server.batch-memory=4MB",
            "bloomguard.filters.codes.layout=counting",
            "bloomguard.filters.codes.expected-insertions=1000",
            "bloomguard.filters.codes.source.added-only=true",
            "bloomguard.filters.plain.expected-insertions=1000",
            "bloomguard.filters.plain.source.added-only=true",
            "bloomguard.filters.banned.expected-insertions=1000",
            "bloomguard.filters.banned.reject=present",
            "bloomguard.filters.banned.on-unknown=open",
            "bloomguard.filters.banned.source.added-only=true",
            "bloomguard.filters.closed.on-unknown=closed",
            "bloomguard.gateway.rules[0].pattern=/codes/{id}",
            "bloomguard.gateway.rules[0].filter=codes",
            "bloomguard.gateway.rules[0].key=id",
            "bloomguard.gateway.rules[1].pattern=/banned/{id}",
            "bloomguard.gateway.rules[1].filter=banned",
            "bloomguard.gateway.rules[1].key=id",
            "bloomguard.gateway.rules[1].type=string",
            "bloomguard.gateway.rules[2].pattern=/closed/{id}",
            "bloomguard.gateway.rules[2].filter=closed",
            "bloomguard.gateway.rules[2].key=id",
            "bloomguard.filters.seen.backend=redis",
            "bloomguard.filters.seen.expected-insertions=1000",
            "bloomguard.filters.seen.per-subject.max-subjects=20");
    impatient =
        new RunningServer(
            (GenericApplicationContext context) ->
                context.registerBean(BeanPostProcessor.class, () -> new Impatience(context)),
            "bloomguard.server.removals=true",
            "bloomguard.filters.codes.layout=counting",
            "bloomguard.filters.codes.expected-insertions=1000",
            "bloomguard.filters.codes.source.added-only=true");
  }

  @AfterAll
  static void stop() throws Exception {
    secured.close();
    impatient.close();
    redis.close();
  }

  @Test
  void describesEachMappingAndNoOther() {
    Set<String> mapped = new LinkedHashSet<>();
    secured
        .context()
        .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
        .getHandlerMethods()
        .keySet()
        .forEach(
            mapping -> {
              for (String path : mapping.getPatternValues()) {
                for (RequestMethod method : mapping.getMethodsCondition().getMethods()) {
                  mapped.add(method + " " + path);
                }
                if (mapping.getMethodsCondition().isEmpty()) {
                  mapped.add("any " + path);
                }
              }
            });
    mapped.removeIf(mapping -> !mapping.contains(" /v1"));
    // A servlet filter answers it.
    mapped.add("GET " + AuthoriseRequest.PATH);
    mapped.add("GET " + AuthoriseRequest.PATH + "/{path}");
    assertThat(mapped).containsExactlyInAnyOrderElementsOf(ApiDescription.operations());
  }

  @Test
  void eachDescribedAnswerIsGiven() throws Exception {
    Set<String> given = new TreeSet<>();
    Consumer<HttpResponse<String>> note = answer -> given.add(ApiDescription.labelOf(answer));
    String tooMany = "{\"keys\":[" + "1,".repeat(KeyBatch.MAX_KEYS) + "1]}";
    String tooMuch =
        "{\"keys\":[" + ("\"" + "x".repeat(250) + "\",").repeat(KeyBatch.MAX_KEYS - 1) + "\"x\"]}";
    // Before a report of found keys disarms the filter.
    decisions("/codes/none").forEach(note);
    for (Map.Entry<String, String> batch : BATCHES.entrySet()) {
      String path = batch.getKey().replace("?", "");
      String method = batch.getValue();
      note.accept(call(method, path, KEYS));
      note.accept(call(method, path, "{\"keys\":[\"\"]}"));
      note.accept(secured.send(unnamed(method, path, KEYS).build()));
      note.accept(secured.send(named(method, path, KEYS).header("Origin", "null").build()));
      note.accept(call(method, path.replaceFirst("codes|seen", "none"), KEYS));
      note.accept(secured.send(named(method, path, KEYS).header("Accept", "text/html").build()));
      String late = path.replace("seen", "codes");
      note.accept(impatient.send(body(impatient.request(late), method, KEYS).build()));
      note.accept(call(method, path, tooMany));
      note.accept(
          secured.send(named(method, path, KEYS).setHeader("Content-Type", "text/plain").build()));
      note.accept(secured.send(named(method, path, KEYS).header(Faults.HEADER, "1").build()));
      note.accept(call(method, path, tooMuch));
    }
    note.accept(call("DELETE", "/v1/filters/plain/keys", KEYS));
    note.accept(call("POST", "/v1/filters/banned/found", KEYS));
    for (String path : List.of("/v1/filters/plain/keys", "/v1/filters/seen/u1/keys")) {
      for (String keys : List.of(KEYS, "{\"keys\":[\"b\"]}")) {
        note.accept(
            secured.send(named("POST", path, keys).header("Idempotency-Key", "once").build()));
      }
    }
    for (String path : List.of(SIZING, ApiDocumentController.PATH)) {
      note.accept(secured.send(as("secret", path).build()));
      note.accept(secured.send(as("wrong", path).build()));
      note.accept(secured.send(as("secret", path).header("Accept", "text/html").build()));
      note.accept(secured.send(as("secret", path).header(Faults.HEADER, "1").build()));
    }
    note.accept(secured.send(as("secret", SIZING + "&keyBytes=none").build()));
    note.accept(call("POST", "/v1/filters/banned/keys", KEYS));
    for (String target : List.of("/other", "/banned/a", "/closed/1", "/codes/" + "x".repeat(257))) {
      decisions(target).forEach(note);
    }
    note.accept(secured.send(as("secret", AuthoriseRequest.PATH).build()));
    assertThat(given).containsExactlyInAnyOrderElementsOf(ApiDescription.answers());
  }

  private static List<HttpResponse<String>> decisions(String target) throws Exception {
    String path = AuthoriseRequest.PATH;
    return List.of(
        secured.send(as("secret", path + target).build()),
        secured.send(as("wrong", path + target).build()),
        secured.send(asked(as("secret", path), target).build()),
        secured.send(asked(as("wrong", path), target).build()));
  }

  private static HttpRequest.Builder asked(HttpRequest.Builder call, String target) {
    return call.header("X-Forwarded-Uri", target).header("X-Forwarded-Method", "GET");
  }

  /** Fields that only some answers have. */
  @Test
  void optionalFieldsAreDescribed() throws Exception {
    String add = "/v1/filters/seen/u2/keys?detail=true";
    assertThat(RunningServer.json(call("POST", add, KEYS), 200).has("new")).isTrue();
    HttpResponse<String> sizes = secured.send(as("secret", SIZING + "&keyBytes=8").build());
    assertThat(RunningServer.json(sizes, 200).has("exact")).isTrue();
  }

  @Test
  void aMethodThatIsNotDescribedIs405WithThoseThatAre() throws Exception {
    for (String path : BATCHES.keySet()) {
      refusesOtherMethods(path.replace("?", ""));
    }
    refusesOtherMethods("/v1/sizing");
    refusesOtherMethods(ApiDocumentController.PATH);
  }

  private static void refusesOtherMethods(String path) throws Exception {
    for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE")) {
      HttpResponse<String> answer = call(method, path, KEYS);
      String label = ApiDescription.labelOf(answer);
      Set<String> described = ApiDescription.methods(label.split(" ")[1]);
      assertThat(answer.statusCode() == 405).as(label).isNotEqualTo(described.contains(method));
      if (answer.statusCode() == 405) {
        assertThat(answer.headers().firstValue("Allow").orElse("").split(", "))
            .containsExactlyInAnyOrderElementsOf(described);
      }
    }
  }

  @Test
  void headAndOptionsAreAnsweredForEachPath() throws Exception {
    for (String path : List.of(SIZING, ApiDocumentController.PATH)) {
      HttpRequest.Builder head = as("secret", path).method("HEAD", BodyPublishers.noBody());
      assertThat(secured.send(head.build()).statusCode()).isEqualTo(200);
      HttpRequest.Builder options = as("secret", path).method("OPTIONS", BodyPublishers.noBody());
      assertThat(secured.send(options.build()).statusCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"garbage", "a/b/c", "text/html;q=2", "application/vnd.x+json"})
  void aHeaderThatExcludesTheAnswerOrIsNoneIs406(String accept) throws Exception {
    for (String path : List.of(SIZING, ApiDocumentController.PATH)) {
      HttpRequest.Builder read = as("secret", path).header("Accept", accept);
      assertThat(secured.send(read.build()).statusCode()).isEqualTo(406);
    }
    HttpRequest.Builder nothing = as("secret", "/v1/nothing").header("Accept", accept);
    assertThat(secured.send(nothing.build()).statusCode()).isEqualTo(404);
    HttpRequest.Builder check =
        named("POST", "/v1/filters/codes/check", KEYS).header("Accept", accept);
    assertThat(secured.send(check.build()).statusCode()).isEqualTo(406);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "null",
        "{}",
        "{\"keys\":null}",
        "{\"keys\":\"a\"}",
        "{\"keys\":[],\"ttl\":1}",
        "{\"keys\":[null]}",
        "{\"keys\":[true]}",
        "{\"keys\":[1.5]}",
        "{\"keys\":[[]]}",
        "{\"keys\":[\"\"]}",
        "{\"keys\":[],\"subject\":7}",
        "{\"keys\":[],\"subject\":\"a b\"}"
      })
  void bodiesAgainstTheSchemaAreRefused(String body) throws Exception {
    assertThat(ApiDescription.allows("Keys", body)).isFalse();
    assertThat(call("POST", "/v1/filters/codes/check", body).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"keys\":[]}",
        "{\"keys\":[\"a\",-1,123456789012345678901234567890,\"\\u00fc\"]}",
        "{\"subject\":\"Az09._~-\",\"keys\":[1]}"
      })
  void bodiesOfTheSchemaAreTaken(String body) throws Exception {
    assertThat(ApiDescription.allows("Keys", body)).isTrue();
    String filter = body.contains("subject") ? "seen" : "codes";
    assertThat(call("POST", "/v1/filters/" + filter + "/check", body).statusCode()).isEqualTo(200);
  }

  @Test
  void theDescriptionIsServedToEveryCaller() throws Exception {
    for (RunningServer server : List.of(secured, impatient)) {
      HttpResponse<String> answer = server.get(ApiDocumentController.PATH);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo(Files.readString(FILE));
      assertThat(answer.headers().firstValue("Content-Disposition")).isEmpty();
    }
  }

  private static HttpResponse<String> call(String method, String path, String body)
      throws Exception {
    return secured.send(named(method, path, body).build());
  }

  private static HttpRequest.Builder named(String method, String path, String body) {
    return body(as("secret", path), method, body);
  }

  private static HttpRequest.Builder unnamed(String method, String path, String body) {
    return body(secured.request(path), method, body);
  }

  private static HttpRequest.Builder body(HttpRequest.Builder call, String method, String body) {
    return call.header("Content-Type", "application/json")
        .method(method, BodyPublishers.ofString(body));
  }

  private static HttpRequest.Builder as(String password, String path) {
    byte[] credentials = ("operator:" + password).getBytes(StandardCharsets.UTF_8);
    return secured
        .request(path)
        .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
  }

  /** Has every body come too late. */
  private record Impatience(GenericApplicationContext context) implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      return bean instanceof MembershipController
          ? new MembershipController(
              context.getBean(EntryGuards.class),
              context.getBeanProvider(OperatedFilters.class),
              context.getEnvironment(),
              Duration.ofNanos(1))
          : bean;
    }
  }

  /** Breaks the handling of a call where its header says so. */
  private static final class Faults implements WebMvcConfigurer, HandlerInterceptor {

    static final String HEADER = "X-Fault";

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
      registry.addInterceptor(this);
    }

    @Override
    public boolean preHandle(
        HttpServletRequest request, HttpServletResponse response, Object handler) {
      if (request.getDispatcherType() == DispatcherType.REQUEST
          && request.getHeader(HEADER) != null) {
        throw new IllegalStateException("inner workings");
      }
      return true;
    }
  }
}
