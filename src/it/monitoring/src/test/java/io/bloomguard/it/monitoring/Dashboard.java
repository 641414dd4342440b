package io.bloomguard.it.monitoring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the dashboard asks Prometheus, with all filters and instances chosen. */
final class Dashboard {

  /** The row of windows, subjects and blacklists, which the demo has none of. */
  static final String CLASSIC_SYSTEMS = "Classic systems";

  /** The row of feeds of changes, for which the demo has no Kafka. */
  static final String CHANGES = "Rows of other programs";

  static final Path FILE = Path.of(System.getProperty("it.config"), "grafana", "bloomguard.json");

  private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.+), (\\w+)\\)");

  private final JsonNode json;

  private Dashboard(JsonNode json) {
    this.json = json;
  }

  static Dashboard read() throws IOException {
    return new Dashboard(new JsonMapper().readTree(Files.readString(FILE)));
  }

  /** The queries of all panels, by the title of their row. */
  Map<String, List<String>> queries() {
    Map<String, List<String>> queries = new LinkedHashMap<>();
    List<String> ofRow = List.of();
    for (JsonNode panel : json.get("panels")) {
      if (panel.get("type").asString().equals("row")) {
        ofRow = new ArrayList<>();
        queries.put(panel.get("title").asString(), ofRow);
      }
      for (JsonNode target : panel.path("targets")) {
        ofRow.add(chosen(target.get("expr").asString()));
      }
    }
    return queries;
  }

  /** The queries of the variables. */
  List<LabelValues> variables() {
    List<LabelValues> variables = new ArrayList<>();
    for (JsonNode variable : json.get("templating").get("list")) {
      if (variable.get("type").asString().equals("query")) {
        Matcher query = LABEL_VALUES.matcher(chosen(variable.get("query").get("query").asString()));
        if (!query.matches()) {
          throw new IllegalStateException("No query of label values: " + variable);
        }
        variables.add(new LabelValues(query.group(2), query.group(1)));
      }
    }
    return variables;
  }

  private static String chosen(String query) {
    String text =
        query.replace("$filter", ".*").replace("$instance", ".*").replace("$__rate_interval", "1m");
    if (text.contains("$")) {
      throw new IllegalStateException("A variable that nobody sets: " + query);
    }
    return text;
  }

  record LabelValues(String label, String series) {}
}
