package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** An answer of the endpoint: the members of a JSON object, without those of no value. */
final class EndpointAnswer extends LinkedHashMap<String, Object> implements OperationResponseBody {

  private static final long serialVersionUID = 1L;

  /** The answer of one member. */
  static EndpointAnswer of(String name, Object value) {
    return new EndpointAnswer().with(name, value);
  }

  /** The description of a filter: its {@link Figure}s. */
  static EndpointAnswer of(OperatedFilter filter) {
    FilterReading now = new FilterReading(filter, System::nanoTime);
    EndpointAnswer answer = new EndpointAnswer();
    Figure.ALL.stream()
        .filter(each -> !each.path().isEmpty())
        .forEach(each -> answer.with(each.path(), each.value().apply(now)));
    return answer;
  }

  /**
   * Adds a member, unless its value is null or empty.
   *
   * @param path its name, after those of the objects that it is in
   */
  EndpointAnswer with(String path, @Nullable Object value) {
    if (value == null || value instanceof Collection<?> all && all.isEmpty()) {
      return this;
    }
    int dot = path.indexOf('.');
    if (dot < 0) {
      put(path, value);
    } else {
      Object within = computeIfAbsent(path.substring(0, dot), each -> new EndpointAnswer());
      ((EndpointAnswer) within).with(path.substring(dot + 1), value);
    }
    return this;
  }

  /** The members in words, for the audit log. */
  String told() {
    return entrySet().stream()
        .map((Map.Entry<String, Object> each) -> each.getKey() + " " + each.getValue())
        .collect(Collectors.joining(", "));
  }
}
