package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.guard.internal.UnknownPolicy;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** The answer in {@code docs/endpoint.md} has the fields of the endpoint's, in their order. */
class EndpointDocumentTest {

  private static final Path DOCUMENT = Path.of("docs/endpoint.md");

  @Test
  void theDocumentShowsEachFieldOfAFilter() throws Exception {
    TestFilters filters =
        new TestFilters().with("products", UnknownPolicy.OPEN, sink -> sink.accept(42L));
    filters
        .operated()
        .find("products")
        .orElseThrow()
        .filter()
        .requestRebuild(RebuildTrigger.REQUEST);
    Object answer = new BloomFiltersEndpoint(filters.operated()).filters();
    assertThat(fields("", documented())).containsExactlyElementsOf(fields("", answer));
  }

  private static Map<String, Object> documented() throws IOException {
    String answer =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.startsWith("{\"filters\":"))
            .findFirst()
            .orElseThrow();
    return JsonParserFactory.getJsonParser().parseMap(answer);
  }

  /** The paths of all values, as JSON has them. */
  private static List<String> fields(String path, Object value) throws Exception {
    List<String> found = new ArrayList<>();
    if (value instanceof Map<?, ?> map) {
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        found.addAll(fields(path + "/" + entry.getKey(), Objects.requireNonNull(entry.getValue())));
      }
    } else if (value instanceof Record) {
      for (RecordComponent component : value.getClass().getRecordComponents()) {
        @Nullable Object part = component.getAccessor().invoke(value);
        if (part != null && !(part instanceof List<?> list && list.isEmpty())) {
          found.addAll(fields(path + "/" + component.getName(), part));
        }
      }
    } else {
      found.add(path);
    }
    return found;
  }
}
