package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The server's {@code openapi.yaml}, as the judge of answers. */
final class ApiDescription {

  private static final JsonMapper JSON = new JsonMapper();
  private static final JsonNode DOCUMENT = read();
  private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDialect(Dialects.getOpenApi31());
  private static final Map<String, Schema> KNOWN = new ConcurrentHashMap<>();

  /** Headers that stand in the description of an answer if the answer may have them. */
  private static final List<String> TOLD = List.of("Retry-After", "WWW-Authenticate", "Location");

  private static final Set<String> METHODS =
      Set.of("get", "put", "post", "delete", "patch", "head", "options", "trace");

  private ApiDescription() {}

  private static JsonNode read() {
    try (InputStream file = ApiDescription.class.getResourceAsStream("openapi.yaml")) {
      Object document = new Yaml(new SafeConstructor(new LoaderOptions())).load(file);
      return JSON.valueToTree(document);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Each operation, as {@code GET /v1/sizing}. */
  static Set<String> operations() {
    Set<String> operations = new LinkedHashSet<>();
    for (Map.Entry<String, JsonNode> path : DOCUMENT.path("paths").properties()) {
      for (String method : methods(path.getKey())) {
        operations.add(method + " " + path.getKey());
      }
    }
    return operations;
  }

  /** Each status of each operation, as {@code GET /v1/sizing 200}. */
  static Set<String> answers() {
    Set<String> answers = new LinkedHashSet<>();
    for (String operation : operations()) {
      operation(operation)
          .path("responses")
          .propertyNames()
          .forEach(status -> answers.add(operation + " " + status));
    }
    return answers;
  }

  /** The methods of a path, in capitals. */
  static Set<String> methods(String path) {
    Set<String> methods = new LinkedHashSet<>();
    for (String name : DOCUMENT.path("paths").path(path).propertyNames()) {
      if (METHODS.contains(name)) {
        methods.add(name.toUpperCase(Locale.ROOT));
      }
    }
    return methods;
  }

  /** Whether a schema of the description allows that JSON. */
  static boolean allows(String schema, String json) {
    return errors(JSON.createObjectNode().put("$ref", "#/components/schemas/" + schema), json)
        .isEmpty();
  }

  /** The operation and status of an answer of the API, as in {@link #answers()}. */
  static String labelOf(HttpResponse<?> answer) {
    return answer.request().method()
        + " "
        + template(answer.uri().getRawPath())
        + " "
        + answer.statusCode();
  }

  /** Fails for an answer of the API whose status, headers, media type or body is not described. */
  static void requireDocumented(HttpResponse<String> answer) {
    String path = answer.uri().getRawPath();
    if (!path.equals("/v1") && !path.startsWith("/v1/")) {
      return;
    }
    String method = answer.request().method();
    String call = method + " " + path + " " + answer.statusCode();
    if (method.equals("OPTIONS") && answer.statusCode() == 200) {
      assertThat(answer.headers().firstValue("Allow")).as(call).isPresent();
      return;
    }
    String template = template(path);
    boolean head = method.equals("HEAD");
    JsonNode operation =
        template == null ? null : operation((head ? "GET" : method) + " " + template);
    if (operation == null || operation.isMissingNode()) {
      // What may not be done is told before what is not there.
      assertThat(answer.statusCode()).as(call).isIn(template == null ? 404 : 405, 401, 403);
      assertThat(answer.statusCode() == 405).isEqualTo(has(answer, "Allow"));
      requireBody(call, problem(), answer, head);
      return;
    }
    JsonNode response =
        resolved(operation.path("responses").path(Integer.toString(answer.statusCode())));
    assertThat(response.isMissingNode()).as(call + " is not in openapi.yaml").isFalse();
    requireHeaders(call, response.path("headers"), answer.headers());
    requireBody(call, response.path("content"), answer, head);
  }

  private static void requireHeaders(String call, JsonNode described, HttpHeaders headers) {
    for (String name : TOLD) {
      String value = headers.firstValue(name).orElse(null);
      JsonNode header = resolved(described.path(name));
      if (value == null) {
        assertThat(header.path("required").asBoolean(false)).as(call + " lacks " + name).isFalse();
      } else {
        assertThat(header.isMissingNode()).as(call + " has " + name).isFalse();
        JsonNode schema = header.path("schema");
        boolean text = schema.path("type").asString().equals("string");
        assertThat(errors(schema, text ? JSON.writeValueAsString(value) : value))
            .as(call + " " + name)
            .isEmpty();
      }
    }
  }

  private static void requireBody(
      String call, JsonNode content, HttpResponse<String> answer, boolean head) {
    String type = answer.headers().firstValue("Content-Type").orElse("").replaceAll(";.*", "");
    if (content.isMissingNode()) {
      assertThat(answer.body()).as(call).isEmpty();
      assertThat(type).as(call).isEmpty();
      return;
    }
    assertThat(content.propertyNames()).as(call).contains(type);
    if (!head && type.endsWith("json")) {
      assertThat(errors(content.path(type).path("schema"), answer.body())).as(call).isEmpty();
      if (type.contains("problem")) {
        assertThat(JSON.readTree(answer.body()).path("status").asInt())
            .as(call)
            .isEqualTo(answer.statusCode());
      }
    }
  }

  private static List<Error> errors(JsonNode schema, String json) {
    Schema compiled =
        KNOWN.computeIfAbsent(
            schema.toString(),
            text -> {
              ObjectNode whole = ((ObjectNode) schema).deepCopy();
              whole.set("components", DOCUMENT.path("components"));
              return SCHEMAS.getSchema(whole);
            });
    return compiled.validate(JSON.readTree(json));
  }

  private static boolean has(HttpResponse<?> answer, String header) {
    return answer.headers().firstValue(header).isPresent();
  }

  private static JsonNode problem() {
    return DOCUMENT.at("/components/responses/NotFound/content");
  }

  private static JsonNode operation(String operation) {
    String[] parts = operation.split(" ");
    return DOCUMENT.path("paths").path(parts[1]).path(parts[0].toLowerCase(Locale.ROOT));
  }

  private static JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? DOCUMENT.at(node.path("$ref").asString().substring(1)) : node;
  }

  /** The path of the description that a path of a call belongs to. */
  private static @Nullable String template(String path) {
    for (String template : DOCUMENT.path("paths").propertyNames()) {
      String pattern = template.replace(".", "\\.").replace("{path}", ".+");
      if (path.matches(pattern.replaceAll("\\{[^}]*}", "[^/]+"))) {
        return template;
      }
    }
    return null;
  }
}
