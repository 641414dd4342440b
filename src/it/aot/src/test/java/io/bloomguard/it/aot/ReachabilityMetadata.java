package io.bloomguard.it.aot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The file for native images that processing ahead of time has written, read as hints. */
final class ReachabilityMetadata {

  private ReachabilityMetadata() {}

  static RuntimeHints read(Path file) throws IOException {
    JsonNode metadata = JsonMapper.shared().readTree(file);
    RuntimeHints hints = new RuntimeHints();
    for (JsonNode entry : metadata.path("reflection")) {
      JsonNode type = entry.path("type");
      if (type.has("proxy")) {
        hints.proxies().registerJdkProxy(types(type.path("proxy")));
      } else {
        hints
            .reflection()
            .registerType(TypeReference.of(type.stringValue()), one -> add(entry, one));
      }
    }
    for (JsonNode entry : metadata.path("resources")) {
      if (entry.has("bundle")) {
        hints.resources().registerResourceBundle(entry.path("bundle").stringValue());
      } else {
        hints.resources().registerPattern(entry.path("glob").stringValue());
      }
    }
    return hints;
  }

  private static void add(JsonNode entry, TypeHint.Builder type) {
    category(entry, "allPublicFields", type, MemberCategory.ACCESS_PUBLIC_FIELDS);
    category(entry, "allDeclaredFields", type, MemberCategory.ACCESS_DECLARED_FIELDS);
    category(entry, "allPublicMethods", type, MemberCategory.INVOKE_PUBLIC_METHODS);
    category(entry, "allDeclaredMethods", type, MemberCategory.INVOKE_DECLARED_METHODS);
    category(entry, "allPublicConstructors", type, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
    category(entry, "allDeclaredConstructors", type, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
    for (JsonNode field : entry.path("fields")) {
      type.withField(field.path("name").stringValue());
    }
    for (JsonNode method : entry.path("methods")) {
      List<TypeReference> parameters = List.of(types(method.path("parameterTypes")));
      String name = method.path("name").stringValue();
      if (name.equals("<init>")) {
        type.withConstructor(parameters, ExecutableMode.INVOKE);
      } else {
        type.withMethod(name, parameters, ExecutableMode.INVOKE);
      }
    }
  }

  private static void category(
      JsonNode entry, String name, TypeHint.Builder type, MemberCategory category) {
    if (entry.path(name).booleanValue(false)) {
      type.withMembers(category);
    }
  }

  private static TypeReference[] types(JsonNode names) {
    List<TypeReference> types = new ArrayList<>();
    names.forEach(name -> types.add(TypeReference.of(name.stringValue())));
    return types.toArray(new TypeReference[0]);
  }
}
