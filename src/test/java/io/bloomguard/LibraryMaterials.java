package io.bloomguard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The library's bill of materials: the part of the server's (CycloneDX 1.6) that the published POM
 * brings to an application.
 *
 * <p>That is each dependency which is not optional there, with all that it depends on.
 */
final class LibraryMaterials {

  private LibraryMaterials() {}

  /** Arguments: the server's bill, the published POM, the file to write. */
  public static void main(String[] args) throws Exception {
    JsonMapper mapper = JsonMapper.builder().build();
    ObjectNode bill = (ObjectNode) mapper.readTree(Files.readString(Path.of(args[0])));
    reduce(bill, required(Path.of(args[1])));
    Files.writeString(
        Path.of(args[2]), mapper.writerWithDefaultPrettyPrinter().writeValueAsString(bill) + "\n");
  }

  /** Leaves of the bill the named materials, {@code group:artifact}, and what they depend on. */
  static void reduce(ObjectNode bill, Set<String> required) {
    ObjectNode library = (ObjectNode) bill.path("metadata").path("component");
    String root = library.path("bom-ref").asString();
    Map<String, ArrayNode> dependencies = new HashMap<>();
    bill.path("dependencies")
        .forEach(
            node ->
                dependencies.put(
                    node.path("ref").asString(), ((ObjectNode) node).withArray("dependsOn")));

    Set<String> direct = new HashSet<>();
    for (JsonNode component : bill.path("components")) {
      String name = component.path("group").asString() + ":" + component.path("name").asString();
      if (required.contains(name)) {
        direct.add(component.path("bom-ref").asString());
      }
    }
    if (direct.size() != required.size()) {
      throw new IllegalStateException("Of " + required + " the server's bill has " + direct);
    }
    Set<String> kept = reachable(direct, dependencies);

    retain(bill.path("components"), component -> kept.contains(text(component, "bom-ref")));
    retain(
        bill.path("dependencies"),
        node -> text(node, "ref").equals(root) || kept.contains(text(node, "ref")));
    retain(dependencies.get(root), node -> direct.contains(node.asString()));
    library.put("type", "library");
    bill.put("serialNumber", "urn:uuid:" + UUID.nameUUIDFromBytes(bill.toString().getBytes(UTF_8)));
  }

  /** The dependencies of the POM that are not optional. */
  static Set<String> required(Path pom) throws Exception {
    NodeList dependencies =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(pom.toFile())
            .getElementsByTagName("dependency");
    Set<String> required = new HashSet<>();
    for (int i = 0; i < dependencies.getLength(); i++) {
      Element dependency = (Element) dependencies.item(i);
      if (dependency.getElementsByTagName("optional").getLength() == 0) {
        required.add(child(dependency, "groupId") + ":" + child(dependency, "artifactId"));
      }
    }
    return required;
  }

  private static Set<String> reachable(Set<String> from, Map<String, ArrayNode> dependencies) {
    Set<String> reached = new HashSet<>(from);
    Deque<String> open = new ArrayDeque<>(from);
    while (!open.isEmpty()) {
      ArrayNode next = dependencies.get(open.remove());
      if (next != null) {
        next.forEach(
            node -> {
              if (reached.add(node.asString())) {
                open.add(node.asString());
              }
            });
      }
    }
    return reached;
  }

  private static void retain(JsonNode array, Predicate<JsonNode> kept) {
    List<JsonNode> nodes = StreamSupport.stream(array.spliterator(), false).filter(kept).toList();
    ((ArrayNode) array).removeAll().addAll(nodes);
  }

  private static String text(JsonNode node, String field) {
    return node.path(field).asString();
  }

  private static String child(Element element, String name) {
    return element.getElementsByTagName(name).item(0).getTextContent();
  }
}
