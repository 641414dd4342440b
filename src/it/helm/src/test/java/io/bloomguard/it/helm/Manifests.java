package io.bloomguard.it.helm;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.Yaml;

/** What one rendering of the chart gave, manifest by manifest. */
final class Manifests {

  private final List<JsonObject> all = new ArrayList<>();

  Manifests(String rendered) {
    for (Object document : new Yaml().loadAll(rendered)) {
      if (document != null) {
        all.add(new Gson().toJsonTree(document).getAsJsonObject());
      }
    }
  }

  List<JsonObject> all() {
    return all;
  }

  List<String> kinds() {
    return all.stream().map(Manifests::kind).toList();
  }

  /** Those of a kind, in their order. */
  List<JsonObject> ofKind(String kind) {
    return all.stream().filter(manifest -> kind(manifest).equals(kind)).toList();
  }

  /** The only one of a kind. */
  JsonObject one(String kind) {
    List<JsonObject> found = ofKind(kind);
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " manifests are of kind " + kind);
    }
    return found.get(0);
  }

  /** The one of a kind and name. */
  JsonObject one(String kind, String name) {
    return ofKind(kind).stream()
        .filter(manifest -> name(manifest).equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** The specification of every pod: the server's, and the test's. */
  List<JsonObject> podSpecs() {
    return Stream.concat(
            ofKind("Deployment").stream()
                .map(manifest -> object(manifest, "spec", "template", "spec")),
            ofKind("Pod").stream().map(manifest -> object(manifest, "spec")))
        .toList();
  }

  /** The server's container. */
  JsonObject container() {
    JsonObject spec = object(one("Deployment"), "spec", "template", "spec");
    return spec.getAsJsonArray("containers").get(0).getAsJsonObject();
  }

  /** The server's variable of that name, null where there is none. */
  JsonObject variable(String name) {
    return objects(container().getAsJsonArray("env"))
        .filter(variable -> variable.get("name").getAsString().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** The server's configuration as text. */
  String applicationYml() {
    JsonObject pod = object(one("Deployment"), "spec", "template", "spec");
    String map =
        objects(pod.getAsJsonArray("volumes"))
            .filter(volume -> volume.get("name").getAsString().equals("config"))
            .map(volume -> object(volume, "configMap").get("name").getAsString())
            .findFirst()
            .orElseThrow();
    return object(one("ConfigMap", map), "data").get("application.yml").getAsString();
  }

  static String kind(JsonObject manifest) {
    return manifest.get("kind").getAsString();
  }

  static String name(JsonObject manifest) {
    return object(manifest, "metadata").get("name").getAsString();
  }

  static JsonObject object(JsonObject from, String... path) {
    JsonObject found = from;
    for (String step : path) {
      found = found.getAsJsonObject(step);
    }
    return found;
  }

  static Stream<JsonObject> objects(JsonArray array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonElement::getAsJsonObject);
  }
}
