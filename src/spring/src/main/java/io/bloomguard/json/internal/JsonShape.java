package io.bloomguard.json.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fingerprint of a type's JSON: the names and types of its properties, and of theirs, in any
 * order. JSON of another shape can be read without an error, with null for what is missing.
 *
 * @param <T> the types, as a Jackson describes them
 */
final class JsonShape<T> {

  /** The length of a fingerprint in bytes. */
  static final int LENGTH = 8;

  /** The most types with parts whose parts count; of those beyond, only the name does. */
  static final int MOST_TYPES = 1_000;

  private final Function<T, Node<T>> nodes;
  private final Map<T, Integer> seen = new HashMap<>();
  private final StringBuilder text = new StringBuilder();

  private JsonShape(Function<T, Node<T>> nodes) {
    this.nodes = nodes;
  }

  /**
   * A type.
   *
   * @param name the name by which a type without parts is known; empty where the parts say all
   * @param parts the types of its properties by their names
   */
  record Node<T>(String name, Map<String, T> parts) {}

  static <T> byte[] of(T type, Function<T, Node<T>> nodes) {
    JsonShape<T> shape = new JsonShape<>(nodes);
    shape.append(type);
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(shape.text.toString().getBytes(UTF_8));
      return Arrays.copyOf(digest, LENGTH);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /** What a format adds to the name of its property; nothing for one that says nothing. */
  static String name(JsonFormat.@Nullable Value format) {
    return format == null || format.equals(JsonFormat.Value.empty())
        ? ""
        : " as " + format.getShape();
  }

  private void append(T type) {
    Integer before = seen.get(type);
    if (before != null) {
      text.append('^').append(before);
      return;
    }
    Node<T> node = nodes.apply(type);
    text.append(node.name());
    if (node.parts().isEmpty() || seen.size() == MOST_TYPES) {
      return;
    }
    seen.put(type, seen.size());
    text.append('{');
    new TreeMap<>(node.parts())
        .forEach(
            (name, part) -> {
              text.append(name).append(':');
              append(part);
              text.append(',');
            });
    text.append('}');
  }
}
